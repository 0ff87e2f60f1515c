package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The time that a real cluster needs to recover from each kind of fault, after it has processed
 * reports at different rates: ZooKeeper, a broker, a JobManager and two TaskManagers, each in a
 * separate process. For each rate a new cluster processes reports for some time, and then each
 * fault occurs in turn.
 *
 * <p>{@code -Drecovery.rates=100,10000} sets the rates, in reports a second, {@code
 * -Drecovery.seconds=300} the time before the first fault, {@code -Drecovery.times=3} the number of
 * faults of each kind, {@code -Drecovery.faults=KILL_BROKER} the kinds, {@code -Drecovery.users}
 * the number of users, {@code -Drecovery.job='--flink.KEY VALUE'} further settings of the job.
 */
@Tag("thorough")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class RecoveryE2ECase {
  private static final Duration RECOVERY = Duration.ofMinutes(5);

  /** A cluster that keeps up shows a report within this time. */
  private static final Duration STEADY = Duration.ofSeconds(5);

  /** Time between a recovery and the next fault, in which checkpoints are completed. */
  private static final Duration PEACE = Duration.ofSeconds(10);

  /** Contains the servers' logs, which are kept after a failed run. */
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path temporary;

  private final int[] rates =
      Arrays.stream(System.getProperty("recovery.rates", "1000").split(","))
          .mapToInt(Integer::parseInt)
          .toArray();
  private final List<Fault> faults =
      Arrays.stream(System.getProperty("recovery.faults", "NOTHING,KILL_TASKMANAGER").split(","))
          .map(Fault::valueOf)
          .toList();
  private final int seconds = Integer.getInteger("recovery.seconds", 10);
  private final int times = Integer.getInteger("recovery.times", 1);
  private final Random random = new Random(Long.getLong("seed", System.nanoTime()));

  /**
   * One recovery.
   *
   * @param tasks time until all tasks ran again; empty if none ended
   * @param visible time until an update was visible that counts a report sent after the fault
   */
  private record Recovery(Optional<Duration> tasks, Duration visible) {}

  @Test
  void measureRecoveries() throws Exception {
    StringBuilder table = new StringBuilder();
    table.append("| reports/s | fault | times | tasks run again, s | update visible, s |\n");
    table.append("|---|---|---|---|---|\n");
    for (int rate : rates) {
      recoveries(rate).forEach((fault, of) -> table.append(row(rate, fault, of)));
    }
    System.out.printf(
        "After %d s; median, maximum of the times since the fault:%n%s", seconds, table);
  }

  private Map<Fault, List<Recovery>> recoveries(int rate) throws Exception {
    Path directory = temporary.resolve("cluster-" + rate);
    System.out.printf("%d reports a second, in %s%n", rate, directory);
    Path models = Files.writeString(temporary.resolve("models.yaml"), SteadyReports.SPECS);
    try (CheckpointDisk disk = new CheckpointDisk(directory, null);
        Cluster cluster = Cluster.in(directory)) {
      cluster.startWith(models.toString());
      cluster.shell(
          "deploy/cluster submit -p 2 -- --parallelism 2 --checkpoint.interval '500 ms' "
              + System.getProperty("recovery.job", ""));
      try (UpdateMonitor monitor = new UpdateMonitor(cluster.bootstrapServers())) {
        monitor.when(SteadyReports.MODEL, 0).get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
        try (SteadyReports load =
            new SteadyReports(
                cluster.bootstrapServers(),
                rate,
                random.nextLong(),
                () -> monitor.newest(SteadyReports.MODEL).getRound())) {
          return recoveries(rate, cluster, disk, monitor, load);
        }
      }
    }
  }

  private Map<Fault, List<Recovery>> recoveries(
      int rate, Cluster cluster, CheckpointDisk disk, UpdateMonitor monitor, SteadyReports load)
      throws Exception {
    Map<Fault, List<Recovery>> recoveries = new LinkedHashMap<>();
    TimeUnit.SECONDS.sleep(seconds);
    assertThat(load.sent()).as("reports sent").isGreaterThan((long) rate * seconds * 9 / 10);
    for (int i = 0; i < times; i++) {
      for (Fault fault : faults) {
        if (!recoveries.isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(PEACE.toMillis() + random.nextInt(500));
        }
        awaitSteady(rate, monitor, load);
        Recovery recovery = recovery(fault, cluster, disk, monitor, load);
        System.out.printf("%d reports a second, %s: %s%n", rate, fault, recovery);
        recoveries.computeIfAbsent(fault, kind -> new ArrayList<>()).add(recovery);
      }
    }
    System.out.printf("%d reports%n", load.sent());
    return recoveries;
  }

  /** Waits until the cluster has processed its backlog, so that each fault meets the same load. */
  private static void awaitSteady(int rate, UpdateMonitor monitor, SteadyReports load)
      throws Exception {
    long deadline = System.nanoTime() + RECOVERY.toNanos();
    while (visible(monitor, load, System.nanoTime()).compareTo(STEADY) > 0) {
      assertThat(System.nanoTime() - deadline)
          .as("nanoseconds of a backlog at %d reports a second too long", rate)
          .isNegative();
    }
  }

  private Recovery recovery(
      Fault fault, Cluster cluster, CheckpointDisk disk, UpdateMonitor monitor, SteadyReports load)
      throws Exception {
    long since = System.nanoTime();
    try (JobTasks tasks = new JobTasks(cluster, since)) {
      List<CompletableFuture<Duration>> visible = new ArrayList<>();
      fault.inject(cluster, disk, random, () -> visible.add(when(monitor, load, since)));
      Duration seen = await(visible.get(0), load);
      return new Recovery(tasks.end(), seen);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError(
          "No recovery from %s within %s; the cluster: %s"
              .formatted(fault, RECOVERY, cluster.shell("deploy/cluster status || true")),
          e);
    }
  }

  /** The time until an update counts a report that hasn't been sent yet. */
  private static Duration visible(UpdateMonitor monitor, SteadyReports load, long since)
      throws Exception {
    return await(when(monitor, load, since), load);
  }

  /** Completes when an update counts more reports than were sent so far. */
  private static CompletableFuture<Duration> when(
      UpdateMonitor monitor, SteadyReports load, long since) {
    return monitor.when(SteadyReports.MODEL, load.sent() + 1, since);
  }

  private static Duration await(CompletableFuture<Duration> visible, SteadyReports load)
      throws Exception {
    CompletableFuture.anyOf(visible, load.reporting()).get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
    return visible.join();
  }

  private static String row(int rate, Fault fault, List<Recovery> of) {
    return "| %,d | %s | %d | %s | %s |%n"
        .formatted(
            rate,
            fault,
            of.size(),
            medianAndMax(of.stream().flatMap(r -> r.tasks().stream()).toList()),
            medianAndMax(of.stream().map(Recovery::visible).toList()));
  }

  /** The median and the maximum in seconds; empty without times. */
  private static String medianAndMax(List<Duration> durations) {
    if (durations.isEmpty()) {
      return "";
    }
    double[] sorted = durations.stream().mapToDouble(d -> d.toMillis() / 1e3).sorted().toArray();
    return "%.1f, %.1f".formatted(sorted[(sorted.length - 1) / 2], sorted[sorted.length - 1]);
  }
}
