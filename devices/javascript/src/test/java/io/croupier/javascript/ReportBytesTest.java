package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
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
            .addWeights(1)
            .addWeights(1)
            .addWeights(1)
            .addAverage(1)
            .addAverage(1)
            .addAverage(1)
            .setGradientBound(bound)
            .setGridExponent(ModelSpecs.gridExponent(bound));
    if (moves) {
      update.setSize(AdaptiveClip.Size.GRADIENT);
    }
    Value json = browser.eval("JSON.parse").execute(JsonFormat.printer().print(update));
    return browser.export("readUpdate").execute(json).getMember("terms");
  }

  @Test
  void reportsOfGradientsAreThoseOfProtobuf() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    Value write =
        browser
            .eval(
                "(i) => (terms, device, sequence, now, epsilon, candidates, top, seed, index) =>"
                    + " i.candidateReport(terms, device, sequence, now, {epsilon, candidates, top},"
                    + " {seed, index})")
            .execute(browser.export("internals"));
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
      byte[] bytes =
          Browser.bytes(
              write.execute(
                  terms(round, bound, moves),
                  "device-" + n,
                  sequence,
                  NOW,
                  epsilon,
                  4096,
                  1 + n,
                  browser.big(seed),
                  index));
      assertThat(bytes).isEqualTo(expected.build().toByteArray());
      assertThat(Visits.report(bytes)).isEqualTo(expected.build());
    }
  }

  @Test
  void reportsOfVotesAreThoseOfProtobuf() throws Exception {
    Value write =
        browser
            .eval(
                "(i) => (terms, sequence, now, epsilon, groups, statistic, seed, group) =>"
                    + " i.voteReport(terms, 'd', sequence, now, {epsilon, groups}, statistic,"
                    + " {seed, group})")
            .execute(browser.export("internals"));
    for (long seed : new long[] {0, 7, -1}) {
      GradientReport.Builder expected = blank(7, "d", 300);
      expected.getVoteBuilder().setStatistic("screen").setIndex(3);
      if (seed != 0) {
        expected.getVoteBuilder().setSeed(seed);
      }
      expected.getHashedResponseBuilder().setEpsilon(0.3).setGroups(1000);
      Object noSeed = browser.eval("null");
      byte[] bytes =
          Browser.bytes(
              write.execute(
                  terms(7, 1, true),
                  300,
                  NOW,
                  0.3,
                  1000,
                  "screen",
                  seed == 0 ? noSeed : browser.big(seed),
                  3));
      assertThat(bytes).isEqualTo(expected.build().toByteArray());
      assertThat(Visits.report(bytes)).isEqualTo(expected.build());
    }
  }

  @Test
  void reportsOfAnswersAreThoseOfProtobuf() throws Exception {
    Value write =
        browser
            .eval(
                "(i) => (terms, sequence, now, epsilon, question, bit) =>"
                    + " i.answerReport(terms, 'd', sequence, now, {epsilon}, question, bit)")
            .execute(browser.export("internals"));
    for (boolean bit : new boolean[] {true, false}) {
      GradientReport.Builder expected = blank(7, "d", 300);
      expected.getAnswerBuilder().setQuestion("loss-above_1.5").setBit(bit);
      expected.getRandomisedResponseBuilder().setEpsilon(0.3);
      byte[] bytes =
          Browser.bytes(write.execute(terms(7, 1, true), 300, NOW, 0.3, "loss-above_1.5", bit));
      assertThat(bytes).isEqualTo(expected.build().toByteArray());
      assertThat(Visits.report(bytes)).isEqualTo(expected.build());
    }
  }
}
