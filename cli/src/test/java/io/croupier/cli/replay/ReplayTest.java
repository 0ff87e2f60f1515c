package io.croupier.cli.replay;

import static io.croupier.cli.replay.ReplayFolder.report;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The outcome of reports that are replayed in their order. */
class ReplayTest {
  private static final String STEEP =
      "- {modelId: m, dimension: 2, gradientBound: 1, ldpSgd: {stepSize: 1, decay: 0}%s}\n";
  private static final String PARAMETER_FREE =
      "- {modelId: m, dimension: 2, gradientBound: 1, maxStaleness: 1000, %s: {}}\n";

  @TempDir private Path directory;
  private ReplayFolder folder;

  @BeforeEach
  void createFolder() {
    folder = new ReplayFolder(directory);
  }

  private List<ModelUpdate> replay(
      String spec, List<GradientReport.Builder> reports, String... more) throws Exception {
    return replayTo(STEEP.formatted(spec), reports, more);
  }

  private List<ModelUpdate> replayTo(
      String models, List<GradientReport.Builder> reports, String... more) throws Exception {
    folder.write("models.yaml", models);
    folder.writeJson("reports.jsonl", reports.stream().map(GradientReport.Builder::build).toList());
    String arguments =
        "--models models.yaml --reports reports.jsonl --updates updates.jsonl"
            + " --accounting accounting.jsonl";
    folder.run(arguments + String.join("", more)).succeeded();
    return folder.updates("updates.jsonl");
  }

  /** Reports of one user, each naming the newest round. */
  private static List<GradientReport.Builder> fresh(int count) {
    List<GradientReport.Builder> reports = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      reports.add(report("m", t, "ada", t, 1, -0.5));
    }
    return reports;
  }

  @Test
  void everyRoundIsWrittenRoundZeroFirst() throws Exception {
    List<ModelUpdate> updates = replay("", fresh(3));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 2L, 3L);
    assertThat(updates).extracting(ModelUpdate::getUsed).containsExactly(0L, 1L, 2L, 3L);
    assertThat(updates.get(0).getWeightsList()).containsExactly(0.0, 0.0);
    assertThat(updates.get(2).getWeightsList()).containsExactly(-2.0, 1.0);
    assertThat(updates.get(3).getAverageList()).hasSize(2);
  }

  @Test
  void anUpdateIsStampedWithItsLastReport() throws Exception {
    assertThat(replay("", fresh(3)))
        .extracting(ModelUpdate::getPublishedAtMs)
        .containsExactly(0L, 1_000L, 1_001L, 1_002L);
  }

  @Test
  void everyNthUpdateAndTheLastAreWritten() throws Exception {
    assertThat(replay("", fresh(7), " --updates-every 3"))
        .extracting(ModelUpdate::getRound)
        .containsExactly(0L, 3L, 6L, 7L);
    assertThat(replay("", fresh(6), " --updates-every 3"))
        .as("the last one is not written twice")
        .extracting(ModelUpdate::getRound)
        .containsExactly(0L, 3L, 6L);
    assertThat(replay("", List.of())).extracting(ModelUpdate::getRound).containsExactly(0L);
  }

  @Test
  void aRoundIsTheMeanOfItsReports() throws Exception {
    List<ModelUpdate> updates =
        replay(
            ", reportsPerRound: 2",
            List.of(report("m", 0, "ada", 1, 1, 0), report("m", 0, "bob", 1, 0, 0.5)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
    assertThat(updates.get(1).getWeightsList()).containsExactly(-0.5, -0.25);
  }

  @Test
  void anOpenRoundStaysOpenAndIsCounted() throws Exception {
    List<ModelUpdate> updates =
        replay(
            ", reportsPerRound: 2, roundTimeoutMs: 1",
            List.of(
                report("m", 0, "ada", 1, 1, 0),
                report("m", 0, "bob", 1, 1, 0),
                report("m", 1, "ada", 2, 1, 0).setCreatedAtMs(1L << 40)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L);
    assertThat(updates).extracting(ModelUpdate::getOpen).containsExactly(0L, 0L, 1L);
    assertThat(updates.get(2).getPublishedAtMs()).isEqualTo(1_001);
  }

  @Test
  void stalenessCountsRounds() throws Exception {
    List<GradientReport.Builder> reports = fresh(9);
    reports.add(report("m", 1, "bob", 1, 1, 1)); // 8 behind: used in round 10
    reports.add(report("m", 9, "ada", 9, 1, 1));
    reports.add(report("m", 1, "bob", 2, 1, 1)); // 9 behind

    ModelUpdate last = last(replay("", reports));

    assertThat(last.getUsed()).isEqualTo(11);
    assertThat(last.getDroppedStale()).isEqualTo(1);
    assertThat(last.getRound()).isEqualTo(10);
  }

  /** As on a topic whose model published every 20 reports. */
  @ParameterizedTest
  @ValueSource(strings = {"blackBox", "coordinateWise"})
  void aModelPublishesOnceAReportNamesItsLastRound(String learner) throws Exception {
    List<GradientReport.Builder> reports = new ArrayList<>();
    for (int t = 0; t < 200; t++) {
      reports.add(report("m", t / 20, "ada", t, 0.5, -0.5));
    }

    List<ModelUpdate> updates = replayTo(PARAMETER_FREE.formatted(learner), reports);

    assertThat(updates).extracting(ModelUpdate::getUsed).startsWith(0L, 1L, 21L, 41L);
    assertThat(last(updates).getRound()).isEqualTo(10);
    assertThat(last(updates).getUsed()).isEqualTo(181);
    assertThat(last(updates).getOpen()).isEqualTo(19);
  }

  @Test
  void maxStalenessComesFromTheSpec() throws Exception {
    List<GradientReport.Builder> reports = fresh(2);
    reports.add(report("m", 1, "bob", 1, 1, 1));

    assertThat(last(replay(", maxStaleness: 0", reports)).getDroppedStale()).isEqualTo(1);
    assertThat(last(replay(", maxStaleness: 1", reports)).getDroppedStale()).isZero();
  }

  @Test
  void aRoundThatIsYetToComeIsUnpublished() throws Exception {
    List<ModelUpdate> updates =
        replay("", List.of(report("m", 1, "ada", 1, 1, 1), report("m", 0, "ada", 2, 1, 1)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
    assertThat(last(updates).getDroppedUnpublished()).isEqualTo(1);
  }

  @Test
  void countsThatChangedAfterTheLastRoundAreWritten() throws Exception {
    List<ModelUpdate> updates =
        replay("", List.of(report("m", 0, "ada", 1, 1, 1), report("m", 5, "ada", 2, 1, 1)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L);
    assertThat(updates).extracting(ModelUpdate::getDroppedUnpublished).containsExactly(0L, 0L, 1L);
  }

  @Test
  void duplicatesAreFreeAndEnterNoRound() throws Exception {
    GradientReport.Builder first = report("m", 0, "ada", 1, 1, 1);

    List<ModelUpdate> updates =
        replay("", List.of(first, first, report("m", 1, "ada", 1, 0.5, 0.5)));

    assertThat(last(updates).getUsed()).isEqualTo(1);
    assertThat(folder.events("accounting.jsonl"))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(Outcome.ADMITTED, Outcome.DUPLICATE, Outcome.REFUSED_SEQUENCE);
    assertThat(folder.events("accounting.jsonl"))
        .extracting(event -> event.getUserTotals().getUndisclosed())
        .containsExactly(1L, 1L, 2L);
  }

  @Test
  void limitsAreRespected() throws Exception {
    List<ModelUpdate> updates =
        replay(
            ", limits: {epsilon: 4}",
            List.of(
                report("m", 0, "ada", 1, 0.1, 0),
                report("m", 0, "ada", 2, 0.1, 0)
                    .setL2Laplace(L2Laplace.newBuilder().setEpsilon(3))));

    assertThat(last(updates).getUsed()).isEqualTo(1);
    assertThat(folder.events("accounting.jsonl"))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(Outcome.REFUSED_DECLARATION, Outcome.ADMITTED);
  }

  @Test
  void everyReportIsAccountedWithItsLine() throws Exception {
    replay(
        ", reportBound: 1",
        List.of(
            report("m", 0, "ada", 1, 1, 0),
            report("m", 0, "bob", 1, 9, 9),
            report("other", 0, "bob", 2, 1, 0),
            report("m", 0, "bob", 3, 1, 0, 0)));

    assertThat(folder.events("accounting.jsonl"))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(
            Outcome.ADMITTED,
            Outcome.REFUSED_IMPLAUSIBLE,
            Outcome.REFUSED_UNKNOWN_MODEL,
            Outcome.REFUSED_DIMENSION);
    assertThat(folder.events("accounting.jsonl"))
        .extracting(
            event ->
                "%s-%d@%d"
                    .formatted(
                        event.getSource().getTopic(),
                        event.getSource().getPartition(),
                        event.getSource().getOffset()))
        .containsExactly(
            "reports.jsonl-0@1", "reports.jsonl-0@2", "reports.jsonl-0@3", "reports.jsonl-0@4");
  }

  @Test
  void theSeventeenthDeviceTakesThePlaceOfTheFirst() throws Exception {
    List<GradientReport.Builder> reports = new ArrayList<>();
    for (int device = 0; device < 17; device++) {
      reports.add(report("m", 0, "ada", 1, 0, 0).setDeviceId("phone " + device));
    }
    reports.add(report("m", 0, "ada", 1, 0, 0).setDeviceId("phone 0"));
    reports.add(report("m", 0, "ada", 2, 0, 0).setDeviceId("phone 0"));

    replay("", reports);

    assertThat(folder.events("accounting.jsonl"))
        .extracting(AccountingEvent::getOutcome)
        .endsWith(Outcome.ADMITTED, Outcome.REFUSED_SEQUENCE, Outcome.ADMITTED)
        .filteredOn(Outcome.ADMITTED::equals)
        .hasSize(18);
  }

  private static ModelUpdate last(List<ModelUpdate> updates) {
    return updates.get(updates.size() - 1);
  }
}
