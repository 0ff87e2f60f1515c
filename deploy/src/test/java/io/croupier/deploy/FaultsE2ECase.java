package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults on a real cluster under load: ZooKeeper, a broker, a JobManager and two TaskManagers, each
 * a process of its own, are killed and paused at random times, and checkpoints find no room. Then
 * every report is accounted for once, every model is its replay, bit for bit, and no round was
 * visible twice.
 *
 * <p>{@code -Dfaults=100} for more than 4, {@code -Dseed=...} for another run, {@code -Drate=...}
 * for so many reports a second, {@code -Dsmall.disk=DIR} for checkpoints on a small file system of
 * their own, {@code -Dfault=KILL_BROKER} for one kind alone.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class FaultsE2ECase {
  private static final Duration RECOVERY = Duration.ofMinutes(5);
  private static final int LONGEST_PEACE_MS = 3000;

  /** One fault in so many comes without waiting until the one before is overcome. */
  private static final int OVERLAP = 4;

  @TempDir private Path temporary;

  private final int faults = Integer.getInteger("faults", 4);
  private final long seed = Long.getLong("seed", System.nanoTime());
  private final int perSecond = Integer.getInteger("rate", 60);
  private final Random random = new Random(seed);
  private final Deque<Fault> next = new ArrayDeque<>();
  private final Map<Fault, List<CompletableFuture<Duration>>> recoveries =
      new EnumMap<>(Fault.class);

  @Test
  void loseNothingAndRepeatNothing() throws Exception {
    System.out.printf("%d faults, seed %d%n", faults, seed);
    Path directory = temporary.resolve("cluster");
    String small = System.getProperty("small.disk");
    CheckpointDisk disk = new CheckpointDisk(directory, small == null ? null : Path.of(small));
    Files.writeString(temporary.resolve("models.yaml"), Load.MODELS);
    try (Cluster cluster = Cluster.in(directory)) {
      String kafka = " --kafka " + cluster.bootstrapServers();
      cluster.shell("deploy/cluster start 2");
      cluster.shell("./croupier topics create" + kafka);
      cluster.shell("./croupier models apply" + kafka + " " + temporary.resolve("models.yaml"));
      cluster.shell(
          "deploy/cluster submit -p 2 -- --parallelism 2 --checkpoint.interval '500 ms'"
              + " --journal.enabled true");
      try {
        faults(cluster, disk);
      } finally {
        keepLogs(directory);
      }
    }
  }

  private void faults(Cluster cluster, CheckpointDisk disk) throws Exception {
    try (UpdateWatch watch = new UpdateWatch(cluster.bootstrapServers())) {
      // What names a round that isn't published yet is dropped.
      for (String model : Load.models()) {
        watch.when(model, 0).get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
      }
      try (Load load = new Load(cluster.bootstrapServers(), perSecond, seed, watch::newestRound)) {
        watch.when(Load.ONCE, 1).get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
        for (int i = 0; i < faults; i++) {
          fault(cluster, disk, watch, load);
        }
        awaitRecovery(Fault.NOTHING, watch.when(Load.ONCE, load.toOnce() + 1), cluster);
        check(load.end(), load.sequences(), cluster, watch, disk);
      }
    }
  }

  private void check(
      long sent,
      Map<String, Long> sequences,
      Cluster cluster,
      UpdateWatch watch,
      CheckpointDisk disk)
      throws Exception {
    Recording recording = new Recording(cluster);
    recording.readReports();
    assertThat((long) recording.size()).isGreaterThanOrEqualTo(sent);
    recording.awaitEvents();
    recording.awaitModels(watch);
    List<String> findings = new ArrayList<>(recording.check(watch, sequences));
    findings.addAll(recording.replay(watch));
    System.out.printf(
        "%d reports at %d a second; seed %d; full disk: %s%n%s%d findings%n",
        sent, perSecond, seed, disk, table(), findings.size());
    assertThat(findings).as("seed %d", seed).isEmpty();
  }

  /** One fault, at a random time, and mostly what it takes to overcome it. */
  private void fault(Cluster cluster, CheckpointDisk disk, UpdateWatch watch, Load load)
      throws Exception {
    TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PEACE_MS));
    Fault fault = next();
    CompletableFuture<Duration> recovery = watch.when(Load.ONCE, load.toOnce() + 1);
    recoveries.computeIfAbsent(fault, f -> new ArrayList<>()).add(recovery);
    fault.inject(cluster, disk, random);
    if (random.nextInt(OVERLAP) > 0) {
      awaitRecovery(fault, recovery, cluster);
    }
  }

  /** Waits until a fault is overcome. */
  private void awaitRecovery(Fault fault, CompletableFuture<Duration> recovery, Cluster cluster)
      throws Exception {
    try {
      recovery.get(RECOVERY.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(
          "%s is not overcome after %s, seed %d; the cluster: %s"
              .formatted(fault, RECOVERY, seed, cluster.shell("deploy/cluster status")),
          e);
    }
  }

  /** All kinds in a random order, and then again. */
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

  /** The servers' logs outlive the test. */
  private static void keepLogs(Path directory) throws Exception {
    Path kept = Path.of("target", "faults-logs").toAbsolutePath();
    new ProcessBuilder(
            "bash", "-c", "rm -rf '%s'; cp -r '%s/log' '%s'".formatted(kept, directory, kept))
        .inheritIO()
        .start()
        .waitFor();
    try (Stream<String> lines = Files.lines(kept.resolve("cluster.log"))) {
      System.out.printf(
          "%d servers have ended, killed or not; logs: %s%n",
          lines.filter(line -> line.contains("has ended")).count(), kept);
    }
  }
}
