package io.croupier.job.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.restart.SubtaskBarrier.ArrivalAggregate;
import io.croupier.job.restart.SubtaskBarrier.ArrivedSubtasks;
import java.util.List;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** The arrived subtasks over several starts of a job. */
class SubtaskBarrierTest {
  private final ArrivalAggregate aggregate = new ArrivalAggregate();
  private ArrivedSubtasks arrived = aggregate.createAccumulator();

  private boolean all(int subtask, int parallelism, int attempt) {
    arrived = aggregate.add(SubtaskBarrier.arrival(subtask, parallelism, attempt), arrived);
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
    for (Object sent :
        List.of(
            SubtaskBarrier.arrival(0, 2, 0), aggregate.getResult(aggregate.createAccumulator()))) {
      byte[] bytes = InstantiationUtil.serializeObject(sent);
      Object read =
          InstantiationUtil.deserializeObject(bytes, ClassLoader.getPlatformClassLoader());
      assertThat(read).isEqualTo(sent);
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
}
