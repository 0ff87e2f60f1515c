package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.Decimals;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChoiceLossTest {
  private static final int SEED = 29;
  private static final int CANDIDATES = 256;

  private static ChoiceLoss choice(double epsilon, int candidates, int top) {
    return new ChoiceLoss(epsilon, (double) (candidates - top) / top);
  }

  /** The definitions, with 50 digits, from the probabilities of each candidate. */
  private record Exact(BigDecimal p, BigDecimal q) {
    static Exact of(double epsilon, int candidates, int top) {
      BigDecimal growth =
          Decimals.exp(new BigDecimal(epsilon)).multiply(BigDecimal.valueOf(top), Decimals.DIGITS);
      BigDecimal all = growth.add(BigDecimal.valueOf(candidates - top));
      return new Exact(
          growth.divide(all, Decimals.DIGITS),
          BigDecimal.valueOf(top).divide(all, Decimals.DIGITS));
    }

    double rho(double epsilon) {
      return p.subtract(q).multiply(new BigDecimal(epsilon), Decimals.DIGITS).doubleValue();
    }

    /** For whole orders: ln of the sum of P^a Q^(1 - a), a - 1 times. */
    double renyi(int order) {
      BigDecimal ratio = p.divide(q, Decimals.DIGITS).pow(order - 1, Decimals.DIGITS);
      BigDecimal sum =
          p.multiply(ratio, Decimals.DIGITS)
              .add(q.divide(ratio, Decimals.DIGITS))
              .add(BigDecimal.ONE.subtract(p).subtract(q));
      return StrictMath.log1p(sum.subtract(BigDecimal.ONE).doubleValue()) / (order - 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 0.108, 0.556",
    "1, 0.377, 1.017",
    "2, 1.174, 1.794",
    "4, 3.161, 3.037",
    "8, 7.367, 4.837"
  })
  void agreesWithReferenceValues(double epsilon, double rho, double mu) {
    int top = new PrivUnitLaws().best(20, epsilon, CANDIDATES).top();
    ChoiceLoss loss = choice(epsilon, CANDIDATES, top);

    assertThat(loss.rho()).isCloseTo(rho, within(0.0005));
    assertThat(loss.mu()).isCloseTo(mu, within(0.0005));
  }

  @Test
  void agreesWithTheDefinitions() {
    Random random = new Random(SEED);
    for (int n = 0; n < 2000; n++) {
      double epsilon = 16 * StrictMath.pow(10, -9 * random.nextDouble());
      int candidates = 64 << (2 * random.nextInt(4));
      int top = 1 + random.nextInt(candidates / 2);
      int order = 2 + random.nextInt(40);
      ChoiceLoss loss = choice(epsilon, candidates, top);
      Exact exact = Exact.of(epsilon, candidates, top);
      String what = "seed %d: %s, order %d".formatted(SEED, loss, order);

      assertThat(loss.renyi(1) / exact.rho(epsilon)).as(what).isCloseTo(1, within(1e-14));
      assertThat(loss.renyi(order) / exact.renyi(order)).as(what).isCloseTo(1, within(1e-14));
      assertGaussian(loss, exact, what);
    }
  }

  /**
   * Phi(Phi^-1(p) - mu) is at most q, for a Phi^-1 found by bisection over the tail: mu is large
   * enough, and by little.
   */
  private static void assertGaussian(ChoiceLoss loss, Exact exact, String what) {
    double mu = loss.mu();
    double p = exact.p().doubleValue();
    double high =
        p <= 0.5
            ? -upperQuantile(p)
            : upperQuantile(BigDecimal.ONE.subtract(exact.p()).doubleValue());
    double low = upperQuantile(exact.q().doubleValue());
    double tight = high + low;
    double slack = 1e-13 * Math.max(1, low);
    assertThat(mu).as(what).isGreaterThanOrEqualTo(tight - slack);
    assertThat(mu).as(what).isLessThanOrEqualTo(tight * (1 + 1e-11) + 2 * slack);
  }

  /** z with Phi(-z) = tail, for a tail of at most 1/2. */
  static double upperQuantile(double tail) {
    return Bisection.root(
        0,
        40,
        100,
        z -> {
          double x = z / StrictMath.sqrt(2);
          double mass = GaussianTail.mass(x) / StrictMath.sqrt(StrictMath.PI);
          return mass * StrictMath.exp(-x * x) > tail;
        });
  }

  /** Where the quantiles cancel, the bound by the density is the one that counts. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1e-9, 1e-6, 1e-3})
  void muOfSmallEpsilonIsProportionalToIt(double epsilon) {
    ChoiceLoss loss = choice(epsilon, CANDIDATES, 64);
    // p = 1/4: mu is about epsilon p (1 - K / N) ... of the density at the quartile.
    double slope = 0.25 / (StrictMath.exp(-0.5 * 0.67448975 * 0.67448975) / 2.506628274631);

    assertThat(loss.mu() / (epsilon * slope)).isCloseTo(1, within(1e-7 + epsilon));
  }

  @Test
  void isAtMostRandomisedResponseAndGrowsWithEpsilon() {
    Random random = new Random(SEED);
    int inputs = Integer.getInteger("inputs", 20_000);
    for (int n = 0; n < inputs; n++) {
      double epsilon = 16 * StrictMath.pow(10, -6 * random.nextDouble());
      double less = epsilon * (1 - 0.5 * random.nextDouble());
      double others = 1 + StrictMath.pow(10, 8 * random.nextDouble() - 3);
      double order = 1 + StrictMath.pow(10, 6 * random.nextDouble() - 3);
      ChoiceLoss loss = new ChoiceLoss(epsilon, others);
      ChoiceLoss smaller = new ChoiceLoss(less, others);
      PureLoss response = PureLoss.ofEpsilon(epsilon);
      String what = "seed %d: %s, order %s".formatted(SEED, loss, order);

      assertThat(loss.rho()).as(what).isLessThanOrEqualTo(response.rho() * (1 + 1e-14));
      assertThat(loss.mu()).as(what).isLessThanOrEqualTo(response.mu() * (1 + 1e-9) + 1e-12);
      assertThat(loss.renyi(order))
          .as(what)
          .isLessThanOrEqualTo(response.renyi(order) * (1 + 1e-12))
          .isLessThanOrEqualTo(order * loss.rho() * (1 + 1e-12));
      assertThat(smaller.rho())
          .as(what)
          .isLessThanOrEqualTo(loss.rho() * (1 + 1e-14))
          .isGreaterThanOrEqualTo(smaller.renyi(order) / order * (1 - 1e-12));
      assertThat(smaller.mu()).as(what).isLessThanOrEqualTo(loss.mu() * (1 + 1e-9) + 1e-12);
    }
  }

  /** The mean of sampled losses is rho; five standard errors: false alarms at 1e-6. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 1, 2, 4, 8})
  void sampledLossesHaveTheMeanRho(double epsilon) {
    int top = 40;
    int draws = 1_000_000;
    Random random = new Random(SEED);
    double keep = StrictMath.exp(-epsilon);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; i++) {
      int index = random.nextInt(CANDIDATES);
      while (index >= top && random.nextDouble() >= keep) {
        index = random.nextInt(CANDIDATES);
      }
      // The other input favours the last ones.
      double loss = index < top ? epsilon : index >= CANDIDATES - top ? -epsilon : 0;
      sum += loss;
      squares += loss * loss;
    }
    double mean = sum / draws;
    double error = StrictMath.sqrt((squares / draws - mean * mean) / draws);
    double rho = choice(epsilon, CANDIDATES, top).rho();

    assertThat(mean).isCloseTo(rho, within(5 * error));
    assertThat(Math.abs(mean - 0.8 * rho)).as("a rho a fifth too low").isGreaterThan(5 * error);
  }

  /** The mean of the loss is no rho where few candidates are favoured, and the worst one counts. */
  @Test
  void rhoOfFewFavouredCandidatesIsRandomisedResponses() {
    ChoiceLoss rare = choice(4, 4096, 1);

    assertThat(rare.renyi(3) / 3).isGreaterThan(2 * rare.renyi(1));
    assertThat(rare.rho()).isEqualTo(PureDp.rho(4));
    for (int dimension : new int[] {2, 20, 1000}) {
      for (double epsilon = 0.01; epsilon < 16; epsilon *= 1.3) {
        PrivUnitLaw law =
            new PrivUnitLaws().best(dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
        ChoiceLoss loss = choice(epsilon, law.candidates(), law.top());
        assertThat(loss.rho()).as("%s", loss).isEqualTo(loss.renyi(1));
      }
    }
  }

  @Test
  void refusesImpossibleValues() {
    assertThatThrownBy(() -> new ChoiceLoss(-1, 1)).hasMessageContaining("epsilon is -1.0");
    assertThatThrownBy(() -> new ChoiceLoss(1, 0.5)).hasMessageContaining("others is 0.5");
    assertThatThrownBy(() -> new ChoiceLoss(1, Double.NaN)).hasMessageContaining("others is NaN");
    assertThatThrownBy(() -> choice(1, 64, 32).renyi(0.5)).hasMessageContaining("order is 0.5");
  }
}
