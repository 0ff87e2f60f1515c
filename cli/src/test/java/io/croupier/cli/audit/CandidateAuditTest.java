package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Releases are drawn without a seed. A right randomiser is refuted with a probability of at most
 * 1e-9 in each case, a wrong one here is missed with less.
 */
@Tag("ci")
class CandidateAuditTest {
  private static final double FALSE_ALARM = 1e-9;

  private static final int SAMPLES = 100_000;

  private static Finding audit(PrivUnitRandomiser claimed, Supplier<PrivUnitRandomiser> randomisers)
      throws Exception {
    AtomicInteger drawn = new AtomicInteger();
    Finding finding =
        new CandidateAudit(claimed.law(), claimed.gradientBound())
            .run(
                new Draws(SAMPLES, 2, FALSE_ALARM, drawn::addAndGet),
                () -> CandidateAudit.releases(randomisers.get()));
    assertThat(drawn).hasValue(2 * SAMPLES);
    return finding;
  }

  private static Finding audit(Supplier<PrivUnitRandomiser> randomisers) throws Exception {
    return audit(randomisers.get(), randomisers);
  }

  @Test
  void theRealOneIsNotRefutedAndShowsNearlyAllOfItsEpsilon() throws Exception {
    assertShowsNearlyAllOfEpsilon(2, 1, 0.9);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1, 0.5, 0.4", "8, 4, 3.4"})
  void otherRealOnesAreNotRefuted(int dimension, double epsilon, double shows) throws Exception {
    assertShowsNearlyAllOfEpsilon(dimension, epsilon, shows);
  }

  private static void assertShowsNearlyAllOfEpsilon(int dimension, double epsilon, double shows)
      throws Exception {
    Finding finding = audit(() -> new PrivUnitRandomiser(0.5, dimension, epsilon));
    assertThat(finding.refuted()).as(finding.text()).isFalse();
    assertThat(finding.count().leastLevel(1e-9)).isBetween(shows, epsilon);
  }

  /**
   * 0.95 epsilon at a confidence of 0.95, whatever the dimension, but for 5 standard deviations. An
   * audit costs candidates times dimensions, so those of most dimensions have the fewest
   * candidates.
   */
  @ParameterizedTest
  @Tag("thorough")
  @CsvSource({"1, 1, 256", "300, 1, 64"})
  void nearlyAllOfEpsilonShowsInManyDimensions(int dimension, double epsilon, int candidates)
      throws Exception {
    Finding finding = audit(() -> new PrivUnitRandomiser(1, dimension, epsilon, candidates));
    assertThat(finding.count().leastLevel(0.05)).isGreaterThan(0.95 * epsilon);
    assertThat(finding.count().leastLevel(1e-9)).isLessThan(epsilon);
  }

  /**
   * The grid of levels: the bound is within ten standard deviations of the estimate of ln(p / q).
   * Up to three of them separate the bound from the estimate, so a run fails with a probability
   * below 1e-9.
   */
  private static void assertLevelShows(int dimension, double epsilon) throws Exception {
    PrivUnitLaw law = new PrivUnitRandomiser(1, dimension, epsilon).law();
    Finding finding = audit(() -> new PrivUnitRandomiser(1, dimension, epsilon));
    double others = law.candidates() - law.top();
    double p = 1 / (1 + others / law.top() * Math.exp(-epsilon));
    double q = 1 / (Math.exp(epsilon) + others / law.top());
    double deviation = Math.sqrt((1 - p) / (SAMPLES * p) + (1 - q) / (SAMPLES * q));
    assertThat(finding.refuted()).as(finding.text()).isFalse();
    assertThat(finding.count().leastLevel(0.05)).isGreaterThan(epsilon - 10 * deviation);
    assertThat(finding.count().leastLevel(1e-9)).isLessThan(epsilon);
  }

  @Test
  void aSmallLevelShows() throws Exception {
    assertLevelShows(2, 0.25);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2, 0.5", "2, 1", "2, 2", "2, 4", "2, 8", "20, 0.5", "20, 2", "20, 8"})
  void everyLevelShows(int dimension, double epsilon) throws Exception {
    assertLevelShows(dimension, epsilon);
  }

  @Test
  void whatSpendsMoreThanItClaimsIsRefuted() throws Exception {
    Finding finding =
        audit(new PrivUnitRandomiser(1, 2, 1, 256), () -> new PrivUnitRandomiser(1, 2, 1.2, 256));
    assertThat(finding.refuted()).isTrue();
    assertThat(finding.count().leastLevel(1e-9)).isGreaterThan(1);
    assertThat(finding.text())
        .contains("REFUTED: priv-unit, epsilon 1.000, d 2: its epsilon is at");
  }

  @Tag("thorough")
  @Test
  void whatIsLongerThanItsMeanIsRefuted() throws Exception {
    Finding finding =
        audit(new PrivUnitRandomiser(1, 2, 1, 256), () -> new PrivUnitRandomiser(1, 2, 0.9, 256));
    assertThat(finding.refuted()).isTrue();
    // M of epsilon 1 over M of epsilon 0.9 is 0.904; 0.85 and 0.98 are nine standard deviations
    // away.
    assertThat(finding.text()).containsPattern("its mean is 0\\.(8[5-9]|9[0-7])");
  }
}
