package io.croupier.operators.flink.restart;

import static io.croupier.operators.flink.restart.RefusedStarts.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.ledger.LedgerTasks;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.junit.jupiter.api.Test;

/** Restored marks of the ledger against the records of progress. */
class StaleLedgerTest {
  private final VisibleRecords visible = new VisibleRecords();
  private long generation;

  /** A run of all subtasks. */
  private final class Run {
    private final List<LedgerProgress> subtasks = new ArrayList<>();

    Run(List<LedgerMark> marks, int parallelism) throws Exception {
      TopicEnd end = visible.progress(record -> true).end();
      for (int i = 0; i < parallelism; i++) {
        subtasks.add(new LedgerProgress(marks, 0, ++generation, end));
      }
    }

    void judge(int subtask, int partition, long offset) {
      subtasks.get(subtask).judged("reports", partition, offset);
      subtasks.get(subtask).wrote();
    }

    /** Writes the records of all subtasks but one, and returns the marks. */
    List<LedgerMark> checkpoint(int lost) {
      List<OutboundRecord> records = new ArrayList<>();
      List<LedgerMark> marks = new ArrayList<>();
      for (int i = 0; i < subtasks.size(); i++) {
        Optional<OutboundRecord> record = subtasks.get(i).record(i);
        if (i != lost) {
          record.ifPresent(records::add);
        }
        marks.add(subtasks.get(i).mark(1, i, subtasks.size()));
      }
      visible.commit(records);
      return marks;
    }

    List<LedgerMark> checkpoint() {
      return checkpoint(-1);
    }
  }

  private int start(List<LedgerMark> marks) throws Exception {
    return start(marks, 0);
  }

  private int start(List<LedgerMark> marks, int subtask) throws Exception {
    TaskInfo task = new TaskInfoImpl("ledger", 16, subtask, 2, 0);
    LedgerStartCheck check = new LedgerStartCheck(visible, task);
    return check.withState(marks, check.committed(marks));
  }

  private void assertStale(List<LedgerMark> marks, String... messages) {
    assertRefused(() -> start(marks), messages);
  }

  @Test
  void theNewestStateStarts() throws Exception {
    Run run = new Run(List.of(), 2);
    assertThat(start(run.checkpoint())).isZero();
    run.judge(0, 0, 7);
    assertThat(start(run.checkpoint())).isZero();
    List<LedgerMark> newest = run.checkpoint();
    run.checkpoint();
    assertThat(start(newest)).as("nothing was judged since").isZero();
  }

  @Test
  void anOlderStateIsRefused() throws Exception {
    Run run = new Run(List.of(), 2);
    List<LedgerMark> empty = run.checkpoint();
    run.judge(0, 0, 7);
    run.judge(1, 0, 9);
    List<LedgerMark> older = run.checkpoint();
    run.judge(0, 0, 8);
    run.judge(0, 3, 1);
    run.checkpoint();

    assertStale(
        older,
        "older than the visible accounts",
        "topic accounts has the report at reports-3 offset 1",
        "ends at offset -1",
        "--rebuild-ledger");
    assertStale(empty, "older than the visible accounts", "reports-0 offset");
    // Any subtask finds it.
    assertRefused(() -> start(older, 1), "older than the visible accounts");
  }

  /** Of a state's runs, only the next one may write. */
  @Test
  void aStateFromWhichAnotherRunHasContinuedIsRefused() throws Exception {
    Run first = new Run(List.of(), 2);
    first.judge(0, 0, 7);
    first.judge(1, 0, 8);
    List<LedgerMark> restored = first.checkpoint();

    Run second = new Run(restored, 2);
    Run third = new Run(restored, 2);
    assertThat(start(restored)).as("no run has written").isZero();
    second.judge(0, 0, 9);
    List<LedgerMark> ofSecond = second.checkpoint();
    assertStale(restored, "reports-0 offset 9");
    assertThat(start(ofSecond)).isZero();

    third.judge(0, 0, 9);
    List<LedgerMark> ofThird = third.checkpoint();
    assertStale(ofSecond, "Another job has continued", "topic progress", "subtask 0");
    assertThat(start(ofThird)).as("the last that has written").isZero();
  }

  @Test
  void recordsOfEarlierRunsDontCount() throws Exception {
    Run wide = new Run(List.of(), 3);
    wide.judge(0, 0, 7);
    wide.judge(2, 0, 9);
    Run narrow = new Run(wide.checkpoint(), 1);
    List<LedgerMark> idle = narrow.checkpoint();
    assertThat(start(idle)).isZero();
    narrow.judge(0, 0, 10);
    List<LedgerMark> marks = narrow.checkpoint();
    assertThat(start(marks)).isZero();
    Run wider = new Run(marks, 2);
    wider.judge(1, 0, 11);
    List<LedgerMark> last = wider.checkpoint();
    assertThat(start(last)).isZero();
    assertStale(marks, "reports-0 offset 11");
    assertStale(idle, "reports-0 offset 1");
  }

  @Test
  void lostTransactionsAreFound() throws Exception {
    Run run = new Run(List.of(), 2);
    run.judge(0, 0, 10);
    run.judge(1, 0, 11);
    run.checkpoint();
    run.judge(0, 0, 18);
    run.judge(0, 1, 4);
    run.judge(1, 0, 19);
    List<LedgerMark> marks = run.checkpoint(0);

    assertThat(start(marks)).as("11..18 of partition 0, 0..4 of partition 1").isEqualTo(2);
    assertThat(start(marks, 1)).as("the first subtask reports them").isZero();

    Run next = new Run(marks, 2);
    assertThat(start(next.checkpoint())).as("reported once").isZero();
    next.judge(1, 0, 20);
    assertThat(start(next.checkpoint(1))).as("the first record of a run").isEqualTo(1);
  }

  /** A sink commits the transactions that the state lists; the others may be aborted. */
  @Test
  void knowsWhichTransactionsTheStateLists() throws Exception {
    Run run = new Run(List.of(), 2);
    run.judge(1, 0, 7);
    List<LedgerMark> marks = run.checkpoint();
    VisibleRecords asking = new VisibleRecords();
    new LedgerStartCheck(asking, new TaskInfoImpl("ledger", 16, 0, 2, 0)).committed(marks);

    Predicate<ProgressRecord> listed = asking.listed;
    assertThat(listed.test(record(ProgressWriter.LEDGER, 1, 2, 1))).isTrue();
    assertThat(listed.test(record(ProgressWriter.LEDGER, 1, 2, 2)))
        .as("a failed checkpoint")
        .isFalse();
    assertThat(listed.test(record(ProgressWriter.LEDGER, 1, 3, 1))).as("another run").isFalse();
    assertThat(listed.test(record(ProgressWriter.LEDGER, 0, 2, 1))).as("another subtask").isFalse();
    assertThat(listed.test(record(ProgressWriter.LEARNER, 1, 3, 9)))
        .as("left to learners")
        .isTrue();
  }

  private static OfSubtask record(ProgressWriter writer, int index, long generation, long count) {
    return new OfSubtask(writer, index, generation, count, new SourcePositions());
  }

  @Test
  void aTopicThatWasCreatedAgainIsReplacedByTheEvents() throws Exception {
    Run run = new Run(List.of(), 2);
    run.judge(0, 0, 7);
    List<LedgerMark> marks = run.checkpoint();
    visible.events.add(LedgerTasks.event("u", "reports", 0, 7));
    visible.createProgressAgain();

    assertThat(start(marks)).isZero();
    visible.events.add(LedgerTasks.event("u", "reports", 0, 8));
    assertStale(marks, "reports-0 offset 8");
  }

  @Test
  void aStateOfRelease020IsComparedWithTheEvents() throws Exception {
    LedgerMark former = new LedgerMark();
    former.parallelism = 1;
    former.topics = new String[] {"reports"};
    former.partitions = new int[] {0};
    former.judged = new long[] {7};
    former.confirmed = new long[] {-1};
    former.unconfirmed = new long[] {7};

    assertThat(start(List.of(former))).as("no event").isEqualTo(1);
    visible.events.add(LedgerTasks.event("u", "reports", 0, 7));
    assertThat(start(List.of(former))).isZero();
    Run run = new Run(List.of(former), 2);
    run.judge(0, 0, 8);
    List<LedgerMark> next = run.checkpoint();
    visible.events.add(LedgerTasks.event("u", "reports", 0, 8));
    assertThat(start(next)).isZero();
    assertStale(List.of(former), "reports-0 offset 8");
  }
}
