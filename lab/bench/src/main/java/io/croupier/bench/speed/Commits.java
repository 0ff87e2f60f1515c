package io.croupier.bench.speed;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * The number of committed records of a topic over time. Every transaction writes a marker after its
 * records, which counts as a record: about a hundred in ten thousand.
 */
final class Commits {
  /**
   * Time between two look-ups, whose own processor time counts as the job's: at 10 ms it was a
   * twentieth of a run's.
   */
  private static final long PAUSE_MS = 25;

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /**
   * A time at which the number of committed records had grown.
   *
   * @param nanos of the clock of {@link System#nanoTime}
   * @param cpuNanos processor time that this process has used
   * @param records committed by then
   */
  private record CommitStep(long nanos, long cpuNanos, long records) {}

  /**
   * The rate of committed records.
   *
   * @param perSecond records a second
   * @param cpuMicros processor time of the process for one record, the broker's included
   */
  record Pace(double perSecond, double cpuMicros) {}

  private final List<CommitStep> steps = new ArrayList<>();
  private final CommitStep began =
      new CommitStep(System.nanoTime(), PROCESS.getProcessCpuTime(), 0);

  private Commits() {}

  /**
   * Watches a topic until {@code records} are committed.
   *
   * @param alive whether the job still runs
   * @throws IllegalStateException if it ends, or commits nothing for {@code patience}
   */
  static Commits watch(
      Admin admin,
      String topic,
      int partitions,
      long records,
      Duration patience,
      BooleanSupplier alive)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> ends =
        IntStream.range(0, partitions)
            .boxed()
            .collect(Collectors.toMap(p -> new TopicPartition(topic, p), p -> OffsetSpec.latest()));
    Commits commits = new Commits();
    long deadline = System.nanoTime() + patience.toNanos();
    long last = 0;
    while (last < records) {
      long committed =
          admin
              .listOffsets(ends, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
              .all()
              .get()
              .values()
              .stream()
              .mapToLong(end -> end.offset())
              .sum();
      long now = System.nanoTime();
      if (committed > last) {
        commits.steps.add(new CommitStep(now, PROCESS.getProcessCpuTime(), committed));
        last = committed;
        deadline = now + patience.toNanos();
      } else if (now > deadline || !alive.getAsBoolean()) {
        throw new IllegalStateException(
            "%d of %d records are committed on %s, and the job makes no progress"
                .formatted(last, records, topic));
      }
      Thread.sleep(PAUSE_MS);
    }
    return commits;
  }

  /**
   * The pace between the first and the last commit; the last one's interval isn't full, so it
   * counts only if there are no others. The commits of all subtasks for one checkpoint are one
   * step.
   *
   * @param from commits of fewer records than this don't count
   * @param interval between checkpoints
   */
  Pace pace(long from, Duration interval) {
    List<CommitStep> whole = new ArrayList<>();
    for (CommitStep step : steps) {
      boolean sameCheckpoint =
          !whole.isEmpty()
              && step.nanos() - whole.get(whole.size() - 1).nanos() < interval.toNanos() / 4;
      if (sameCheckpoint) {
        whole.set(whole.size() - 1, step);
      } else if (step.records() >= from) {
        whole.add(step);
      }
    }
    if (whole.size() > 2) {
      whole.remove(whole.size() - 1);
    }
    if (whole.size() < 2) {
      whole.add(0, began);
    }
    CommitStep first = whole.get(0);
    CommitStep last = whole.get(whole.size() - 1);
    double records = last.records() - first.records();
    return new Pace(
        records * 1e9 / (last.nanos() - first.nanos()),
        (last.cpuNanos() - first.cpuNanos()) / records / 1e3);
  }
}
