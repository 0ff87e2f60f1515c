package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.ModelUpdate.Wait;
import io.croupier.schemas.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JournalTest extends UninterruptedLearner {
  @Override
  JournalSettings journal() {
    return JournalSettings.on("gradients", 1 << 20);
  }

  private void restart(JournalSettings journal) throws Exception {
    learner.close();
    learner = new LearnerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED, journal);
  }

  /** Sends the learner a sum of reports at successive offsets of partition 1. */
  private void report(long namedRound, long firstOffset, int count) throws Exception {
    learner.report(sum("m", namedRound, firstOffset, count));
  }

  private static RoundSum sum(String modelId, long namedRound, long firstOffset, int count) {
    RoundSum sum = TestRecords.dense(modelId, namedRound, 1, 0);
    sum.count = count;
    sum.partitions = IntStream.range(0, count).map(i -> 1).toArray();
    sum.offsets = IntStream.range(0, count).mapToLong(i -> firstOffset + i).toArray();
    return sum;
  }

  private List<JournalEntry> entries() {
    return entries(learner.outputs());
  }

  static List<JournalEntry> entries(List<OutboundRecord> records) {
    List<JournalEntry> entries = new ArrayList<>();
    for (OutboundRecord record : records) {
      if (record.destination == Destination.JOURNAL) {
        try {
          JournalEntry entry = JournalEntry.parseFrom(record.value);
          assertThat(record.key).isEqualTo(entry.getModelId().getBytes(UTF_8));
          entries.add(entry);
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError("Not a JournalEntry", e);
        }
      }
    }
    return entries;
  }

  private List<Bundle> bundles() {
    return entries().stream().flatMap(entry -> entry.getBundlesList().stream()).toList();
  }

  private static Bundle.Builder reports(long namedRound, long firstOffset, int count) {
    Bundle.Builder bundle =
        Bundle.newBuilder().setNamedRound(namedRound).setOutcome(Bundle.Outcome.TAKEN);
    for (int i = 0; i < count; i++) {
      bundle.addPositions(
          Position.newBuilder().setTopic("gradients").setPartition(1).setOffset(firstOffset + i));
    }
    return bundle;
  }

  @Test
  void usageExample() throws Exception {
    run(TestRecords.sgd("m"));
    report(0, 7, 1);
    report(0, 5, 1);
    assertThat(entries()).as("before the barrier").isEmpty();
    learner.barrier();
    report(1, 9, 1);
    learner.barrier();

    assertThat(entries())
        .containsExactly(
            JournalEntry.newBuilder()
                .setModelId("m")
                .addBundles(reports(0, 7, 1))
                .addBundles(reports(0, 5, 1).setPublished(true))
                .build(),
            JournalEntry.newBuilder()
                .setModelId("m")
                .addBundles(reports(1, 9, 1).setPublished(true))
                .build());
  }

  @Test
  void bundlesKeepTheOrderInWhichTheyWereAddedUp() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4));
    RoundSum first = sum("m", 0, 20, 3);
    first.offsets = new long[] {22, 20, 21};
    learner.report(first);
    report(0, 10, 2);
    report(0, 30, 1);
    learner.barrier();

    assertThat(bundles().get(0).getPositionsList())
        .extracting(Position::getOffset)
        .containsExactly(22L, 20L, 21L);
    assertThat(bundles().subList(1, 3))
        .containsExactly(reports(0, 10, 2).build(), reports(0, 30, 1).setPublished(true).build());
  }

  @Test
  void droppedReportsAreJournalledToo() throws Exception {
    run(TestRecords.sgd("m").setMaxStaleness(0));
    report(3, 1, 1);
    report(0, 2, 1);
    learner.barrier();
    report(0, 3, 2);
    learner.advanceTime(10_000);
    learner.barrier();

    assertThat(bundles())
        .containsExactly(
            reports(3, 1, 1).setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED).build(),
            reports(0, 2, 1).setPublished(true).build(),
            reports(0, 3, 2)
                .setOutcome(Bundle.Outcome.DROPPED_STALE)
                .setPublished(true)
                .setRoundHeld(true)
                .build());
    assertThat(learner.lastUpdate().getDroppedUnpublished()).isEqualTo(1);
    assertThat(learner.lastUpdate().getDroppedStale()).isEqualTo(2);
  }

  @Test
  void aRoundThatTimesOutIsPublishedWithoutABundle() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(4).setRoundTimeoutMs(100));
    report(0, 1, 1);
    learner.barrier();
    learner.advanceTime(100);
    learner.barrier();
    report(1, 2, 1);
    learner.advanceTime(100);
    learner.barrier();

    assertThat(bundles())
        .containsExactly(
            reports(0, 1, 1).build(),
            Bundle.newBuilder().setPublished(true).build(),
            reports(1, 2, 1).setPublished(true).build());
    assertThat(updates()).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 2L);
  }

  @Test
  void aReportThatWaitedForItsSpecIsJournalledWhenItIsTaken() throws Exception {
    run(TestRecords.sgd("m"));
    RoundSum ahead = sum("m", 0, 1, 1);
    ahead.specOffset = 3;
    learner.report(ahead);
    learner.barrier();
    assertThat(bundles()).isEmpty();
    learner.publish(3, TestRecords.sgd("m").setMaxStaleness(3));
    learner.barrier();
    assertThat(bundles()).containsExactly(reports(0, 1, 1).setPublished(true).build());
  }

  @Test
  void theUpdateOfAChangedSpecIsJournalledWithoutABundle() throws Exception {
    run(TestRecords.sgd("m"));
    learner.publish(1, TestRecords.sgd("m").setMaxStaleness(3));
    learner.barrier();
    assertThat(updates()).hasSize(2);
    assertThat(bundles())
        .containsExactly(Bundle.newBuilder().setPublished(true).setRoundHeld(true).build());
  }

  @Test
  void aHeldRoundIsJournalled() throws Exception {
    run(TestRecords.sgd("m"));
    report(0, 1, 1);
    learner.barrier();
    report(0, 2, 1);
    learner.barrier();
    learner.advanceTime(10_000);
    learner.barrier();
    report(1, 3, 1);
    learner.barrier();

    assertThat(bundles())
        .containsExactly(
            reports(0, 1, 1).setPublished(true).build(),
            reports(0, 2, 1).build(),
            Bundle.newBuilder()
                .setPublished(true)
                .setRoundHeld(true)
                .setWaitsFor(Wait.ANSWER)
                .build(),
            reports(1, 3, 1).setPublished(true).build());
    assertThat(updates()).extracting(ModelUpdate::getRound).containsExactly(0L, 1L, 1L, 2L);
  }

  @Test
  void theBeginningOfAModelWithReportsBeforeItsFirstUpdateIsJournalled() throws Exception {
    learner.publish(0, TestRecords.sgd("m"));
    report(0, 1, 1);
    learner.barrier();
    assertThat(bundles())
        .containsExactly(
            Bundle.newBuilder().setNamedRound(0).build(),
            reports(0, 1, 1)
                .setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED)
                .setPublished(true)
                .build());
    assertThat(learner.lastUpdate().getDroppedUnpublished()).isEqualTo(1);
  }

  @Test
  void theBeginningOfASuccessorOfARetiredModelIsJournalled() throws Exception {
    run(TestRecords.sgd("m").setReportsPerRound(2));
    report(0, 1, 1);
    learner.retire(1, "m");
    report(0, 2, 1);
    assertThat(bundles()).as("at the retirement").containsExactly(reports(0, 1, 1).build());
    learner.publish(2, TestRecords.sgd("m").setReportsPerRound(2));
    learner.barrier();
    RoundSum ofSuccessor = sum("m", 1, 3, 2);
    ofSuccessor.specOffset = 2;
    learner.report(ofSuccessor);
    learner.barrier();
    assertThat(bundles().subList(1, 3))
        .containsExactly(
            Bundle.newBuilder().setNamedRound(1).setPublished(true).build(),
            reports(1, 3, 2).setPublished(true).build());
    assertThat(bundles()).hasSize(3);
  }

  @Test
  void theEndOfTheInputEmitsEverything() throws Exception {
    run(TestRecords.sgd("m"));
    report(0, 1, 1);
    end();
    assertThat(bundles()).containsExactly(reports(0, 1, 1).setPublished(true).build());
  }

  @Test
  void piecesAreEmittedEarlyAndOnlyPublishedBundlesAreMarked() throws Exception {
    JournalSettings small = JournalSettings.on("gradients", 500);
    restart(small);
    run(TestRecords.sgd("m"));
    List<Bundle> expected = new ArrayList<>();
    int early = 0;
    for (int barrier = 0; barrier < 20; barrier++) {
      int before = entries().size();
      for (int i = 0; i < barrier; i++) {
        report(99, expected.size(), 1 + i % small.mostPositions());
        expected.add(
            reports(99, expected.size(), 1 + i % small.mostPositions())
                .setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED)
                .build());
      }
      early += entries().size() - before;
      learner.advanceTime(10_000);
      learner.barrier();
      if (barrier > 0) {
        int last = expected.size() - 1;
        expected.set(
            last, expected.get(last).toBuilder().setPublished(true).setRoundHeld(true).build());
      }
    }
    assertThat(early).as("entries between barriers").isGreaterThan(10);
    assertThat(bundles()).containsExactlyElementsOf(expected);
    assertThat(entries())
        .allSatisfy(
            entry -> assertThat(entry.getSerializedSize()).isBetween(1, small.entryBytes()));
  }

  @Test
  void modelsHaveSeparateEntries() throws Exception {
    run(TestRecords.sgd("m"));
    run(TestRecords.sgd("n"));
    learner.report(sum("m", 0, 1, 1));
    learner.report(sum("n", 0, 2, 1));
    learner.report(sum("m", 0, 3, 1));
    learner.barrier();
    assertThat(entries())
        .extracting(JournalEntry::getModelId, JournalEntry::getBundlesCount)
        .containsExactlyInAnyOrder(tuple("m", 2), tuple("n", 1));
  }

  @Test
  void nothingIsJournalledWhenItIsOff() throws Exception {
    restart(JournalSettings.OFF);
    run(TestRecords.sgd("m").setReportsPerRound(2).setRoundTimeoutMs(100));
    report(0, 1, 1);
    learner.advanceTime(100);
    report(0, 2, 1);
    learner.retire(1, "m");
    learner.publish(2, TestRecords.sgd("m"));
    learner.barrier();
    assertThat(entries()).isEmpty();
  }
}
