package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.operators.report.AnswerContent;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No two reports of the longest run to the summing model are equal, and the job accepts the
 * candidates.
 */
class LoadGeneratorTest {
  private static final int POWERS = 40;

  @ParameterizedTest
  @ValueSource(ints = {1, 60, 1000})
  void haveAPowerForEachReport(int perSecond) {
    long reports = perSecond * TimeUnit.MINUTES.toSeconds(LoadGenerator.LONGEST_MINUTES) / 3;
    assertThat(LoadGenerator.dimension(perSecond) * (long) POWERS).isGreaterThanOrEqualTo(reports);
    assertThat(LoadGenerator.specs(perSecond))
        .contains("dimension: " + LoadGenerator.dimension(perSecond) + ",");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1001})
  void refuseARateThatIsNone(int perSecond) {
    assertThatThrownBy(() -> LoadGenerator.dimension(perSecond))
        .hasMessage("rate is %d reports a second; give 1 to 1000", perSecond);
  }

  @Test
  void candidatesAreWellFormedAndNearTheOptimum() {
    GradientSpace space = new GradientSpace(16, 1, -16);
    ReportDecoder decoder = new ReportDecoder();
    Random random = new Random(1);
    for (int n = 0; n < 1000; n++) {
      GradientReport.Builder report =
          GradientReport.newBuilder()
              .setModelId("rounds")
              .setRound(0)
              .setUserId("person")
              .setDeviceId("device")
              .setSequence(1);
      LoadGenerator.fillWithCandidate(report, random);
      Received decoded =
          decoder.decode(
              "person".getBytes(UTF_8), report.build().toByteArray(), false, Source.unknown(0));
      assertThat(decoded).isInstanceOf(Report.class);
      Report read = (Report) decoded;
      assertThat(((Gradient) read.content()).dimension()).isEqualTo(16);
      assertThat(read.mechanism().objection(space)).isEmpty();
    }
  }

  @Test
  void reportsOfAMovingClipAreMadeOnTheTermsOfTheirRound() {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(LoadGenerator.SIZES)
            .setGradientBound(0.3)
            .addWeights(0)
            .addWeights(0);
    assertThat(ofMovingClip(update.setQuestionProbability(1).build()))
        .allMatch(
            report ->
                report.content() instanceof AnswerContent answer
                    && answer.question().equals("clip"));
    assertThat(ofMovingClip(update.setQuestionProbability(0.02).build()))
        .filteredOn(report -> !(report.content() instanceof AnswerContent))
        .hasSize(12)
        .allMatch(report -> report.header().gradientBound() == 0.3);
  }

  private static List<Report> ofMovingClip(ModelUpdate update) {
    ReportDecoder decoder = new ReportDecoder();
    Random random = new Random(1);
    List<Report> reports = new ArrayList<>();
    for (int n = 0; n < 16; n++) {
      GradientReport.Builder report =
          GradientReport.newBuilder()
              .setModelId(LoadGenerator.SIZES)
              .setRound(0)
              .setUserId("person")
              .setDeviceId("device")
              .setSequence(1);
      LoadGenerator.fillOfMovingClip(report, n, update, random);
      Received decoded =
          decoder.decode(
              "person".getBytes(UTF_8), report.build().toByteArray(), false, Source.unknown(0));
      assertThat(decoded).isInstanceOf(Report.class);
      reports.add((Report) decoded);
    }
    return reports;
  }
}
