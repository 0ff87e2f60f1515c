package io.croupier.operators.flink.restart;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LearnerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.operators.report.DigestKey;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.TaskInfoImpl;
import org.junit.jupiter.api.Test;

/** The last rounds of a learner's models, in its state and on the progress topic. */
class StaleLearnerTest {
  private static final long NOW_MS = 1_000_000;

  private final VisibleRecords visible = new VisibleRecords();

  private LastRounds start(List<LearnerMark> marks) throws Exception {
    return start(marks, visible);
  }

  private static LastRounds start(List<LearnerMark> marks, VisibleRecords visible)
      throws Exception {
    return LastRounds.start(
        !marks.isEmpty(),
        new JobStart(LedgerStart.REQUIRE_STATE, visible, new DigestKey(1, 2)),
        marks,
        new TaskInfoImpl("learner", 16, 0, 1, 0));
  }

  private static List<String> keys(List<OutboundRecord> records) {
    return records.stream().map(record -> new String(record.key, UTF_8)).toList();
  }

  private static List<OutboundRecord> restored(LastRounds rounds) {
    List<OutboundRecord> records = new ArrayList<>();
    rounds.recordRestored(records::add);
    return records;
  }

  /** A mark of release 0.2.0, in which the model has published its round 5. */
  private static LearnerMark former() {
    LearnerMark mark = new LearnerMark();
    mark.takenMs = NOW_MS;
    mark.modelIds = new String[] {"resting"};
    mark.rounds = new long[] {5};
    return mark;
  }

  @Test
  void aStateOfRelease020IsComparedWithUpdatesOnceAndThenRecorded() throws Exception {
    visible.onlyUpdates = true;
    visible.rounds.add(new PublishedRound("resting", 5, NOW_MS));
    LastRounds first = start(List.of(former()));
    List<OutboundRecord> records = restored(first);
    assertThat(keys(records)).containsExactly("model/resting");
    assertThat(restored(first)).as("once").isEmpty();
    visible.commit(records);

    LearnerMark mark = first.mark(NOW_MS);
    LastRounds second = start(List.of(mark));
    assertThat(restored(second)).isEmpty();
    assertThat(second.first("resting")).isEqualTo(6);
    second.requireOwn("resting", NOW_MS);
    assertThat(second.isLost("resting", NOW_MS)).isFalse();

    visible.rounds.add(new PublishedRound("resting", 6, NOW_MS));
    assertThat(start(List.of(mark)).first("resting"))
        .as("updates aren't read any more")
        .isEqualTo(6);
    assertRefused(() -> start(List.of(former())), "round 6 of model resting", "ends at round 5");
  }

  @Test
  void aStateOfRelease020IsOlderThanWhatThisReleaseHasRecorded() throws Exception {
    visible.onlyUpdates = true;
    visible.commit(List.of(new PublishedRound("resting", 6, NOW_MS).write()));
    assertRefused(() -> start(List.of(former())), "round 6 of model resting");
  }

  /** Updates of any age are compared. */
  @Test
  void aRoundThatIsNotRecordedIsLost() throws Exception {
    LastRounds first = start(List.of());
    first.raise("m", 3);
    visible.commit(List.of(new PublishedRound("m", 2, 1).write()));
    LastRounds second = start(List.of(first.mark(NOW_MS)));
    assertThat(second.isLost("m", 1)).isTrue();
    assertThat(keys(restored(second))).containsExactly("model/m");
  }

  /** If the topic was created again, no round is on it; those on the updates topic are visible. */
  @Test
  void aTopicThatWasCreatedAgainIsFilled() throws Exception {
    LastRounds first = start(List.of());
    first.raise("m", 3);
    LearnerMark mark = first.mark(NOW_MS);
    visible.createProgressAgain();
    visible.onlyUpdates = true;
    visible.rounds.add(new PublishedRound("m", 3, NOW_MS));
    LastRounds second = start(List.of(mark));
    assertThat(second.isLost("m", NOW_MS)).isFalse();
    assertThat(keys(restored(second))).containsExactly("model/m");
    visible.rounds.add(new PublishedRound("m", 4, NOW_MS));
    assertRefused(() -> start(List.of(mark)), "round 4 of model m");
  }

  @Test
  void withoutStateTheRecordsSuffice() throws Exception {
    visible.onlyUpdates = true;
    visible.rounds.add(new PublishedRound("m", 9, NOW_MS));
    assertThat(start(List.of()).first("m")).as("there are no records").isEqualTo(10);
    visible.commit(List.of(new PublishedRound("m", 11, NOW_MS).write()));
    assertThat(start(List.of()).first("m")).isEqualTo(12);
  }

  /** The first record of a transaction shows whether the state contains it. */
  @Test
  void theSubtasksRecordIsOnceInEachTransaction() throws Exception {
    LastRounds rounds = start(List.of());
    OfSubtask first = read(rounds.ofSubtask().orElseThrow());
    assertThat(first.writer()).isEqualTo(ProgressWriter.LEARNER);
    assertThat(first.count()).isEqualTo(1);
    assertThat(rounds.ofSubtask()).isEmpty();
    rounds.barrier();
    LearnerMark mark = rounds.mark(NOW_MS);
    OfSubtask second = read(rounds.ofSubtask().orElseThrow());
    assertThat(second.count()).isEqualTo(2);
    assertThat(second.generation()).isEqualTo(first.generation());

    VisibleRecords visible = new VisibleRecords();
    start(List.of(mark), visible);
    assertThat(visible.listed.test(first)).isTrue();
    assertThat(visible.listed.test(second)).as("of a failed checkpoint").isFalse();
    assertThat(visible.listed.test(new PublishedRound("m", 1, 1))).isTrue();
  }

  private static OfSubtask read(OutboundRecord record) throws Exception {
    return (OfSubtask) ProgressRecord.read(record.key, record.value);
  }
}
