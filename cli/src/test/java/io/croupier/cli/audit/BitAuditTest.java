package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.client.randomiser.BitRandomiser;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bits are secure. A true claim is refuted with a probability of 1e-9 in each of the cases. */
class BitAuditTest {
  private static final int SAMPLES = 100_000;
  private static final double FALSE_ALARM = 1e-9;

  private static Finding audit(RandomisedResponseMechanism claim, BitRandomiser randomiser)
      throws Exception {
    AtomicInteger drawn = new AtomicInteger();
    Finding audit =
        new BitAudit(claim)
            .run(
                new Draws(SAMPLES, 2, FALSE_ALARM, drawn::addAndGet),
                () -> sign -> randomiser.release(sign > 0));
    assertThat(drawn).hasValue(2 * SAMPLES);
    return audit;
  }

  private static BitRandomiser randomiser(double level, boolean isMu) {
    return isMu ? BitRandomiser.ofMu(level) : BitRandomiser.ofEpsilon(level);
  }

  /** The bound is below the level by less than 12 standard deviations, of which 6 are its own. */
  private static void assertShowsNearlyAllOfItsLevel(double level, boolean isMu) throws Exception {
    BitRandomiser randomiser = randomiser(level, isMu);
    Finding audit = audit(randomiser.mechanism(), randomiser);
    assertThat(audit.refuted()).as(audit.text()).isFalse();
    assertThat(audit.count().leastLevel(FALSE_ALARM)).isBetween(0.85 * level, level);
    assertThat(audit.text()).contains("Not refuted: answer, ");
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"1, false", "1, true"})
  void theRealOneIsNotRefutedAndShowsNearlyAllOfItsLevel(double level, boolean isMu)
      throws Exception {
    assertShowsNearlyAllOfItsLevel(level, isMu);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"0.5, false", "4, false", "0.5, true", "3, true"})
  void otherRealOnesAreNotRefuted(double level, boolean isMu) throws Exception {
    assertShowsNearlyAllOfItsLevel(level, isMu);
  }

  /** Both too much and too little noise are found, and a bit that is never inverted. */
  private static void assertRefuted(double claimed, double real, boolean isMu) throws Exception {
    Finding audit = audit(new RandomisedResponseMechanism(claimed, isMu), randomiser(real, isMu));
    assertThat(audit.refuted()).as(audit.text()).isTrue();
    assertThat(audit.text()).contains("REFUTED: answer, ");
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"1, 1.1, false", "2, 1.9, true"})
  void aWrongLevelIsRefuted(double claimed, double real, boolean isMu) throws Exception {
    assertRefuted(claimed, real, isMu);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1, 0.9, false", "1, 1.1, true", "1, 100, false"})
  void otherWrongLevelsAreRefuted(double claimed, double real, boolean isMu) throws Exception {
    assertRefuted(claimed, real, isMu);
  }
}
