package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.TestSums;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** BANCO adds up the noise that each report declares for itself. */
class DeclaredVarianceTest {
  private static final double G = 1.5;

  private static ModelSpec banco(int reportsPerRound) {
    String rest = "reports_per_round: %d max_staleness: 1 %s";
    String learner = "banco { strongest_noise { l2_laplace { epsilon: 1 } } }";
    return Specs.of(1, G, rest.formatted(reportsPerRound, learner));
  }

  /** -ln(1 - k^2) / k^2 times (d + 1) scale^2, with k = a scale and d = 1. */
  private static double laplaceVariance(double epsilon, double a) {
    double scale = 2 * G / epsilon;
    double k = a * scale;
    return 2 * scale * scale * -Math.log1p(-k * k) / (k * k);
  }

  private static RoundSum sum(long round, int count, double gradients, double variance) {
    RoundSum sum = TestSums.dense(round, gradients);
    sum.count = count;
    sum.directionalVariance = variance;
    return sum;
  }

  private static double diagnostic(ModelUpdateView update, String name) {
    return update.getDiagnosticsMap().get(name);
  }

  private static void assertAt(ModelUpdateView update, double a, double coins, double variance) {
    Potential potential = new Potential(new Prior.Uniform(), a);
    assertThat(diagnostic(update, "log-potential"))
        .isCloseTo(potential.logPotential(coins, variance), within(1e-12));
    double magnitude = potential.prediction(coins, variance);
    assertThat(diagnostic(update, "magnitude"))
        .isCloseTo(magnitude, within(1e-12 * Math.abs(magnitude)));
  }

  /**
   * In one dimension the direction is a sign. After round 0 it is 1 if the first gradient is below
   * 0, and gradients of less than half of the earlier ones don't change it.
   */
  @Test
  void eachReportAddsItsOwnVariance() {
    ModelSpec spec = banco(1);
    DirectionalNoise noise = DirectionalNoise.of(spec);
    double a = noise.bettingRange();
    assertThat(a).isEqualTo(1 / (4 * G));
    LiveModel model = LiveModel.begin(spec, 0);
    model.publish(true, 0);
    Mechanism[] reports = {
      new L2LaplaceMechanism(1),
      new L2LaplaceMechanism(3),
      new GaussianMechanism(2),
      new L2LaplaceMechanism(1.2)
    };
    double[] gradients = {-1, -0.7, -2, -0.4};
    double[] variances = {
      laplaceVariance(1, a), laplaceVariance(3, a), G * G, laplaceVariance(1.2, a)
    };
    double coins = 0;
    double variance = 0;
    for (int t = 0; t < reports.length; t++) {
      assertThat(noise.accepts(reports[t])).isTrue();
      model.add(sum(t, 1, gradients[t], noise.variance(reports[t])));
      coins += t == 0 ? 0 : -gradients[t];
      variance += variances[t] / 2 + G * G;
      assertAt(model.publish(true, 0).orElseThrow(), a, coins, variance);
    }
  }

  /**
   * The noise of a mean of r reports is sum(sigma_i^2) / r^2. Where it dominates, it replaces the
   * coin; otherwise V is at least as large. Both don't depend on bundles.
   */
  @ParameterizedTest
  @CsvSource({"1, 120", "1, 8", "5, 120", "5, 8", "10, 120", "10, 8"})
  void aRoundOfSeveralAddsTheVarianceOfTheirMean(int bundleSize, double largest) {
    int reports = 10;
    double a = DirectionalNoise.of(banco(1)).bettingRange();
    LiveModel model = LiveModel.begin(banco(reports), 0);
    model.publish(true, 0);
    SplittableRandom random = new SplittableRandom(bundleSize);
    double coins = 0;
    double variance = 0;
    double bound = 0;
    int dominated = 0;
    for (int t = 0; t < 12; t++) {
      double gradients = 0;
      double variances = 0;
      for (int i = 0; i < reports / bundleSize; i++) {
        double g = -random.nextDouble() * bundleSize;
        double v = bundleSize * random.nextDouble(0.5, largest);
        model.add(sum(t, bundleSize, g, v));
        gradients += g;
        variances += v;
      }
      double coin = t == 0 ? 0 : -gradients / reports;
      double noise = variances / (reports * reports);
      coins += coin;
      if (noise >= 2 * G * G) {
        dominated++;
        variance += noise / 2 + G * G;
        bound = Math.max(bound, G);
      } else {
        variance += Math.max(coin * coin, noise);
        bound = Math.max(bound, Math.max(coin, G / Math.sqrt(reports)));
      }
      ModelUpdateView update = model.publish(true, 0).orElseThrow();
      assertThat(update.getRound()).isEqualTo(t + 1);
      double first = Math.min(BettingRule.DeclaredNoise.K1 / firstBound(largest), reports * a);
      double range = Math.min(BettingRule.DeclaredNoise.K1 / bound, reports * a);
      if (range == first) {
        assertAt(update, range, coins, variance);
      }
    }
    assertThat(dominated).isBetween(largest > 100 ? 6 : 0, largest > 100 ? 12 : 0);
  }

  private static double firstBound(double largest) {
    return largest > 100 ? G : G / Math.sqrt(10);
  }
}
