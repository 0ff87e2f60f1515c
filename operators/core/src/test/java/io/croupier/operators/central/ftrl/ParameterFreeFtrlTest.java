package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Potential;
import io.croupier.operators.learner.Prior;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterFreeFtrlTest {
  private static final Prior CONJUGATE = new Prior.Conjugate(1);

  @Test
  void theWeightsAreTheBetOnTheNormAgainstTheSum() {
    var run = ftrl(2, new Prior.Improper(), 3, 1, 0);
    run.step(new double[] {1, 1}, 5);
    run.step(new double[] {-30, 40}, 4);
    Iterate out = run.publish();

    double variance = Math.exp(0.2) / 2 * 3 * 4 + 2.5 * 5;
    double bet = 3 * new Potential(new Prior.Improper(), 0.1).prediction(50, variance);
    assertThat(out.weights[0]).isCloseTo(1 + 0.6 * bet, within(1e-12 * bet));
    assertThat(out.weights[1]).isCloseTo(-0.8 * bet, within(1e-12 * bet));
    assertThat(out.diagnostics.get("magnitude")).isCloseTo(bet, within(1e-12 * bet));
  }

  /**
   * The theorem in one dimension, where the expectation over each prefix's noise is an integral:
   * the regret against doing nothing is at most W0 = 1, and against u at most 1 + max |u| x - F(x,
   * V). Gradients are fixed in advance: of one sign, alternating, in runs, and at random.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 3, 10})
  void expectedRegretIsWithinItsBoundUnderNoiseWhoseVarianceNeverFalls(double noise) {
    int rounds = 300;
    Random random = new Random(1);
    double[] signs = random.doubles(rounds, -1, 1).toArray();
    IntToDoubleFunction[] sequences = {
      t -> 1, t -> 0.3, t -> t % 2 == 0 ? 1 : -1, t -> t < 200 ? -1 : 1, t -> signs[t]
    };
    for (int k = 0; k < sequences.length; k++) {
      double sum = 0;
      double loss = 0;
      double variance = 0;
      for (int t = 0; t < rounds; t++) {
        double g = sequences[k].applyAsDouble(t);
        loss += g * expectedWeight(t, sum, variance);
        sum += g;
        variance = noise * noise * (1 + Math.log1p(t));
      }
      assertThat(loss).as("sequence %d", k).isLessThanOrEqualTo(1);
      double quadratic = Math.exp(0.2) / 2 * rounds + 2 * variance;
      for (double u : new double[] {0.1, 1, 10}) {
        assertThat(loss + u * Math.abs(sum))
            .as("sequence %d, u = %s", k, u)
            .isLessThanOrEqualTo(1 + conjugate(u, quadratic));
      }
    }
  }

  /** E theta_(t+1) for s_t Gaussian around its mean; it doesn't depend on earlier sums. */
  private static double expectedWeight(int t, double mean, double variance) {
    if (t == 0) {
      return 0;
    }
    int nodes = variance == 0 ? 0 : 400;
    Potential potential = new Potential(CONJUGATE, 0.2);
    double quadratic = Math.exp(0.2) / 2 * (t + 1) + 2 * variance;
    double expectation = 0;
    double mass = 0;
    for (int i = -nodes; i <= nodes; i++) {
      double z = nodes == 0 ? 0 : 10.0 * i / nodes;
      double density = Math.exp(-z * z / 2);
      expectation -= density * potential.prediction(mean + Math.sqrt(variance) * z, quadratic);
      mass += density;
    }
    return expectation / mass;
  }

  /** The maximum over x of u x - F(x, V) on a grid, which is at most the true maximum. */
  private static double conjugate(double u, double quadratic) {
    Potential potential = new Potential(CONJUGATE, 0.2);
    double largest = -1;
    for (int i = 0; i < 4000; i++) {
      double x = i * Math.sqrt(quadratic) / 100;
      largest = Math.max(largest, u * x - Math.exp(potential.logPotential(x, quadratic)));
    }
    return largest;
  }

  /** V must not fall with the noise, since the weights would jump. */
  @Test
  void whenTheNoiseFallsTheAllowanceStays() {
    var loud = ftrl(1, CONJUGATE, 1, 0);
    var falling = ftrl(1, CONJUGATE, 1, 0);
    for (int t = 0; t < 5; t++) {
      loud.step(new double[] {10}, 30);
      falling.step(new double[] {10}, t == 0 ? 30 : 1);
    }
    assertThat(falling.weights()[0]).isEqualTo(loud.weights()[0]).isNegative();
  }

  @Test
  void betsOutOfRangeSaturateAndAreCounted() {
    var run = ftrl(1, new Prior.Improper(), 1, 0);
    run.step(1e6);
    run.step(-Double.MAX_VALUE);
    Iterate out = run.publish();

    assertThat(out.weights).containsExactly(1e150);
    assertThat(out.average).containsExactly(new double[] {-5e149}, within(1e136));
    assertThat(out.diagnostics).containsEntry("saturations", 2.0);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, dp_ftrl_parameter_free.clip_norm is 0.0",
    "Infinity, 1, 0, dp_ftrl_parameter_free.clip_norm is Infinity",
    "1, 0, 0, initial_wealth is 0.0",
    "1, Infinity, 0, initial_wealth is Infinity",
    "1, 1, -1, noise variance is -1.0",
    "1, 1, NaN, noise variance is NaN"
  })
  void parametersOutOfTheirDomainAreNamed(
      double bound, double wealth, double variance, String message) {
    assertThatThrownBy(() -> ftrl(bound, CONJUGATE, wealth, 0).step(new double[1], variance))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  private static PrefixRun<ParameterFreeFtrl.State> ftrl(
      double roundBound, Prior prior, double initialWealth, double... start) {
    return new PrefixRun<>(
        new ParameterFreeFtrl(
            roundBound, prior, initialWealth, new Averaging(0), InitialWeights.of(start)));
  }
}
