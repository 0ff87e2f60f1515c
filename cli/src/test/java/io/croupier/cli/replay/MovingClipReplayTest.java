package io.croupier.cli.replay;

import static io.croupier.cli.replay.ReplayFolder.recorded;
import static io.croupier.cli.replay.ReplayFolder.report;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.cli.CommandRun;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.JournalEntry.Bundle.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.RecordedReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replays of a model that finds its clip: scouting, rounds of several clips, and drops. */
class MovingClipReplayTest {
  private static final String SPEC =
      "model_id: 'm' dimension: 1 reports_per_round: 2 black_box {}"
          + " adaptive_clip { size: FEATURES slope_rule: true }";

  @TempDir private Path directory;
  private ReplayFolder folder;

  private final List<RecordedReport> reports = new ArrayList<>();
  private final JournalEntry.Builder journal = JournalEntry.newBuilder().setModelId("m");
  private final List<ModelUpdate> updates = new ArrayList<>();
  private final ReportDecoder decoder = new ReportDecoder();
  private ReportIntake intake;
  private LiveModel model;

  @BeforeEach
  void create() throws Exception {
    folder = new ReplayFolder(directory);
    folder.write(
        "models.yaml",
        "- {modelId: m, dimension: 1, reportsPerRound: 2, blackBox: {},"
            + " adaptiveClip: {size: FEATURES, slopeRule: true}}");
    ModelSpec spec = TextFormat.parse(SPEC, ModelSpec.class);
    intake = new ReportIntake(spec, 0);
    model = LiveModel.begin(spec, 0);
    publish();
  }

  /** Takes a report as the job does, and records it. */
  private BundleOutcome take(GradientReport.Builder report) {
    byte[] bytes = report.build().toByteArray();
    Received decoded =
        decoder.decode("ada".getBytes(StandardCharsets.UTF_8), bytes, false, Source.unknown(0));
    BundleOutcome outcome = model.add(intake.withoutUser((Report) decoded));
    Bundle.Builder bundle =
        Bundle.newBuilder()
            .setNamedRound(report.getRound())
            .addPositions(ReplayFolder.position(reports.size()))
            .setOutcome(
                switch (outcome) {
                  case DROPPED_STALE -> Outcome.DROPPED_STALE;
                  case DROPPED_UNPUBLISHED -> Outcome.DROPPED_UNPUBLISHED;
                  case DROPPED_BOUND -> Outcome.DROPPED_BOUND;
                  case OPEN, TALLIED -> Outcome.TAKEN;
                });
    reports.add(recorded(reports.size(), report));
    journal.addBundles(bundle);
    return outcome;
  }

  private BundleOutcome answer(long round, boolean isAbove) {
    GradientReport.Builder report = report("m", round, "ada", reports.size(), 0);
    report.getAnswerBuilder().setQuestion("clip").setBit(isAbove);
    report.getRandomisedResponseBuilder().setEpsilon(6);
    return take(report);
  }

  private BundleOutcome gradient(ModelUpdate read, double bound, double value) {
    return take(report("m", read.getRound(), "ada", reports.size(), value).setGradientBound(bound));
  }

  private ModelUpdate publish() throws Exception {
    long round = model.publishedRound();
    ModelUpdate update = ModelUpdate.parseFrom(model.publish(true, 0).orElseThrow().toByteArray());
    model.confirm();
    updates.add(update);
    int last = journal.getBundlesCount() - 1;
    if (last >= 0) {
      Bundle.Builder bundle = journal.getBundlesBuilder(last).setPublished(true);
      if (model.publishedRound() == round) {
        bundle.setRoundHeld(true);
      }
    }
    return update;
  }

  private CommandRun run(String options) throws Exception {
    folder.writeJson("reports.jsonl", reports);
    folder.writeJson("journal.jsonl", List.of(journal.build()));
    return folder.run("--models models.yaml --reports reports.jsonl" + options);
  }

  private void playScouting() throws Exception {
    ModelUpdate read = updates.get(0);
    assertThat(gradient(read, 1, 0.5)).isEqualTo(BundleOutcome.DROPPED_STALE);
    for (int i = 0; read.getQuestionProbability() == 1; i++) {
      for (int j = 0; j < 3; j++) {
        assertThat(answer(read.getRound(), (i + j) % 3 > 0)).isEqualTo(BundleOutcome.TALLIED);
      }
      read = publish();
    }
    assertThat(read.getRound()).isEqualTo(6);
  }

  @Test
  void theUpdatesAreThoseOfTheJob() throws Exception {
    playScouting();
    assertThat(answer(3, true)).isEqualTo(BundleOutcome.DROPPED_STALE);
    for (int i = 0; i < 8; i++) {
      ModelUpdate read = updates.get(updates.size() - 1);
      double bound = read.getGradientBound();
      gradient(read, bound, -bound);
      assertThat(gradient(read, bound / 2, -0.5)).isEqualTo(BundleOutcome.DROPPED_BOUND);
      if (i > 0) {
        ModelUpdate late = updates.get(updates.size() - 2);
        gradient(late, late.getGradientBound(), -0.1);
      }
      gradient(read, bound, bound / 3);
      answer(read.getRound(), i % 3 > 0);
      publish();
    }
    ModelUpdate last = updates.get(updates.size() - 1);
    assertThat(last.getRound()).isGreaterThan(12);
    assertThat(last.getDroppedBound()).isEqualTo(8);
    assertThat(updates).extracting(ModelUpdate::getGradientBound).hasSize(15);

    CommandRun run = run(" --journal journal.jsonl --updates updates.jsonl").succeeded();
    assertThat(folder.updates("updates.jsonl"))
        .extracting(update -> update.toBuilder().setPublishedAtMs(0).build())
        .isEqualTo(updates);
    assertThat(run.out()).contains("other bound");
  }

  @Test
  void aJournalOfAnotherClipIsRefused() throws Exception {
    playScouting();
    ModelUpdate read = updates.get(updates.size() - 1);
    gradient(read, read.getGradientBound() * 2, 0.5);
    journal
        .getBundlesBuilder(journal.getBundlesCount() - 1)
        .setOutcome(Outcome.TAKEN)
        .setPublished(true);
    run(" --journal journal.jsonl")
        .assertRefused(
            "the journal contains it as used, but in the replay round 6 has another gradient"
                + " bound");
  }

  @Test
  void aReplayNeedsTheJournal() throws Exception {
    run("")
        .assertRefused("model 'm': a model with an adaptive clip is replayed with --journal only");
  }
}
