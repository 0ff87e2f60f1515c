package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BitRandomiserTest {
  private static final int RELEASES = 40_000;

  /** The words of a generator decide alone: a comparison with the law's threshold. */
  @Test
  void drawsByTheStatedThreshold() {
    for (boolean answer : new boolean[] {true, false}) {
      BitRandomiser randomiser =
          new BitRandomiser(new RandomisedResponseMechanism(1, false), Statistics.seeded(5));
      SecureBits same = Statistics.seeded(5);
      for (int i = 0; i < 1000; i++) {
        boolean flips = same.getAsLong() >>> 1 < randomiser.law().flips();
        assertThat(randomiser.release(answer)).isEqualTo(answer ^ flips);
      }
    }
  }

  /**
   * The generator is secure: each of the 12 frequencies deviates by more than 5.5 standard
   * deviations with probability 4e-8, one of them with 5e-7.
   */
  @Tag("ci")
  @Test
  void invertsWithTheStatedProbability() {
    List<BitRandomiser> randomisers =
        List.of(
            BitRandomiser.ofEpsilon(0.1),
            BitRandomiser.ofEpsilon(1),
            BitRandomiser.ofEpsilon(4),
            BitRandomiser.ofMu(0.1),
            BitRandomiser.ofMu(1),
            BitRandomiser.ofMu(4));
    for (BitRandomiser randomiser : randomisers) {
      for (boolean answer : new boolean[] {true, false}) {
        int kept = 0;
        for (int i = 0; i < RELEASES; i++) {
          kept += randomiser.release(answer) == answer ? 1 : 0;
        }
        double p = (1 + randomiser.law().strength()) / 2;
        Statistics.assertFrequency("kept " + answer, kept, p, RELEASES);
      }
    }
  }

  @Test
  void writesTheBitAndItsDeclaration() {
    GradientReportView.Builder report = GradientReportView.newBuilder();
    BitRandomiser.ofEpsilon(100).release("accuracy", true, report);
    assertThat(report.getAnswer().getQuestion()).isEqualTo("accuracy");
    // It is inverted with probability 2^-63.
    assertThat(report.getAnswer().getBit()).isTrue();
    assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(100);
    BitRandomiser.ofMu(0.5).release("accuracy", true, report);
    assertThat(report.getRandomisedResponse().getMu()).isEqualTo(0.5);
  }

  @Test
  void costsItsLevel() {
    assertThat(BitRandomiser.ofEpsilon(0.3).cost().epsilon()).isEqualTo(new BigDecimal("0.3"));
    assertThat(BitRandomiser.ofMu(0.3).cost().mu()).isEqualTo(new BigDecimal("0.3"));
    assertThat(BitRandomiser.ofMu(0.3).cost().epsilon()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> BitRandomiser.ofEpsilon(0));
    assertThatIllegalArgumentException().isThrownBy(() -> BitRandomiser.ofMu(Double.NaN));
  }

  @Test
  void costsWhatAGradientCosts() {
    assertThat(BitRandomiser.costing(ReleaseCost.ofEpsilon(0.3)).orElseThrow().cost())
        .isEqualTo(ReleaseCost.ofEpsilon(0.3));
    assertThat(BitRandomiser.costing(ReleaseCost.ofMu(0.3)).orElseThrow().cost())
        .isEqualTo(ReleaseCost.ofMu(0.3));
    assertThat(BitRandomiser.costing(ReleaseCost.ofMu(0.3).unsaid())).isEmpty();
    assertThat(BitRandomiser.costing(ReleaseCost.ofEpsilon(0.3).unsaid())).isEmpty();
    assertThat(BitRandomiser.costing(ReleaseCost.UNKNOWN)).isEmpty();
  }

  /** The copies agree with probability 2^-200. */
  @Test
  void copiesOfAProcessDrawDifferently() {
    SecureBits bits = new SecureBits();
    RandomisedResponseMechanism mechanism = new RandomisedResponseMechanism(1e-9, false);
    BitRandomiser one = new BitRandomiser(mechanism, bits);
    BitRandomiser other = new BitRandomiser(mechanism, InsecureNoise.copy(bits));
    boolean differ = false;
    for (int i = 0; i < 200; i++) {
      differ |= one.release(true) != other.release(true);
    }
    assertThat(differ).isTrue();
  }
}
