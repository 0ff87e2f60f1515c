package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of docs/run/deploy.md. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DeployPageE2ECase {
  private static final Pattern RUNNING = Pattern.compile("Running: ([0-9a-f]{32})\n");

  @TempDir private Path directory;

  @Test
  void everyCommandWorks() throws Exception {
    try (Page page = new Page("docs/run/deploy.md", directory);
        Cluster cluster = Cluster.in(directory.resolve("cluster"))) {
      assertThat(page.blocks()).hasSize(8);
      String started = page.run(cluster, 0);
      assertThat(started).contains("Broker at", "taskmanager-1    pid", "jobmanager       pid");
      assertThat(page.run(cluster, 1))
          .contains("created    demo")
          .containsPattern(RUNNING)
          .contains("(RUNNING)");
      cluster.shell(
          "./croupier models apply --kafka %s lab/e2e/src/test/resources/labels.yaml"
              .formatted(cluster.bootstrapServers()));
      String reported = page.run(cluster, 2);
      assertThat(reported)
          .contains("In the ledger: 2 reports, epsilon 2 of 20.\n", "\"modelId\":\"demo\"")
          .containsPattern("reports_admitted\\{.*");

      long taskmanager = cluster.pid("taskmanager-1");
      page.run(cluster, 3);
      assertThat(cluster.pid("taskmanager-1")).isNotEqualTo(taskmanager);
      page.run(cluster, 4);
      try (UpdateMonitor monitor = new UpdateMonitor(cluster.bootstrapServers())) {
        monitor.when("demo", 3).get(2, TimeUnit.MINUTES);
        Matcher running = RUNNING.matcher(page.run(cluster, 5));
        assertThat(running.find()).isTrue();
        assertThat(get(cluster.rest() + "/jobs/" + running.group(1)))
            .as("the parallelism of 'flink run -p'")
            .containsPattern("\"name\":\"ledger[^}]*\"parallelism\":2,");
        monitor.when("demo", 4).get(2, TimeUnit.MINUTES);
        checkMetrics(cluster);
        page.run(cluster, 6);
        monitor.when("demo", 5).get(2, TimeUnit.MINUTES);
        assertThat(monitor.updates("demo"))
            .last()
            .satisfies(update -> assertThat(update.getUsed()).isEqualTo(5));
      }
      checkAccounts(cluster);
      checkLogs(cluster);
      long broker = cluster.pid("broker");
      page.run(cluster, 7);
      assertThat(ProcessHandle.of(broker)).isEmpty();
    }
  }

  private static void checkAccounts(Cluster cluster) throws IOException {
    List<AccountingEvent> events = new ArrayList<>();
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", cluster.bootstrapServers()),
        "croupier.accounting",
        record -> {
          try {
            events.add(AccountingEvents.read(record.key(), record.value()));
          } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
          }
        });
    assertThat(events).hasSize(5).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    assertThat(events)
        .extracting(event -> event.getUserTotals().getEpsilon())
        .containsExactly(1.0, 2.0, 3.0, 4.0, 5.0);
  }

  /** Checks that the job has every metric of the dashboard and of the alerts. */
  private static void checkMetrics(Cluster cluster) throws Exception {
    Set<String> shown = ExposedMetrics.in("deploy/docker/grafana/croupier.json");
    assertThat(shown).hasSizeGreaterThan(20);
    assertThat(ExposedMetrics.of(cluster, 1))
        .containsAll(shown)
        .containsAll(ExposedMetrics.in("deploy/alerts.yaml"));
    assertThat(ExposedMetrics.scrape(cluster, 1))
        .contains("{model=\"a.x\",", "{model=\"a-x\",", "{model=\"a_x\",")
        .contains("category=\"日本\",", "category=\"中国\",");
  }

  /** Checks that logs contain warnings, and none that every checkpoint repeats. */
  private static void checkLogs(Cluster cluster) throws IOException {
    Path logs = cluster.directory().resolve("log");
    String jobManager = Files.readString(logs.resolve("jobmanager.log"));
    assertThat(jobManager.split("Completed checkpoint")).hasSizeGreaterThan(10);
    assertThat(jobManager + Files.readString(logs.resolve("taskmanager-1.log")))
        .contains(" WARN ")
        .doesNotContain(
            "pendingCommittables", "Flushing new partitions", "as completed for source");
  }

  private static String get(String address) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }
}
