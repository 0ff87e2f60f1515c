package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The draws are those of the secure generator; a false alarm has a probability of 1e-9. */
class VoteAuditTest {
  private static final int SAMPLES = 100_000;
  private static final double FALSE_ALARM = 1e-9;

  private static Finding audit(int categories, double claimed, double real) throws Exception {
    HashedResponseRandomiser claim = new HashedResponseRandomiser(claimed, categories);
    HashedResponseRandomiser randomiser = new HashedResponseRandomiser(real, categories);
    AtomicInteger drawn = new AtomicInteger();
    Finding audit =
        new VoteAudit(claim.mechanism(), categories)
            .run(
                new Draws(SAMPLES, 2, FALSE_ALARM, drawn::addAndGet),
                () -> sign -> randomiser.release(sign > 0 ? 0 : categories - 1));
    assertThat(drawn).hasValue(2 * SAMPLES);
    return audit;
  }

  /** The bound is below the level by less than 12 standard deviations, of which 6 are its own. */
  private static void assertShowsMostOfItsLevel(int categories, double epsilon) throws Exception {
    Finding audit = audit(categories, epsilon, epsilon);
    assertThat(audit.refuted()).as(audit.text()).isFalse();
    assertThat(audit.count().leastLevel(FALSE_ALARM)).isBetween(0.8 * epsilon, epsilon);
    assertThat(audit.text()).contains("Not refuted: vote, epsilon ");
  }

  @Tag("ci")
  @Test
  void theRealOneIsNotRefutedAndShowsMostOfItsLevel() throws Exception {
    assertShowsMostOfItsLevel(4, 2);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2, 1", "32, 1", "1000, 2"})
  void otherRealOnesAreNotRefuted(int categories, double epsilon) throws Exception {
    assertShowsMostOfItsLevel(categories, epsilon);
  }

  /** Both too much and too little noise are found, where the number of groups is the same. */
  private static void assertRefuted(int categories, double claimed, double real) throws Exception {
    Finding audit = audit(categories, claimed, real);
    assertThat(audit.refuted()).as(audit.text()).isTrue();
    assertThat(audit.text()).contains("REFUTED: vote, ");
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"4, 1, 1.15", "4, 2, 1.85"})
  void aWrongLevelIsRefuted(int categories, double claimed, double real) throws Exception {
    assertRefuted(categories, claimed, real);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1000, 2, 2.08", "1000, 2, 1.92"})
  void aWrongLevelOfManyCategoriesIsRefuted(int categories, double claimed, double real)
      throws Exception {
    assertRefuted(categories, claimed, real);
  }
}
