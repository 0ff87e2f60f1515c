package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.noise.Statistics;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LedgerSecretTest {
  private static final ByteString SECRET =
      ByteString.copyFrom(HexFormat.of().parseHex("00112233445566778899aabbccddeeff".repeat(2)));

  private final LedgerSecret sampler = new LedgerSecret(SECRET);

  @Test
  void answersAlwaysAtOneAndNeverAtZero() {
    for (int round = 0; round < 1000; round++) {
      assertThat(sampler.answers("m", round, 1)).isTrue();
      assertThat(sampler.answers("m", round, 0)).isFalse();
    }
  }

  /** Computed with Python's hmac: 0x3333c0b7... of 2^64. */
  @Test
  void isTheStatedHmac() {
    assertThat(sampler.answers("clicks-1", 12345678901L, 0.200008433)).isFalse();
    assertThat(sampler.answers("clicks-1", 12345678901L, 0.200008437)).isTrue();
  }

  /** Computed with Python's hmac. */
  @Test
  void questionsAreDrawnByTheStatedHmac() {
    assertThat(sampler.isAsked("clicks-1", 12345678901L, 0.815370725)).isFalse();
    assertThat(sampler.isAsked("clicks-1", 12345678901L, 0.815370727)).isTrue();
    assertThat(sampler.question("clicks-1", 12345678901L, 1000)).isEqualTo(358);
    assertThat(sampler.question("clicks-1", 12345678901L, 1)).isZero();
  }

  /** Computed with Python's hmac, in integers. */
  @Test
  void slotsAreDrawnByTheStatedHmac() {
    ByteString zeros = ByteString.copyFrom(new byte[32]);
    ByteString ascending =
        ByteString.fromHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    assertThat(sampler.slot(zeros, 1)).isZero();
    assertThat(sampler.slot(zeros, 2)).isEqualTo(1);
    assertThat(sampler.slot(zeros, 300)).isEqualTo(209);
    assertThat(sampler.slot(zeros, 1_000_000)).isEqualTo(697_825);
    assertThat(sampler.slot(zeros, Integer.MAX_VALUE)).isEqualTo(1_498_568_240);
    assertThat(sampler.slot(ascending, 300)).isEqualTo(256);
    assertThat(sampler.slot(ascending, Integer.MAX_VALUE)).isEqualTo(1_834_471_828);
  }

  @Test
  void repeatedCallsReturnTheSameDecision() {
    LedgerSecret again = new LedgerSecret(SECRET);
    for (int round = 0; round < 1000; round++) {
      assertThat(again.answers("m", round, 0.3)).isEqualTo(sampler.answers("m", round, 0.3));
    }
  }

  @Test
  void largerProbabilityKeepsEarlierAnswers() {
    for (int round = 0; round < 1000; round++) {
      if (sampler.answers("m", round, 0.3)) {
        assertThat(sampler.answers("m", round, 0.31)).isTrue();
      }
    }
  }

  /**
   * The secrets are random: with 40,000 draws each, the frequency over rounds, over models and over
   * devices deviates by more than 5.5 standard deviations with probability 4e-8 each, 5e-7 for all
   * 12.
   */
  @Tag("ci")
  @Test
  void answersWithTheStatedProbability() {
    int lots = 40_000;
    for (double probability : new double[] {0.2, 0.5, 0.9}) {
      int rounds = 0;
      int models = 0;
      int devices = 0;
      int both = 0;
      LedgerSecret fresh = new LedgerSecret(LedgerSecret.newSecret());
      for (int i = 0; i < lots; i++) {
        boolean ofRound = fresh.answers("m", i, probability);
        boolean ofModel = fresh.answers("m" + i, 7, probability);
        rounds += ofRound ? 1 : 0;
        models += ofModel ? 1 : 0;
        both += ofRound && ofModel ? 1 : 0;
        devices += new LedgerSecret(LedgerSecret.newSecret()).answers("m", 7, probability) ? 1 : 0;
      }
      Statistics.assertFrequency("rounds", rounds, probability, lots);
      Statistics.assertFrequency("models", models, probability, lots);
      Statistics.assertFrequency("devices", devices, probability, lots);
      Statistics.assertFrequency("both", both, probability * probability, lots);
    }
  }
}
