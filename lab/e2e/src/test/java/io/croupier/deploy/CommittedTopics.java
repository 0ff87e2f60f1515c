package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.io.JsonLines;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.RecordedReport;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** All committed records of the topics at the end: for the checks, and as files for a replay. */
final class CommittedTopics {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Cluster cluster;
  private final Path directory;
  private final Path models;
  private final List<AccountChecks.GradientRecord> reports = new ArrayList<>();
  private final List<AccountChecks.AccountingRecord> events = new ArrayList<>();
  private final Map<String, Long> admitted = new HashMap<>();
  private final Map<String, List<JournalEntry.Bundle>> journals = new HashMap<>();

  /**
   * Reads from a running cluster.
   *
   * @param models the file of model specs, for the replay
   */
  CommittedTopics(Cluster cluster, Path models) {
    this.cluster = cluster;
    this.models = models;
    directory = cluster.directory();
  }

  /** Stores every report and its position. */
  void readReports() throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve("reports"))) {
      forEach(
          "croupier.gradients",
          record -> {
            GradientReport report = GradientReport.parseFrom(record.value());
            boolean sparse = report.hasSparse();
            reports.add(
                new AccountChecks.GradientRecord(
                    record.partition() + ":" + record.offset(),
                    report.getUserId(),
                    report.getSequence(),
                    report.getModelId(),
                    epsilon(report),
                    sparse ? report.getSparse().getIndices(0) : 0,
                    sparse ? report.getSparse().getValues(0) : 0));
            RecordedReport.newBuilder()
                .setTopic(record.topic())
                .setPartition(record.partition())
                .setOffset(record.offset())
                .setReport(report)
                .build()
                .writeDelimitedTo(out);
          });
    }
  }

  /** The epsilon that a report of the {@link LoadGenerator} declares. */
  private static double epsilon(GradientReport report) {
    return switch (report.getDeclarationCase()) {
      case L2_LAPLACE -> report.getL2Laplace().getEpsilon();
      case COORDINATE_LAPLACE -> report.getCoordinateLaplace().getTaus(0);
      case PRIV_UNIT -> report.getPrivUnit().getEpsilon();
      case RANDOMISED_RESPONSE -> report.getRandomisedResponse().getEpsilon();
      default ->
          throw new IllegalArgumentException(
              report.getDeclarationCase() + " is no declaration of the load generator");
    };
  }

  /** Waits until there are as many accounts as reports. */
  void awaitEvents() throws Exception {
    await(
        "an account of each of %d reports".formatted(reports.size()),
        () -> {
          readEvents();
          return events.size() >= reports.size();
        });
  }

  private void readEvents() throws IOException {
    events.clear();
    admitted.clear();
    forEach(
        "croupier.accounting",
        record -> {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          events.add(AccountChecks.AccountingRecord.of(event));
          if (event.getOutcome() == Outcome.ADMITTED) {
            admitted.merge(event.getModelId(), 1L, Long::sum);
          }
        });
  }

  /**
   * Waits until the updates of every model count all its reports, and its journal contains them.
   */
  void awaitModels(UpdateMonitor monitor) throws Exception {
    await(
        "updates that count " + admitted,
        () ->
            LoadGenerator.models().stream()
                .allMatch(
                    model -> {
                      List<ModelUpdate> updates = monitor.updates(model);
                      return UpdateMonitor.reports(updates.get(updates.size() - 1))
                          >= admitted.get(model);
                    }));
    await("a journal of " + admitted, this::writeJournal);
  }

  /** Stops the job, and reads all later records; there should be none. */
  void readToTheEnd(UpdateMonitor monitor) throws IOException {
    cluster.shell("deploy/cluster savepoint");
    monitor.end();
    readEvents();
    writeJournal();
  }

  private boolean writeJournal() throws IOException {
    Map<String, Long> journalled = new HashMap<>();
    journals.clear();
    try (OutputStream out = Files.newOutputStream(directory.resolve("journal"))) {
      forEach(
          "croupier.journal",
          record -> {
            JournalEntry entry = JournalEntry.parseFrom(record.value());
            long positions =
                entry.getBundlesList().stream()
                    .mapToLong(JournalEntry.Bundle::getPositionsCount)
                    .sum();
            journalled.merge(entry.getModelId(), positions, Long::sum);
            journals
                .computeIfAbsent(entry.getModelId(), model -> new ArrayList<>())
                .addAll(entry.getBundlesList());
            entry.writeDelimitedTo(out);
          });
    }
    return admitted.keySet().stream()
        .allMatch(model -> journalled.getOrDefault(model, 0L) >= admitted.get(model));
  }

  /** The findings on accounts and models, one line each. */
  List<String> check(UpdateMonitor monitor, Map<String, Long> sequences) {
    Map<String, List<ModelUpdate>> updates = new HashMap<>();
    LoadGenerator.models().forEach(model -> updates.put(model, monitor.updates(model)));
    return AccountChecks.check(reports, events, sequences, updates, journals);
  }

  /** Replays the journal, and returns the differences between its updates and the visible ones. */
  List<String> replay(UpdateMonitor monitor) throws Exception {
    List<String> findings = new ArrayList<>();
    cluster.shell(
        "cd '%s'; '%s/croupier' replay --models '%s' --reports reports --journal journal"
                .formatted(directory, Cluster.ROOT, models)
            + " --format protobuf --updates updates");
    for (String model : LoadGenerator.models()) {
      Path file = directory.resolve("updates-" + model);
      try (JsonLines lines = JsonLines.create(file)) {
        monitor.updates(model).forEach(lines::write);
      }
      List<String> visible = lines(file, model);
      List<String> replayed = lines(directory.resolve("updates"), model);
      if (visible.size() != replayed.size()) {
        findings.add(
            "%s has %d updates, and its replay %d"
                .formatted(model, visible.size(), replayed.size()));
      }
      for (int i = 0; i < Math.min(visible.size(), replayed.size()); i++) {
        if (!visible.get(i).equals(replayed.get(i))) {
          findings.add("update %d of %s differs from that of its replay".formatted(i, model));
        }
      }
    }
    return findings;
  }

  /** The lines of a model's updates, without their timestamps. */
  private static List<String> lines(Path file, String model) throws IOException {
    try (var lines = Files.lines(file, UTF_8)) {
      return lines
          .filter(line -> line.contains("\"modelId\":\"%s\"".formatted(model)))
          .map(line -> line.replaceFirst(",\"publishedAtMs\":\"[0-9]+\"", ""))
          .toList();
    }
  }

  int size() {
    return reports.size();
  }

  /** A condition that may not be satisfied yet. */
  private interface Condition {
    boolean isThere() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.isThere()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("After %s there is no %s".formatted(PATIENCE, what));
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  /** An action on a record. */
  private interface Action {
    void accept(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }

  private void forEach(String topic, Action action) throws IOException {
    CommittedRecords.forEach(
        Map.of("bootstrap.servers", cluster.bootstrapServers()),
        topic,
        record -> {
          try {
            action.accept(record);
          } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(topic + " contains an unreadable record", e);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
