package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults on a real cluster under load: ZooKeeper, a broker, a JobManager and two TaskManagers, each
 * in a separate process, are killed and paused at random times, and the disk for checkpoints is
 * filled. Afterwards every report is accounted exactly once, every model equals its replay bit for
 * bit, and no round was visible twice.
 *
 * <p>{@code -Dfaults=N} sets the number of faults (4), {@code -Dseed=...} the seed of another run,
 * {@code -Drate=...} the reports per second, {@code -Dsmall.disk=DIR} a small separate file system
 * for checkpoints, {@code -Dfault=KILL_BROKER} a single kind of fault.
 */
@Tag("thorough")
@Timeout(value = LoadGenerator.LONGEST_MINUTES, unit = TimeUnit.MINUTES)
class FaultsE2ECase {
  private static final Duration RECOVERY = Duration.ofMinutes(5);
  private static final int LONGEST_PEACE_MS = 2000;

  /** One fault in this many occurs before the cluster has recovered from the previous one. */
  private static final int OVERLAP = 4;

  /** Contains the servers' logs, which are kept after a failed run. */
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path temporary;

  private final int faults = Integer.getInteger("faults", 4);
  private final long seed = Long.getLong("seed", System.nanoTime());
  private final int perSecond = Integer.getInteger("rate", 60);
  private final Random random = new Random(seed);
  private final Deque<Fault> next = new ArrayDeque<>();
  private final Map<Fault, List<CompletableFuture<Duration>>> recoveries =
      new EnumMap<>(Fault.class);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " --flink.state.backend.type hashmap --flink.state.changelog.enabled true"
            + " --flink.state.changelog.periodic-materialize.interval 5s"
            + " --flink.execution.state-recovery.claim-mode CLAIM"
      })
  void loseNothingAndRepeatNothing(String backend) throws Exception {
    Path directory = temporary.resolve("cluster");
    System.out.printf("%d faults, seed %d, in %s%n", faults, seed, directory);
    Path models =
        Files.writeString(temporary.resolve("models.yaml"), LoadGenerator.specs(perSecond));
    String small = System.getProperty("small.disk");
    try (CheckpointDisk disk =
            new CheckpointDisk(directory, small == null ? null : Cluster.ROOT.resolve(small));
        Cluster cluster = Cluster.in(directory)) {
      cluster.startWith(models.toString());
      cluster.shell(
          "deploy/cluster submit -p 2 -- --parallelism 2 --checkpoint.interval '500 ms'"
              + " --journal.enabled true"
              + backend);
      faults(cluster, disk, new CommittedTopics(cluster, models));
    }
  }

  private void faults(Cluster cluster, CheckpointDisk disk, CommittedTopics committed)
      throws Exception {
    try (UpdateMonitor monitor = new UpdateMonitor(cluster.bootstrapServers())) {
      // Reports to a round that isn't published yet would be dropped.
      for (String model : LoadGenerator.models()) {
        monitor.when(model, 0).get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
      }
      try (LoadGenerator load =
          new LoadGenerator(cluster.bootstrapServers(), perSecond, seed, monitor::newest)) {
        awaitRecovery(Fault.NOTHING, monitor.when(LoadGenerator.ONCE, 1), cluster, load);
        for (int i = 0; i < faults; i++) {
          fault(cluster, disk, monitor, load);
        }
        awaitRecovery(
            Fault.NOTHING, monitor.when(LoadGenerator.ONCE, load.toOnce() + 1), cluster, load);
        awaitLearning(monitor);
        assertThat(ExposedMetrics.of(cluster, 2))
            .as("metrics of the job")
            .containsAll(ExposedMetrics.in("deploy/alerts.yaml"));
        long sent = load.end();
        List<String> findings = findings(committed, load, monitor, sent);
        System.out.printf(
            "%d reports at %d a second; seed %d; full disk: %s; %d servers have ended%n"
                + "%s%d findings%n",
            sent, perSecond, seed, disk, ended(cluster), table(), findings.size());
        assertThat(findings).as("seed %d", seed).isEmpty();
      }
    }
  }

  private static List<String> findings(
      CommittedTopics committed, LoadGenerator load, UpdateMonitor monitor, long sent)
      throws Exception {
    committed.readReports();
    assertThat((long) committed.size()).isGreaterThanOrEqualTo(sent);
    committed.awaitEvents();
    committed.awaitModels(monitor);
    committed.readToTheEnd(monitor);
    List<String> findings = new ArrayList<>(committed.check(monitor, load.sequences()));
    findings.addAll(committed.replay(monitor));
    return findings;
  }

  /** Injects one fault at a random time, and usually waits for the recovery. */
  private void fault(
      Cluster cluster, CheckpointDisk disk, UpdateMonitor monitor, LoadGenerator load)
      throws Exception {
    TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PEACE_MS));
    Fault fault = next();
    List<CompletableFuture<Duration>> times =
        recoveries.computeIfAbsent(fault, f -> new ArrayList<>());
    long since = System.nanoTime();
    // Only reports sent after the fault prove the recovery.
    fault.inject(
        cluster,
        disk,
        random,
        () -> times.add(monitor.when(LoadGenerator.ONCE, load.toOnce() + 1, since)));
    if (random.nextInt(OVERLAP) > 0) {
      awaitRecovery(fault, times.get(times.size() - 1), cluster, load);
    }
  }

  /** Waits until the cluster has recovered from a fault. */
  private void awaitRecovery(
      Fault fault, CompletableFuture<Duration> recovery, Cluster cluster, LoadGenerator load)
      throws Exception {
    try {
      CompletableFuture.anyOf(recovery, load.reporting())
          .get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new AssertionError(
          "No recovery from %s within %s, seed %d; the cluster: %s"
              .formatted(fault, RECOVERY, seed, cluster.shell("deploy/cluster status || true")),
          e);
    }
  }

  /** Waits until the model whose clip moves has scouted: under load, that takes minutes. */
  private static void awaitLearning(UpdateMonitor monitor) throws InterruptedException {
    long deadline = System.nanoTime() + RECOVERY.toNanos();
    while (monitor.newest(LoadGenerator.SIZES).getUsed() == 0) {
      assertThat(System.nanoTime() - deadline).as("nanoseconds of waiting too long").isNegative();
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** All kinds in a random order, repeatedly. */
  private Fault next() {
    if (next.isEmpty()) {
      String one = System.getProperty("fault");
      List<Fault> all = new ArrayList<>(List.of(Fault.values()));
      if (one != null) {
        all = new ArrayList<>(List.of(Fault.valueOf(one)));
      }
      Collections.shuffle(all, random);
      next.addAll(all);
    }
    return next.remove();
  }

  private String table() {
    StringBuilder table = new StringBuilder();
    table.append("%-28s %6s %10s %10s%n".formatted("fault", "times", "p50, s", "max, s"));
    recoveries.forEach(
        (fault, times) -> {
          double[] seconds =
              times.stream().mapToDouble(t -> t.join().toMillis() / 1e3).sorted().toArray();
          table.append(
              "%-28s %6d %10.1f %10.1f%n"
                  .formatted(
                      fault,
                      seconds.length,
                      seconds[(seconds.length - 1) / 2],
                      seconds[seconds.length - 1]));
        });
    return table.toString();
  }

  /** Number of servers that have ended, killed or not. */
  private static long ended(Cluster cluster) throws IOException {
    Path log = cluster.directory().resolve("log").resolve("cluster.log");
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("has ended")).count();
    }
  }
}
