package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import io.croupier.cli.InputException;
import io.croupier.cli.io.JsonLines;
import io.croupier.cli.io.OutputFile;
import io.croupier.cli.models.ModelsFile;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.RecordedReport;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records a run in a directory for replays: the specs, all noised reports, the journal, and the
 * updates that a replay must reproduce.
 */
record Recorder(Path directory) {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 100;

  /**
   * Requires or creates an empty directory. Since the reports are personal data, only the owner has
   * access to a new directory, if the file system supports POSIX permissions.
   *
   * @throws InputException if the directory is not empty or can't be created
   */
  static Recorder into(Path directory) {
    try {
      if (Files.notExists(directory)) {
        create(directory);
      }
      try (Stream<Path> files = Files.list(Files.createDirectories(directory))) {
        if (files.findAny().isPresent()) {
          throw new InputException(
              "--record: %s is not empty; it must be a new or empty directory"
                  .formatted(directory));
        }
      }
      return new Recorder(directory.toAbsolutePath().normalize());
    } catch (FileAlreadyExistsException e) {
      throw new InputException(
          "--record: %s is a file; it must be a new or empty directory".formatted(directory), e);
    } catch (IOException e) {
      throw new InputException(
          "--record: %s: %s".formatted(directory, FileErrors.unwritable(e)), e);
    }
  }

  private static void create(Path directory) throws IOException {
    Path created = Files.createDirectories(directory);
    if (Files.getFileStore(created).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(created, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /**
   * Records the committed records of a run whose job has ended. The specs are written last, so an
   * interrupted recording has none and can't be mistaken for a complete one.
   *
   * @param specs of the models to record, none of which receives raw reports
   * @throws IllegalStateException if journal and updates don't agree within 30 s
   */
  void record(Map<String, ?> kafka, Topics topics, List<ModelSpec> specs)
      throws IOException, InterruptedException {
    record(kafka, topics, specs, PATIENCE);
  }

  /** Records a run; waits up to {@code patience} until journal and updates agree. */
  void record(Map<String, ?> kafka, Topics topics, List<ModelSpec> specs, Duration patience)
      throws IOException, InterruptedException {
    write(kafka, topics.gradients(), reports(), Recorder::report);
    long deadline = System.nanoTime() + patience.toNanos();
    Set<String> models = specs.stream().map(ModelSpec::getModelId).collect(Collectors.toSet());
    List<String> gaps = writeJournalAndUpdates(kafka, topics, models);
    // The brokers complete a transaction at different times on each partition.
    while (!gaps.isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "The recording in %s is incomplete and has no models.yaml: after %s s, %s"
                .formatted(directory, patience.toMillis() / 1e3, String.join("; ", gaps)));
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      gaps = writeJournalAndUpdates(kafka, topics, models);
    }
    OutputFile.write("--record", models(), file -> Files.writeString(file, ModelsFile.text(specs)));
  }

  /** Writes both files, and returns their differences, a clause for each model. */
  private List<String> writeJournalAndUpdates(
      Map<String, ?> kafka, Topics topics, Set<String> models) throws IOException {
    Map<String, Long> journalled = new HashMap<>();
    write(
        kafka,
        topics.journal(),
        journal(),
        record -> {
          JournalEntry entry = JournalEntry.parseFrom(record.value());
          journalled.merge(entry.getModelId(), positions(entry), Long::sum);
          return Optional.of(entry);
        });
    Map<String, Long> published = new HashMap<>();
    write(
        kafka,
        topics.updates(),
        updates(),
        record -> {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          if (!models.contains(update.getModelId())) {
            return Optional.empty();
          }
          published.put(update.getModelId(), taken(update));
          return Optional.of(update);
        });
    return Stream.of(journalled, published)
        .flatMap(reports -> reports.keySet().stream())
        .distinct()
        .sorted()
        .filter(id -> !journalled.getOrDefault(id, 0L).equals(published.getOrDefault(id, 0L)))
        .map(
            id ->
                "the journal of '%s' has %d reports, but its last update counts %d"
                    .formatted(id, journalled.getOrDefault(id, 0L), published.getOrDefault(id, 0L)))
        .toList();
  }

  private static long positions(JournalEntry entry) {
    return entry.getBundlesList().stream().mapToLong(JournalEntry.Bundle::getPositionsCount).sum();
  }

  private static long taken(ModelUpdate update) {
    return update.getUsed()
        + update.getAnswers()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound()
        + update.getOpen();
  }

  /** Extracts the message of a record; empty if it is not to be recorded. */
  private interface Writing {
    Optional<MessageOrBuilder> of(ConsumerRecord<byte[], byte[]> record)
        throws InvalidProtocolBufferException;
  }

  private static void write(Map<String, ?> kafka, String topic, Path file, Writing content)
      throws IOException {
    try (JsonLines lines = JsonLines.create(file)) {
      CommittedRecords.forEach(
          kafka,
          topic,
          record -> {
            try {
              Optional<MessageOrBuilder> held = content.of(record);
              if (held.isPresent()) {
                lines.write(held.get());
              }
            } catch (InvalidProtocolBufferException e) {
              throw new IllegalStateException(
                  "%s, partition %d, offset %d: the record can't be parsed"
                      .formatted(topic, record.partition(), record.offset()),
                  e);
            }
          });
    }
  }

  private static Optional<MessageOrBuilder> report(ConsumerRecord<byte[], byte[]> record)
      throws InvalidProtocolBufferException {
    return Optional.of(
        RecordedReport.newBuilder()
            .setTopic(record.topic())
            .setPartition(record.partition())
            .setOffset(record.offset())
            .setReport(GradientReport.parseFrom(record.value()))
            .build());
  }

  /** The command that reproduces the recorded updates. */
  String replayCommand() {
    return "croupier replay --models %s --reports %s --journal %s --updates out.jsonl"
        .formatted(quoted(models()), quoted(reports()), quoted(journal()));
  }

  /** A path, quoted for a shell if necessary. */
  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[\\w@%+=:,./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private Path models() {
    return directory.resolve("models.yaml");
  }

  private Path reports() {
    return directory.resolve("reports.jsonl");
  }

  private Path journal() {
    return directory.resolve("journal.jsonl");
  }

  private Path updates() {
    return directory.resolve("updates.jsonl");
  }
}
