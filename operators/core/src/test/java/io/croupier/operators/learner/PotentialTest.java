package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PotentialTest {

  /**
   * L of the cases whose excess F in potential.json contradicts its bounds, and log_excess.json.
   */
  private static final Set<Double> UNUSABLE_EXCESS =
      Set.of(
          430631.81414617586,
          -58939.51650783808,
          537337.9836126636,
          1905.5366696011738,
          33839.12393715452,
          739218.447391567,
          -22225.243322567556,
          4400.0);

  private static final List<Prior> PRIORS =
      List.of(new Prior.Improper(), new Prior.Conjugate(1), new Prior.Uniform(), new Prior.Cv());

  private static void assertLog(JsonNode c, double actual, double reference) {
    assertThat(actual)
        .as(c.toString())
        .isCloseTo(reference, within(1e-13 * Math.max(1, Math.abs(reference))));
  }

  @Test
  void agreesWithFiftyDigits() {
    int overflows = 0;
    for (JsonNode c : Golden.cases("potential.json", 395)) {
      Prior prior = Golden.prior(c);
      Potential potential = new Potential(prior, c.get("C").asDouble());
      double coins = c.get("L").asDouble();
      double quadratic = c.get("B").asDouble();
      double w = potential.predictionAt(coins, quadratic);
      if (c.get("w").isNull()) {
        assertThat(w).isEqualTo(c.get("sign").asInt() * Double.POSITIVE_INFINITY);
        overflows++;
      } else {
        double reference = c.get("w").asDouble();
        double tolerance = prior instanceof Prior.Cv ? 1e-12 : 1e-13;
        assertThat(w)
            .as(c.toString())
            .isCloseTo(reference, within(tolerance * Math.abs(reference)));
      }
      double log = potential.logPredictionAt(coins, quadratic);
      if (c.get("logAbsW").isNull()) {
        assertThat(log).isEqualTo(Double.NEGATIVE_INFINITY);
      } else {
        assertLog(c, log, c.get("logAbsW").asDouble());
      }
      double logPotential = potential.logPotentialAt(coins, quadratic);
      if (!c.get("logPhi").isNull()) {
        assertLog(c, logPotential, c.get("logPhi").asDouble());
      } else if (!c.get("F").isNull() && !UNUSABLE_EXCESS.contains(coins)) {
        double excess = c.get("F").asDouble();
        assertLog(
            c,
            logPotential,
            prior instanceof Prior.Cv
                ? Math.log1p(excess)
                : Math.copySign(Math.log1p(Math.abs(excess)), excess));
      }
    }
    assertThat(overflows).isEqualTo(50);
  }

  @Test
  void logarithmOfTheExcessAgreesWithFiftyDigits() {
    for (JsonNode c : Golden.cases("log_excess.json", 139)) {
      Potential potential = new Potential(Golden.prior(c), c.get("C").asDouble());
      assertLog(
          c,
          potential.logPotential(c.get("L").asDouble(), c.get("B").asDouble()),
          c.get("logPotential").asDouble());
    }
  }

  @Test
  void properPriorsIntegrateToOne() {
    for (Prior prior : PRIORS) {
      assertThat(new Potential(prior, 0.2).logPotential(0, 0)).isCloseTo(0, within(1e-15));
    }
  }

  @Test
  void theConjugatePriorAddsItsConcentration() {
    Potential potential = new Potential(new Prior.Conjugate(4), 0.2);
    assertThat(potential.prediction(3, 6)).isEqualTo(potential.predictionAt(3, 10));
  }

  @Test
  void neverNaNAndAlwaysOdd() {
    double[] extremes = {
      0, Double.MIN_VALUE, 1e-300, 1e-150, 1e-8, 1, 1e8, 1e150, 1e300, Double.MAX_VALUE
    };
    for (double halfWidth : new double[] {0x1p-400, 1e-9, 0.2, 0.999999}) {
      for (Prior prior : PRIORS) {
        Potential potential = new Potential(prior, halfWidth);
        for (double coins : extremes) {
          for (double variance : extremes) {
            String at = prior + " " + halfWidth + " " + coins + " " + variance;
            double w = potential.prediction(coins, variance);
            assertThat(w).as(at).isNotNaN().isNotNegative();
            assertThat(potential.prediction(-coins, variance)).as(at).isEqualTo(-w);
            assertThat(potential.logPrediction(coins, variance)).as(at).isNotNaN();
            assertThat(potential.logPotential(coins, variance)).as(at).isNotNaN();
          }
        }
      }
    }
  }

  @Test
  void refusesArgumentsOutsideOfItsDomain() {
    assertThatThrownBy(() -> new Potential(new Prior.Cv(), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("gradient_bound");
    assertThatThrownBy(() -> new Potential(new Prior.Uniform(), 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Prior.Conjugate(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prior.conjugate.b");
  }
}
