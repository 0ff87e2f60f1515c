package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.Combined;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle.Outcome;
import io.croupier.schemas.Memory;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.assertj.core.util.DoubleComparator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A model that replays the journal publishes every update of the job again, bit for bit: after
 * restores and rescaling, in whole entries and in pieces, at low rates and in bursts.
 */
class JournalReplayTest {
  private static final int SMALL = 600;
  private static final int LARGE = 1 << 20;
  private static final int BURST = 300;

  /** Every report by its offset, as admitted by the ledger. */
  private final List<RoundSum> reports = new ArrayList<>();

  /** The bounds that a model whose clip moves has announced, by round. */
  private final Map<Long, Double> bounds = new HashMap<>();

  private boolean isScouting = true;

  private static List<ModelSpec.Builder> specs() {
    return List.of(
        TestRecords.sgd("sgd").setMaxStaleness(0),
        TestRecords.blackBox("black-box").setReportsPerRound(5).setRoundTimeoutMs(700),
        TestRecords.common("coordinates")
            .setCoordinateWise(CoordinateWise.getDefaultInstance())
            .setReportsPerRound(2),
        TestRecords.common("automatic")
            .setCombined(Combined.getDefaultInstance())
            .setMemory(Memory.newBuilder().setAutomatic(Memory.Automatic.getDefaultInstance())),
        TestRecords.asking(TestRecords.blackBox("asking")).setReportsPerRound(3).setMaxStaleness(2),
        TestRecords.movingClip("clip").setReportsPerRound(2),
        TestRecords.minutes("alone").setReportsPerRound(3).setMaxStaleness(2));
  }

  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"NEVER_STOPPED, " + LARGE, "RESCALED, " + SMALL, "LOST, " + SMALL})
  void replayPublishesTheSameUpdates(String run, int maxRecordBytes) throws Exception {
    assertSameUpdates(run, maxRecordBytes);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"NEVER_STOPPED, " + SMALL, "RESTORED, " + LARGE, "RESTORED, " + SMALL})
  void otherRunsPublishTheSameUpdates(String run, int maxRecordBytes) throws Exception {
    assertSameUpdates(run, maxRecordBytes);
  }

  private void assertSameUpdates(String run, int maxRecordBytes) throws Exception {
    boolean isLost = run.equals("LOST");
    Plan plan = isLost ? Plan.NEVER_STOPPED : Plan.valueOf(run);
    VisibleRecords visible = new VisibleRecords();
    SplittableRandom random = new SplittableRandom(71);
    JournalSettings journal = JournalSettings.on("gradients", maxRecordBytes);
    List<OutboundRecord> records;
    try (LearnerTasks learner =
        new LearnerTasks(Backend.HASH_MAP, plan, journal, LedgerStart.REBUILT, visible)) {
      Map<String, Long> rounds = new HashMap<>();
      for (ModelSpec.Builder spec : specs()) {
        learner.publish(0, spec);
        rounds.put(spec.getModelId(), 0L);
      }
      // Only this model takes a report before its first update.
      learner.report(bundle("black-box", 0, random));
      learner.barrier();
      int known = 0;
      for (int barrier = 0; barrier < 45; barrier++) {
        if (barrier == 20 && isLost) {
          lose(learner, visible, specs());
        }
        for (ModelSpec.Builder spec : specs()) {
          for (int i = random.nextInt(9) - 3; i > 0; i--) {
            // Scouting waits until most answers name the newest publication.
            int back = spec.hasAdaptiveClip() ? random.nextInt(4) / 3 : random.nextInt(4);
            long named = Math.max(0, rounds.get(spec.getModelId()) - back);
            learner.report(bundle(spec.getModelId(), named, random));
          }
        }
        if (barrier % 9 == 4) {
          for (ModelSpec.Builder spec : specs()) {
            burst(spec.getModelId(), rounds.get(spec.getModelId()), learner);
          }
        }
        learner.advanceTime(random.nextInt(6000));
        if (random.nextInt(5) == 0) {
          learner.failedBarrier();
        } else {
          learner.barrier();
        }
        for (; known < learner.updates().size(); known++) {
          ModelUpdate update = learner.updates().get(known);
          rounds.put(update.getModelId(), update.getRound());
          if (update.hasSize()) {
            bounds.put(update.getRound(), update.getGradientBound());
            isScouting = update.getQuestionProbability() == 1;
          }
        }
      }
      learner.report(bundle("black-box", rounds.get("black-box"), random));
      burst("sgd", rounds.get("sgd"), learner);
      learner.onEach(harness -> harness.endAllInputs());
      records = List.copyOf(learner.outputs());
    }

    Map<String, List<ModelUpdate>> published = new TreeMap<>();
    for (ModelUpdate update : TestRecords.updates(records)) {
      published.computeIfAbsent(update.getModelId(), id -> new ArrayList<>()).add(update);
    }
    for (ModelSpec.Builder spec : specs()) {
      String id = spec.getModelId();
      assertThat(published.get(id)).as(id).hasSizeGreaterThan(15);
      assertThat(published.get(id).get(published.get(id).size() - 1).getRound())
          .as(id)
          .isGreaterThan(8);
      assertThat(replay(spec.build(), JournalTest.entries(records)))
          .as(id)
          .isEqualTo(published.get(id).stream().map(JournalReplayTest::withoutTime).toList());
    }
    List<ModelUpdate> moving = published.get("clip");
    assertThat(moving).first().extracting(ModelUpdate::getQuestionProbability).isEqualTo(1.0);
    assertThat(moving).extracting(ModelUpdate::getGradientBound).hasSizeGreaterThan(10);
    assertThat(moving.get(moving.size() - 1).getQuestionProbability()).isEqualTo(0.02);
    assertThat(moving.get(moving.size() - 1).getDroppedBound()).isPositive();
    assertThat(moving.get(moving.size() - 1).getDroppedStale()).isPositive();
    assertThat(moving.get(moving.size() - 1).getUsed()).isGreaterThan(BURST);
    ModelUpdate asking = published.get("asking").get(published.get("asking").size() - 1);
    assertThat(asking.getAnswers()).isGreaterThan(4);
    assertThat(asking.getEstimatesList()).anyMatch(Estimate::hasFraction);
    assertThat(largestRound(JournalTest.entries(records), "sgd"))
        .as("a burst is one round")
        .isGreaterThanOrEqualTo(BURST);
    assertThat(JournalTest.entries(records))
        .flatExtracting(JournalEntry::getBundlesList)
        .as("updates without a new round, and a new round without a bundle")
        .anyMatch(JournalEntry.Bundle::getRoundHeld)
        .anyMatch(bundle -> bundle.getPublished() && !bundle.hasNamedRound());
    assertThat(JournalTest.entries(records))
        .flatExtracting(JournalEntry::getBundlesList)
        .flatExtracting(JournalEntry.Bundle::getPositionsList)
        .extracting(Position::getOffset)
        .as("every report exactly once")
        .doesNotHaveDuplicates()
        .hasSize(reports.size());
  }

  /**
   * A model with anonymous windows publishes rounds without reports, before and after a rebuild.
   */
  @Test
  void replayPublishesRoundsWithoutReports() throws Exception {
    ModelSpec.Builder spec = TestRecords.blackBox("m");
    spec.getAnonymousBuilder()
        .setPublications(1000)
        .addLevelsBuilder()
        .getPrivUnitBuilder()
        .setEpsilon(1);
    VisibleRecords visible = new VisibleRecords();
    JournalSettings journal = JournalSettings.on("gradients", LARGE);
    try (LearnerTasks learner =
        new LearnerTasks(
            Backend.HASH_MAP, Plan.NEVER_STOPPED, journal, LedgerStart.REBUILT, visible)) {
      learner.publish(0, spec);
      learner.barrier();
      for (int i = 0; i < 40; i++) {
        long newest = learner.lastUpdate().getRound();
        if (i % 4 == 0) {
          learner.report(positioned(TestRecords.dense("m", newest, 0.5, i / 100.0)));
          learner.report(positioned(TestRecords.dense("m", Math.max(0, newest - 2), -0.25, 0.5)));
        }
        if (i == 21) {
          lose(learner, visible, List.of(spec));
        }
        learner.barrier();
        learner.advanceTime(60_000);
      }
      List<ModelUpdate> updates = TestRecords.updates(learner.outputs());
      assertThat(updates.get(updates.size() - 1).getRound()).isGreaterThan(15);
      assertThat(updates.get(updates.size() - 1).getUsed()).isGreaterThan(15);
      assertThat(replay(spec.build(), JournalTest.entries(learner.outputs())))
          .isEqualTo(updates.stream().map(JournalReplayTest::withoutTime).toList());
    }
  }

  /** Only the visible updates are left, as after a rebuild of the ledger. */
  private static void lose(
      LearnerTasks learner, VisibleRecords visible, List<ModelSpec.Builder> specs)
      throws Exception {
    for (ModelUpdate update : TestRecords.updates(learner.outputs())) {
      visible.updates.put(update.getModelId(), update);
      visible.rounds.add(
          new PublishedRound(update.getModelId(), update.getRound(), update.getPublishedAtMs()));
    }
    learner.loseState();
    int before = learner.outputs().size();
    for (ModelSpec.Builder spec : specs) {
      learner.publish(0, spec);
    }
    learner.barrier();
    List<ModelUpdate> first =
        TestRecords.updates(learner.outputs().subList(before, learner.outputs().size()));
    assertThat(first).hasSameSizeAs(specs);
    for (ModelUpdate update : first) {
      ModelUpdate last = visible.updates.get(update.getModelId());
      assertThat(last.getUsed()).as(last.getModelId()).isPositive();
      assertThat(update.getRound()).isEqualTo(last.getRound() + 1);
      assertThat(update.getUsed()).isEqualTo(last.getUsed());
      assertThat(update.getWeightsList())
          .as(last.getModelId())
          .usingComparatorForType(new DoubleComparator(1e-15), Double.class)
          .isEqualTo(last.getAverageList());
      assertThat(update.getQuestionProbability()).isEqualTo(last.getQuestionProbability());
      assertThat(update.getGradientBound()).isEqualTo(last.getGradientBound());
    }
  }

  /** Sends many equal reports that name one round. */
  private void burst(String modelId, long namedRound, LearnerTasks learner) throws Exception {
    for (int i = 0; i < BURST; i++) {
      RoundSum report =
          modelId.equals("alone")
              ? TestRecords.answer(modelId, namedRound, "minutes", true)
              : bounded(TestRecords.dense(modelId, namedRound, 0.9, -0.1));
      learner.report(positioned(report));
    }
  }

  /** The number of reports in the largest round of a model. */
  private static int largestRound(List<JournalEntry> entries, String modelId) {
    int largest = 0;
    int open = 0;
    for (JournalEntry entry : entries) {
      if (entry.getModelId().equals(modelId)) {
        for (JournalEntry.Bundle bundle : entry.getBundlesList()) {
          open += bundle.getOutcome() == Outcome.TAKEN ? bundle.getPositionsCount() : 0;
          if (bundle.getPublished() && !bundle.getRoundHeld()) {
            largest = Math.max(largest, open);
            open = 0;
          }
        }
      }
    }
    return largest;
  }

  /** One report, or the sum of several that name the same round. */
  private RoundSum bundle(String modelId, long namedRound, SplittableRandom random) {
    if (modelId.equals("asking") && random.nextInt(2) == 0) {
      boolean bit = random.nextInt(4) > 0;
      return positioned(TestRecords.answer(modelId, namedRound, bit ? "a" : "b", bit));
    }
    if (modelId.equals("alone")) {
      return positioned(TestRecords.answer(modelId, namedRound, "minutes", random.nextBoolean()));
    }
    if (modelId.equals("clip") && random.nextInt(4) < (isScouting ? 3 : 1)) {
      return positioned(TestRecords.clipAnswer(modelId, namedRound, random.nextInt(3) > 0));
    }
    int form = random.nextInt(3);
    RoundSum first = report(modelId, namedRound, form, random);
    if (random.nextInt(5) > 0) {
      bounded(first);
    }
    Bundle bundle = new Bundle(first);
    for (int i = random.nextInt(3); i > 0; i--) {
      RoundSum next = report(modelId, namedRound, form, random);
      next.gradientBound = first.gradientBound;
      bundle.add(next);
    }
    return bundle.seal();
  }

  private RoundSum report(String modelId, long namedRound, int form, SplittableRandom random) {
    double x = random.nextDouble(-1, 1);
    RoundSum report =
        switch (form) {
          case 0 -> TestRecords.dense(modelId, namedRound, x, random.nextInt(2) == 0 ? -0.0 : 1e-9);
          case 1 -> TestRecords.grid(modelId, namedRound, random.nextInt(1 << 20), -7);
          default -> TestRecords.sparse(modelId, namedRound, 2, random.nextInt(2), x);
        };
    return positioned(report);
  }

  /** States the bound of the named round, where the clip moves. */
  private RoundSum bounded(RoundSum report) {
    if (report.modelId.equals("clip")) {
      report.gradientBound = bounds.getOrDefault(report.namedRound, 1.0);
    }
    return report;
  }

  private RoundSum positioned(RoundSum report) {
    report.partitions = new int[] {0};
    report.offsets = new long[] {reports.size()};
    reports.add(report);
    return report;
  }

  private List<ModelUpdate> replay(ModelSpec spec, List<JournalEntry> entries) {
    List<ModelUpdate> updates = new ArrayList<>();
    LiveModel model = LiveModel.begin(spec, 0);
    boolean begun = false;
    for (JournalEntry entry : entries) {
      if (!entry.getModelId().equals(spec.getModelId())) {
        continue;
      }
      for (JournalEntry.Bundle bundle : entry.getBundlesList()) {
        boolean begins = bundle.getPositionsCount() == 0 && bundle.hasNamedRound();
        if (!begun && !begins) {
          updates.add(update(model, true));
        }
        if (bundle.getContinued()) {
          model = LiveModel.begin(spec, 0);
          model.continueFrom(updates.get(updates.size() - 1));
        }
        begun = true;
        switch (bundle.getOutcome()) {
          case TAKEN -> model.add(sum(bundle));
          case DROPPED_STALE -> model.drop(BundleOutcome.DROPPED_STALE, sum(bundle).count);
          case DROPPED_UNPUBLISHED ->
              model.drop(BundleOutcome.DROPPED_UNPUBLISHED, sum(bundle).count);
          case DROPPED_BOUND -> model.drop(BundleOutcome.DROPPED_BOUND, sum(bundle).count);
          default -> assertThat(bundle.getPositionsCount()).isZero();
        }
        assertThat(bundle.hasClosedRound()).isFalse();
        if (bundle.getPublished()) {
          model.waitsFor(bundle.getWaitsFor());
          updates.add(update(model, !bundle.getRoundHeld()));
        }
      }
    }
    return updates;
  }

  private RoundSum sum(JournalEntry.Bundle journalled) {
    List<RoundSum> parts =
        journalled.getPositionsList().stream().map(p -> reports.get((int) p.getOffset())).toList();
    if (parts.size() == 1) {
      return parts.get(0);
    }
    Bundle bundle = new Bundle(parts.get(0));
    parts.stream().skip(1).forEach(bundle::add);
    return bundle.seal();
  }

  private static ModelUpdate update(LiveModel model, boolean mayOpenRound) {
    ModelUpdateView view = model.publish(mayOpenRound, 0).orElseThrow();
    OutboundRecord record =
        new OutboundRecord(OutboundRecord.Destination.UPDATES, new byte[0], view.toByteArray());
    return withoutTime(TestRecords.update(record));
  }

  private static ModelUpdate withoutTime(ModelUpdate update) {
    return update.toBuilder().clearPublishedAtMs().build();
  }
}
