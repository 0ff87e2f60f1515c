package io.croupier.job.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.croupier.job.restart.SubtaskBarrier.ArrivalAggregate;
import io.croupier.job.restart.SubtaskBarrier.ArrivedSubtasks;
import java.util.AbstractMap.SimpleEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arrived subtasks over several starts of a job. */
class SubtaskBarrierTest {
  private final ArrivalAggregate aggregate = new ArrivalAggregate();
  private ArrivedSubtasks arrived = aggregate.createAccumulator();

  private boolean all(int subtask, int parallelism, int attempt) {
    return arrive(subtask, parallelism, attempt, Map.of()).getKey();
  }

  private SimpleEntry<Boolean, Map<String, long[]>> arrive(
      int subtask, int parallelism, int attempt, Map<String, long[]> found) {
    arrived = aggregate.add(SubtaskBarrier.arrival(subtask, parallelism, attempt, found), arrived);
    return aggregate.getResult(arrived);
  }

  @Test
  void isCompleteWhenAllHaveArrived() {
    assertThat(all(0, 3, 0)).isFalse();
    assertThat(all(0, 3, 0)).isFalse();
    assertThat(all(2, 3, 0)).isFalse();
    assertThat(all(1, 3, 0)).isTrue();
    assertThat(all(0, 3, 0)).isTrue();
  }

  /** The class loader that deserializes calls and answers lacks the classes of the job's jar. */
  @Test
  void callsAndAnswersUseNoClassOfTheJob() throws Exception {
    Map<String, long[]> found = Map.of("m", new long[] {3, 5});
    arrive(0, 2, 0, found);
    for (Object sent : List.of(SubtaskBarrier.arrival(0, 2, 0, found), arrive(1, 2, 0, found))) {
      byte[] bytes = InstantiationUtil.serializeObject(sent);
      Object read =
          InstantiationUtil.deserializeObject(bytes, ClassLoader.getPlatformClassLoader());
      assertThat(read).isInstanceOf(SimpleEntry.class);
      Object map = ((SimpleEntry<?, ?>) read).getValue();
      assertThat((long[]) ((HashMap<?, ?>) map).get("m")).containsExactly(3, 5);
    }
  }

  @Test
  void allMustArriveAgainAfterARestart() {
    assertThat(all(0, 2, 0)).isFalse();
    assertThat(all(1, 2, 0)).isTrue();

    assertThat(all(1, 2, 1)).isFalse();
    assertThat(all(0, 2, 1)).isTrue();
  }

  @Test
  void arrivalsBeforeAFailureDoNotCount() {
    assertThat(all(0, 2, 0)).isFalse();

    assertThat(all(1, 2, 1)).isFalse();
    assertThat(all(0, 2, 1)).isTrue();
  }

  @Test
  void subtasksOfALaterRescalingHaveFewerAttempts() {
    assertThat(all(0, 2, 4)).isFalse();
    assertThat(all(1, 2, 4)).isTrue();

    assertThat(all(2, 3, 0)).isFalse();
    assertThat(all(0, 3, 5)).isFalse();
    assertThat(all(1, 3, 5)).isFalse();
    assertThat(all(2, 3, 0)).isTrue();
  }

  @Test
  void combinesTheHighestOfAll() {
    assertThat(arrive(0, 3, 0, found("a", 3, 30, "b", 4, 40)).getValue()).isEmpty();
    arrive(1, 3, 0, found("a", 5, 50, "c", -1, 9));
    Map<String, long[]> all = arrive(2, 3, 0, found("a", 4, 60, "b", 1, 70)).getValue();

    assertThat(all).containsOnlyKeys("a", "b", "c");
    assertThat(all.get("a")).containsExactly(5, 50);
    assertThat(all.get("b")).containsExactly(4, 40);
    assertThat(all.get("c")).containsExactly(-1, 9);

    arrive(1, 3, 1, Map.of());
    arrive(0, 3, 1, found("b", 2, 80, "d", 1, 1));
    all = arrive(2, 3, 1, Map.of()).getValue();
    assertThat(all).as("nothing remains of an earlier start").containsOnlyKeys("b", "d");
    assertThat(all.get("b")).containsExactly(2, 80);
  }

  private static Map<String, long[]> found(
      String name, long first, long second, String other, long otherFirst, long otherSecond) {
    return Map.of(name, new long[] {first, second}, other, new long[] {otherFirst, otherSecond});
  }

  /** A minute of waiting takes some hundred questions, and a short one ends soon. */
  @ParameterizedTest
  @CsvSource({"60000, 130", "1000, 8", "35, 4"})
  void asksLessOftenTheLongerItWaits(long waitMs, int mostQuestions) throws Exception {
    JobManager jobManager = new JobManager(waitMs);
    SubtaskBarrier barrier = jobManager.barrier(0);

    assertThat(barrier.highest("b", found("a", 3, 30, "b", 1, 1), SubtaskBarrier.NOTED))
        .containsOnlyKeys("a", "b");

    assertThat(jobManager.questions).isBetween(2, mostQuestions);
    assertThat(jobManager.nowMs - waitMs).isBetween(0L, Math.min(500, waitMs + 10));
  }

  @Test
  void givesUp() {
    JobManager jobManager = new JobManager(Long.MAX_VALUE);

    assertThatIOException()
        .isThrownBy(() -> jobManager.barrier(0).await("the end of accounts"))
        .withMessage(
            "Not all 2 subtasks have reached the barrier 'the end of accounts' within PT5M");

    assertThat(jobManager.nowMs).isBetween(300_000L, 301_000L);
  }

  @Test
  void aSingleSubtaskAsksNobody() throws Exception {
    JobManager jobManager = new JobManager(0);
    new SubtaskBarrier(jobManager, new TaskInfoImpl("task", 8, 0, 1, 0), () -> 0, ms -> {})
        .await("b");
    assertThat(jobManager.questions).isZero();
  }

  /** The job manager, and a second subtask that arrives at some time. */
  private final class JobManager implements GlobalAggregateManager {
    private final long otherArrivesMs;
    private long nowMs;
    private int questions;

    JobManager(long otherArrivesMs) {
      this.otherArrivesMs = otherArrivesMs;
    }

    SubtaskBarrier barrier(int subtask) {
      return new SubtaskBarrier(
          this,
          new TaskInfoImpl("task", 8, subtask, 2, 0),
          () -> nowMs * 1_000_000,
          ms -> nowMs += ms);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <I, A, O> O updateGlobalAggregate(
        String name, Object arrival, AggregateFunction<I, A, O> function) {
      questions++;
      A accumulator = function.add((I) arrival, (A) arrived);
      if (nowMs >= otherArrivesMs) {
        all(1, 2, 0);
      }
      return function.getResult(accumulator);
    }
  }
}
