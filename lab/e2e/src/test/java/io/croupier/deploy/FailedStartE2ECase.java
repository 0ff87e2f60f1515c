package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.kafka.CommittedRecords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs that fail at their start or end permanently, on a cluster of processes: what its operator
 * reads, and how the job continues.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class FailedStartE2ECase {
  @TempDir private Path temporary;
  private int reports;

  /** The adaptive scheduler ends a job that restarts while the checkpoint storage is away. */
  @Test
  void theAdaptiveSchedulersJobContinuesFromItsNewestCheckpoint() throws Exception {
    Path directory = temporary.resolve("cluster");
    try (CheckpointDisk disk = new CheckpointDisk(directory, null);
        Cluster cluster = Cluster.in(directory)) {
      cluster.shell("FLINK_SETTINGS='jobmanager.scheduler: adaptive' deploy/cluster start");
      cluster.publish("examples/models.yaml");
      assertThat(cluster.shell("! deploy/cluster savepoint")).contains("cluster: no job runs");
      cluster.shell("deploy/cluster submit");
      report(cluster);

      disk.fill();
      awaitFailure(cluster);
      disk.free();

      String newest = cluster.shell("deploy/cluster state").strip();
      assertThat(newest).matches("file:///.*/chk-\\d+");
      assertThat(cluster.shell("! deploy/cluster submit"))
          .contains("the job was started without the ledger's state")
          .contains("The newest savepoint or checkpoint here is " + newest);
      assertThat(cluster.shell("! deploy/cluster submit -s %sx".formatted(newest)))
          .contains("cluster: There is no savepoint or checkpoint at '%sx'".formatted(newest))
          .doesNotContain("\tat ");
      assertThat(cluster.shell("! deploy/cluster submit -s s3://bucket/chk-1"))
          .as("a path of which only the cluster can find out that there is no state")
          .contains("the job has failed: java.io.IOException: Cannot access file system");

      String start = "deploy/cluster submit -s " + newest;
      String submitted = cluster.shell("%s & %s || true; wait $! || true".formatted(start, start));
      assertThat(submitted).contains("another 'deploy/cluster submit' runs", "Running: ");
      report(cluster);
    }
  }

  /** No JobManager starts beside the result of a job that Flink couldn't initialise. */
  @Test
  void aJobThatCannotBeInitialisedLeavesAClusterThatStarts() throws Exception {
    try (Cluster cluster = Cluster.in(temporary.resolve("cluster"))) {
      cluster.shell("deploy/cluster start");
      cluster.publish("examples/models.yaml");
      cluster.shell("deploy/cluster submit");
      String unknown =
          "deploy/flink run -d -s s3://bucket/chk-1 job/target/croupier-job-*-cluster.jar"
              + " --kafka.bootstrap.servers "
              + cluster.bootstrapServers();
      cluster.shell("! " + unknown);
      assertThat(results(cluster)).hasSize(1);

      cluster.shell("deploy/cluster kill jobmanager");
      report(cluster);
      assertThat(results(cluster)).isEmpty();
      cluster.shell("! " + unknown);
      cluster.shell("deploy/cluster stop");
      cluster.shell("deploy/cluster start");
      report(cluster);
      assertThat(results(cluster)).isEmpty();
    }
  }

  @Test
  void startNamesTheServerThatEndsAndWhy() throws Exception {
    Path directory = temporary.resolve("cluster");
    try (Cluster cluster = Cluster.in(directory)) {
      String printed = cluster.shell("! FLINK_SETTINGS='rest.bind-port: x-y' deploy/cluster start");

      assertThat(printed)
          .contains("Waiting for Flink's JobManager, which has ended by itself: ")
          .containsPattern("cluster: .*ob[mM]anager.*Invalid port range definition: x-y");
    }
  }

  /** Reports once more, and waits until the job has judged all reports so far. */
  private void report(Cluster cluster) throws Exception {
    cluster.shell(
        ("echo '[0.1, 0.1, 0.1]' | ./croupier report --kafka %s --model demo --user ada"
                + " --ledger '%s' --epsilon 1 --limit-epsilon 20 --key %d")
            .formatted(cluster.bootstrapServers(), temporary.resolve("ada.ledger"), reports));
    reports++;
    while (events(cluster) < reports) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
    assertThat(events(cluster)).isEqualTo(reports);
  }

  private static int events(Cluster cluster) throws Exception {
    AtomicInteger events = new AtomicInteger();
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", cluster.bootstrapServers()),
        "croupier.accounting",
        record -> events.incrementAndGet());
    return events.get();
  }

  private static void awaitFailure(Cluster cluster) throws Exception {
    while (!cluster.shell("deploy/cluster status").contains(" FAILED")) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  /** The results of jobs that Flink considers not cleaned up. */
  private static List<Path> results(Cluster cluster) throws Exception {
    try (Stream<Path> files = Files.walk(cluster.directory().resolve("ha/job-result-store"))) {
      return files.filter(file -> file.toString().endsWith("_DIRTY.json")).toList();
    }
  }
}
