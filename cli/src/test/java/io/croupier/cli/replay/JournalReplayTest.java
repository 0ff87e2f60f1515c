package io.croupier.cli.replay;

import static io.croupier.cli.replay.ReplayFolder.dense;
import static io.croupier.cli.replay.ReplayFolder.recorded;
import static io.croupier.cli.replay.ReplayFolder.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.CommandRun;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.RecordedReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hand-written journals: the replay follows them, or reports why it can't. */
class JournalReplayTest {

  @TempDir private Path directory;
  private ReplayFolder folder;
  private final List<RecordedReport> reports = new ArrayList<>();

  @BeforeEach
  void createFolder() throws Exception {
    folder = new ReplayFolder(directory);
    models(", reportsPerRound: 2");
  }

  private void models(String more) throws Exception {
    folder.write(
        "models.yaml",
        "- {modelId: m, dimension: 1, gradientBound: 1, ldpSgd: {stepSize: 1, decay: 0}%s}"
            .formatted(more));
  }

  /** Records a report at the next offset. */
  private void record(long round, double value) {
    record(report("m", round, "ada", reports.size(), value));
  }

  private void record(GradientReport.Builder report) {
    reports.add(recorded(reports.size(), report));
  }

  private static Bundle.Builder bundle(long round, long... offsets) {
    Bundle.Builder bundle = Bundle.newBuilder().setNamedRound(round);
    for (long offset : offsets) {
      bundle.addPositions(ReplayFolder.position(offset)).setOutcome(Bundle.Outcome.TAKEN);
    }
    return bundle;
  }

  private static JournalEntry entry(Bundle.Builder... bundles) {
    JournalEntry.Builder entry = JournalEntry.newBuilder().setModelId("m");
    for (Bundle.Builder bundle : bundles) {
      entry.addBundles(bundle);
    }
    return entry.build();
  }

  private CommandRun run(List<JournalEntry> journal, String options) throws Exception {
    folder.writeJson("reports.jsonl", reports);
    folder.writeJson("journal.jsonl", journal);
    return folder.run(
        "--models models.yaml --reports reports.jsonl --journal journal.jsonl"
            + " --updates updates.jsonl"
            + options);
  }

  private List<ModelUpdate> replay(JournalEntry... journal) throws Exception {
    run(List.of(journal), "").succeeded();
    return folder.updates("updates.jsonl");
  }

  private static List<Double> weights(List<ModelUpdate> updates) {
    return updates.stream().map(update -> update.getWeights(0)).toList();
  }

  @Test
  void usageExample() throws Exception {
    record(0, 1);
    record(0, 2);
    record(1, 0.5);

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 0, 1).setPublished(true)),
            entry(bundle(1, 2).setPublished(true).setRoundHeld(true).setWaitsFor(Wait.REPORTS)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L);
    assertThat(updates).extracting(ModelUpdate::getOpen).containsExactly(0L, 0L, 1L);
    assertThat(updates)
        .extracting(ModelUpdate::getWaitsFor)
        .containsExactly(Wait.WAIT_UNSPECIFIED, Wait.WAIT_UNSPECIFIED, Wait.REPORTS);
    assertThat(updates)
        .extracting(ModelUpdate::getPublishedAtMs)
        .containsExactly(0L, 1_001L, 1_001L);
    assertThat(weights(updates)).containsExactly(0.0, -1.5, -1.5);
  }

  @Test
  void aRoundDoesNotDependOnTheOrderOfItsReports() throws Exception {
    models("");
    record(0, 0.1);
    record(0, 0.7);
    record(0, -0.3);

    List<ModelUpdate> inOrder =
        replay(entry(bundle(0, 0), bundle(0, 1), bundle(0, 2).setPublished(true)));
    assertThat(inOrder).extracting(ModelUpdate::getRound).containsExactly(0L, 1L);
    assertThat(inOrder.get(1).getWeights(0)).isCloseTo(-0.5 / 3, within(1e-7));

    assertThat(weights(replay(entry(bundle(0, 2, 0), bundle(0, 1).setPublished(true)))))
        .isEqualTo(weights(inOrder));
    assertThat(weights(replay(entry(bundle(0, 1, 2, 0).setPublished(true)))))
        .isEqualTo(weights(inOrder));
  }

  /** The recording lacks the days of a period, and who was erased or stopped. */
  @Test
  void whatTheJobUsedIsWithinItsLimits() throws Exception {
    models(", limits: {reports: 1, perDays: 7}");
    record(0, 0.5);
    record(0, 0.25);
    record(0, 0.75);

    List<ModelUpdate> updates = replay(entry(bundle(0, 2, 0).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getUsed).containsExactly(0L, 2L);
    assertThat(weights(updates)).containsExactly(0.0, -0.625);
  }

  @Test
  void droppedBundlesAreCountedAtTheirPlace() throws Exception {
    models(", maxStaleness: 0");
    record(0, 1);
    record(0, 1);
    record(0, 1);

    List<ModelUpdate> updates =
        replay(
            entry(
                bundle(0, 1).setPublished(true),
                bundle(0, 0, 2)
                    .setOutcome(Bundle.Outcome.DROPPED_STALE)
                    .setPublished(true)
                    .setRoundHeld(true)));

    assertThat(updates).extracting(ModelUpdate::getDroppedStale).containsExactly(0L, 0L, 2L);
    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L);
  }

  /** Only the job knows which publications were visible, so the replay adopts its decisions. */
  @Test
  void theJournalDeterminesDrops() throws Exception {
    models(", maxStaleness: 0");
    record(0, 1);
    record(0, 1);
    record(1, 1);
    record(5, 1);

    List<ModelUpdate> updates =
        replay(
            entry(
                bundle(0, 0).setPublished(true),
                bundle(0, 1),
                bundle(1, 2).setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getUsed).containsExactly(0L, 1L, 2L);
    assertThat(updates).extracting(ModelUpdate::getDroppedUnpublished).containsExactly(0L, 0L, 1L);

    assertRefused(
        "the journal contains it as used, but in the replay round 5 takes no such report, is too"
            + " old or was never published",
        entry(bundle(5, 3)));
  }

  @Test
  void aModelThatWaitsKeepsItsWeights() throws Exception {
    models("");
    record(0, 2);
    record(0, 1);

    List<ModelUpdate> updates =
        replay(
            entry(
                bundle(0, 0).setPublished(true).setRoundHeld(true).setWaitsFor(Wait.VISIBILITY),
                bundle(0, 1)),
            entry(Bundle.newBuilder().setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 0L, 1L);
    assertThat(weights(updates)).containsExactly(0.0, 0.0, -1.5);
    assertThat(updates).extracting(ModelUpdate::getUsed).containsExactly(0L, 0L, 2L);
    assertThat(updates).extracting(ModelUpdate::getOpen).containsExactly(0L, 1L, 0L);
    assertThat(updates.get(1).getWaitsFor()).isEqualTo(Wait.VISIBILITY);
  }

  @Test
  void aRoundMayHaveFewerReportsThanTheSpecRequires() throws Exception {
    record(0, 1);
    record(1, 2);

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 0), Bundle.newBuilder().setPublished(true)),
            entry(bundle(1, 1).setPublished(true).setRoundHeld(true)));

    assertThat(weights(updates)).containsExactly(0.0, -1.0, -1.0);
    assertThat(updates).extracting(ModelUpdate::getOpen).containsExactly(0L, 0L, 1L);
    assertThat(updates)
        .extracting(ModelUpdate::getPublishedAtMs)
        .containsExactly(0L, 1_000L, 1_000L);
  }

  @Test
  void withAnonymousWindowsARoundMayHaveNoReports() throws Exception {
    models(", anonymous: {publications: 4, levels: [{privUnit: {epsilon: 1}}]}, maxStaleness: 1");
    record(0, 1);
    record(2, 2);

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 0).setPublished(true)),
            entry(Bundle.newBuilder().setPublished(true)),
            entry(Bundle.newBuilder().setPublished(true)),
            entry(bundle(2, 1).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(weights(updates)).containsExactly(0.0, -1.0, -1.0, -1.0, -3.0);
  }

  @Test
  void roundsMayBeginAboveZero() throws Exception {
    record(7, 1);
    record(7, 1);
    record(0, 1);

    List<ModelUpdate> updates =
        replay(
            entry(
                bundle(7).setPublished(true),
                bundle(0, 2).setOutcome(Bundle.Outcome.DROPPED_STALE),
                bundle(7, 0, 1).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(7L, 8L);
    assertThat(updates.get(1).getDroppedStale()).isEqualTo(1);
  }

  @Test
  void whatComesBeforeTheInitialUpdateIsDropped() throws Exception {
    record(0, 1);

    List<ModelUpdate> updates =
        replay(
            entry(
                bundle(0),
                bundle(0, 0).setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L);
    assertThat(updates).extracting(ModelUpdate::getDroppedUnpublished).containsExactly(1L);
  }

  @Test
  void aModelMayBeginAgain() throws Exception {
    models("");
    record(0, 1);
    record(2, 2);

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 0).setPublished(true)),
            entry(bundle(2).setPublished(true), bundle(2, 1).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 2L, 3L);
    assertThat(weights(updates)).containsExactly(0.0, -1.0, 0.0, -2.0);
  }

  /** After a rebuild of the ledger. */
  @Test
  void aModelWhoseStateWasLostContinuesFromItsLastUpdate() throws Exception {
    models("");
    record(0, 2);
    record(1, 1);
    record(3, 1);
    Bundle.Builder continued = Bundle.newBuilder().setNamedRound(3).setContinued(true);

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 0).setPublished(true), bundle(1, 1).setPublished(true)),
            entry(continued.clone().setPublished(true)),
            entry(bundle(3, 2).setPublished(true)));

    assertThat(updates).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(updates).extracting(ModelUpdate::getUsed).containsExactly(0L, 1L, 2L, 2L, 3L);
    double average = updates.get(2).getAverage(0);
    assertThat(average).isNotEqualTo(updates.get(2).getWeights(0));
    assertThat(updates.get(3).getWeights(0)).isEqualTo(average);
    assertThat(updates.get(4).getWeights(0)).isCloseTo(average - 1, within(1e-7));

    assertRefused(
        "the model continues from an update that the journal doesn't contain",
        entry(continued.clone()));
    assertRefused(
        "the model continues, but in the replay its next round is 2",
        entry(bundle(0, 0).setPublished(true)),
        entry(continued.clone()));
  }

  @Test
  void aModelWithoutAJournalPublishesOnlyRoundZero() throws Exception {
    record(0, 1);

    run(List.of(), "").printed("1 of them are not in the journal");
    assertThat(folder.updates("updates.jsonl"))
        .extracting(ModelUpdate::getRound)
        .containsExactly(0L);
  }

  @Test
  void everyNthUpdateAndTheLastAreWritten() throws Exception {
    models("");
    JournalEntry.Builder entry = JournalEntry.newBuilder().setModelId("m");
    for (int i = 0; i < 5; i++) {
      record(i, 1);
      entry.addBundles(bundle(i, i).setPublished(true));
    }

    run(List.of(entry.build()), " --updates-every 2").succeeded();
    assertThat(folder.updates("updates.jsonl"))
        .extracting(ModelUpdate::getRound)
        .containsExactly(0L, 2L, 4L, 5L);
  }

  @Test
  void aBinaryJournalGivesTheSameUpdates() throws Exception {
    record(0, 1);
    record(0, 3);
    JournalEntry entry = entry(bundle(0, 0, 1).setPublished(true));
    replay(entry);
    byte[] expected = Files.readAllBytes(directory.resolve("updates.jsonl"));
    folder.writeBinary("journal.bin", List.of(entry));
    folder.writeBinary("reports.bin", reports);

    folder.run(
        "--models models.yaml --reports reports.bin --journal journal.bin --format protobuf"
            + " --updates binary.jsonl");

    assertThat(directory.resolve("binary.jsonl")).hasBinaryContent(expected);
  }

  @Test
  void entriesOfOtherModelsAreSkipped() throws Exception {
    record(0, 1);
    record(report("other", 0, "ada", 1, 1));

    List<ModelUpdate> updates =
        replay(
            entry(bundle(0, 1)).toBuilder().setModelId("other").build(),
            entry(bundle(0, 0).setPublished(true).setRoundHeld(true)));

    assertThat(updates).extracting(ModelUpdate::getOpen).containsExactly(0L, 1L);
  }

  @Test
  void aMissingReportIsReported() throws Exception {
    record(0, 1);

    assertRefused(
        "model 'm', round 0, the bundle that begins at gradients-0@0: the report at gradients-0@1"
            + " is missing, or",
        entry(bundle(0, 0, 1)));
    assertRefused("journal.jsonl, line 1: model 'm'", entry(bundle(0, 0, 1)));
  }

  @Test
  void aRefusedReportIsReported() throws Exception {
    models(", reportBound: 2");
    record(0, 1);
    record(0, 3);

    assertRefused(
        "the report at gradients-0@1 has the verdict REFUSED_IMPLAUSIBLE",
        entry(bundle(0, 0), bundle(0, 1)));
    assertRefused(
        "the report at gradients-0@1 has the verdict REFUSED_IMPLAUSIBLE", entry(bundle(0, 1)));
  }

  @Test
  void refusedReportsAreNotKept() throws Exception {
    models(", reportBound: 2");
    record(0, 3);
    record(0, 1);

    assertRefused(
        "the report at gradients-0@0 is missing, or occurs earlier and is refused",
        entry(bundle(0, 1), bundle(0, 0)));
  }

  @Test
  void aRoundWithoutReportsIsReported() throws Exception {
    record(0, 1);

    String message =
        "in the journal a new round was published, but in the replay there are no reports";
    assertRefused(
        "round 0, a bundle of no reports: " + message,
        entry(Bundle.newBuilder().setPublished(true)));
    assertRefused(
        "round 1, a bundle of no reports: " + message,
        entry(bundle(0, 0).setPublished(true), Bundle.newBuilder().setPublished(true)));
  }

  @Test
  void aJournalOfAnEarlierReleaseIsReported() throws Exception {
    record(0, 1);
    record(0, 1);

    String message =
        "the journal is of release 0.2.0 or earlier, where a round could close between two"
            + " publications: replay it with that release";
    assertRefused(
        "round 0, the bundle that begins at gradients-0@0: " + message,
        entry(bundle(0, 0, 1).setClosedRound(0).setPublished(true)));
    assertRefused(
        "a bundle of no reports: " + message,
        entry(bundle(0, 0), Bundle.newBuilder().setClosedRound(0).setPublished(true)));
    assertRefused("round 0, the bundle", entry(bundle(0, 0).clearOutcome().setPublished(true)));
    assertRefused(message, entry(bundle(0, 0).clearOutcome().setPublished(true)));
  }

  @Test
  void aBundleThatDoesNotMatchItsReportsIsReported() throws Exception {
    record(1, 1);
    record(report("m", 0, "ada", 1, 1).setGrid(Grid.newBuilder().addValues(5)));
    record(report("m", 0, "ada", 2, 1).setDense(dense(1)));
    folder.write(
        "models.yaml",
        """
        - {modelId: m, dimension: 1, gradientBound: 1, reportsPerRound: 2, blackBox: {}}
        - {modelId: n, dimension: 1, gradientBound: 1, blackBox: {}}
        """);

    assertRefused("gradients-0@0 names round 1, but its bundle names round 0", entry(bundle(0, 0)));
    assertRefused(
        "A GRID_SUM report of dimension 1 in a bundle of GRID reports", entry(bundle(0, 1, 2)));
    assertRefused(
        "the report at gradients-0@2 belongs to another model",
        entry(bundle(0, 2)).toBuilder().setModelId("n").build());
  }

  @Test
  void aFailedReplayNamesIncompleteFiles() throws Exception {
    record(0, 1);

    assertRefused(
        "; these files are incomplete: " + folder.path("updates.jsonl"),
        entry(bundle(0, 0).setPublished(true).setRoundHeld(true), bundle(0, 1)));
    assertThat(folder.updates("updates.jsonl")).hasSize(2);
  }

  @Test
  void reportsNeedTheirPositions() throws Exception {
    folder.writeJson("journal.jsonl", List.of(entry(bundle(0, 0))));
    folder.write("reports.jsonl", "\n" + ReplayFolder.json(report("m", 0, "ada", 1, 1).build()));

    folder
        .run("--models models.yaml --reports reports.jsonl --journal journal.jsonl")
        .assertRefused("reports.jsonl, line 2: the report has no topic, partition and offset");
  }

  private void assertRefused(String message, JournalEntry... journal) throws Exception {
    run(List.of(journal), "").assertRefused(message);
  }
}
