package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/** Reports as bytes: those that Protobuf's own writer makes, well-formed for the job. */
class ReportBytesTest extends BrowserFixture {
  private static final long NOW = 1_800_000_123_456L;
  private static final long HOUR = 3_600_000;

  private static GradientReport.Builder blank(long round, String device, long sequence) {
    return GradientReport.newBuilder()
        .setModelId("model.1")
        .setRound(round)
        .setDeviceId(device)
        .setSequence(sequence)
        .setCreatedAtMs(NOW / HOUR * HOUR);
  }

  private static Value terms(long round, double bound, boolean moves) throws Exception {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId("model.1")
            .setRound(round)
            .addAllWeights(List.of(1.0, 1.0, 1.0))
            .addAllAverage(List.of(1.0, 1.0, 1.0))
            .setGradientBound(bound)
            .setGridExponent(ModelSpecs.gridExponent(bound));
    if (moves) {
      update.setSize(AdaptiveClip.Size.GRADIENT);
    }
    return browser.readUpdate(JsonFormat.printer().print(update)).getMember("terms");
  }

  private static void assertReport(Value written, GradientReport expected) {
    byte[] bytes = Browser.bytes(written);
    assertThat(bytes).isEqualTo(expected.toByteArray());
    assertThat(Visits.report(bytes)).isEqualTo(expected);
  }

  @Test
  void reportsOfGradientsAreThoseOfProtobuf() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    Value write =
        browser.callInternals(
            "(i) => (terms, device, sequence, now, epsilon, candidates, top, seed, index) =>"
                + " i.candidateReport(terms, device, sequence, now, {epsilon, candidates, top},"
                + " {seed, index})");
    for (int n = 0; n < 80; n++) {
      long round = n < 3 ? n : random.nextLong(1L << random.nextInt(1, 53));
      long sequence = n < 3 ? 0 : random.nextLong(1L << random.nextInt(1, 40));
      long seed = n == 0 ? 0 : n == 1 ? -1 : random.nextLong();
      int index = n == 0 ? 0 : random.nextInt(4096);
      double bound = Math.exp(random.nextDouble() - 0.5);
      double epsilon = 16 * random.nextDouble();
      boolean moves = n % 2 == 1;
      GradientReport.Builder expected = blank(round, "device-" + n, sequence);
      expected.getCandidateBuilder().setDimension(3).setSeed(seed).setIndex(index);
      expected.getPrivUnitBuilder().setEpsilon(epsilon).setCandidates(4096).setTop(1 + n);
      if (moves) {
        expected.setGradientBound(bound);
      }
      Value terms = terms(round, bound, moves);
      Value ownSeed = browser.big(seed);
      assertReport(
          write.execute(terms, "device-" + n, sequence, NOW, epsilon, 4096, 1 + n, ownSeed, index),
          expected.build());
    }
  }

  @Test
  void reportsOfVotesAreThoseOfProtobuf() throws Exception {
    Value write =
        browser.callInternals(
            "(i) => (terms, sequence, now, epsilon, groups, statistic, seed, group) =>"
                + " i.voteReport(terms, 'd', sequence, now, {epsilon, groups}, statistic,"
                + " {seed, group})");
    for (long seed : new long[] {0, 7, -1}) {
      GradientReport.Builder expected = blank(7, "d", 300);
      expected.getVoteBuilder().setStatistic("screen").setIndex(3);
      if (seed != 0) {
        expected.getVoteBuilder().setSeed(seed);
      }
      expected.getHashedResponseBuilder().setEpsilon(0.3).setGroups(1000);
      Value ownSeed = seed == 0 ? browser.eval("null") : browser.big(seed);
      assertReport(
          write.execute(terms(7, 1, true), 300, NOW, 0.3, 1000, "screen", ownSeed, 3),
          expected.build());
    }
  }

  @Test
  void reportsOfAnswersAreThoseOfProtobuf() throws Exception {
    Value write =
        browser.callInternals(
            "(i) => (terms, sequence, now, epsilon, question, bit) =>"
                + " i.answerReport(terms, 'd', sequence, now, {epsilon}, question, bit)");
    for (boolean bit : new boolean[] {true, false}) {
      GradientReport.Builder expected = blank(7, "d", 300);
      expected.getAnswerBuilder().setQuestion("loss-above_1.5").setBit(bit);
      expected.getRandomisedResponseBuilder().setEpsilon(0.3);
      assertReport(
          write.execute(terms(7, 1, true), 300, NOW, 0.3, "loss-above_1.5", bit), expected.build());
    }
  }
}
