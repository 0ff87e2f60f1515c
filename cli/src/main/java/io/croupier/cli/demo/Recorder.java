package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import io.croupier.cli.CommittedRecords;
import io.croupier.cli.InputException;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.replay.JsonLines;
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
 * Writes what it takes to replay a run into a directory of its own: the specs, everybody's reports,
 * the journal, and the updates that a replay must come to.
 */
final class Recorder {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 100;

  private final Path directory;

  private Recorder(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes sure of an empty directory. A new one is its owner's alone, where the file system knows
   * of owners: the reports are everybody's.
   *
   * @throws InputException if there is something in it, or it can't be created
   */
  static Recorder into(Path directory) {
    try {
      if (Files.notExists(directory)) {
        create(directory);
      }
      try (Stream<Path> files = Files.list(Files.createDirectories(directory))) {
        if (files.findAny().isPresent()) {
          throw new InputException(
              "--record: %s is not empty; it must be a new or an empty directory"
                  .formatted(directory));
        }
      }
      return new Recorder(directory.toAbsolutePath().normalize());
    } catch (FileAlreadyExistsException e) {
      throw new InputException(
          "--record: %s is a file; it must be a new or an empty directory".formatted(directory), e);
    } catch (IOException e) {
      throw new InputException("--record: %s can't be used: %s".formatted(directory, e), e);
    }
  }

  private static void create(Path directory) throws IOException {
    Path created = Files.createDirectories(directory);
    if (Files.getFileStore(created).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(created, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /**
   * Records what is committed on the topics of a run whose job has ended. The specs come last: a
   * recording that was broken off has none, and can't be taken for a whole one.
   *
   * @param specs of the models to record; those of raw reports can't be
   * @throws IllegalStateException if the journal doesn't come to what the updates tell within 30 s
   */
  void record(Map<String, ?> kafka, Topics topics, List<ModelSpec> specs)
      throws IOException, InterruptedException {
    record(kafka, topics, specs, PATIENCE);
  }

  /** Records, and gives the journal no more than {@code patience} to come to the updates. */
  void record(Map<String, ?> kafka, Topics topics, List<ModelSpec> specs, Duration patience)
      throws IOException, InterruptedException {
    write(kafka, topics.gradients(), reports(), Recorder::report);
    long deadline = System.nanoTime() + patience.toNanos();
    Set<String> models = specs.stream().map(ModelSpec::getModelId).collect(Collectors.toSet());
    List<String> gaps = writeJournalAndUpdates(kafka, topics, models);
    // The brokers end a transaction on each partition in its own time.
    while (!gaps.isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "The recording in %s would not replay, and has no models.yaml: after %s s %s"
                .formatted(directory, patience.toMillis() / 1e3, String.join("; ", gaps)));
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      gaps = writeJournalAndUpdates(kafka, topics, models);
    }
    Files.writeString(models(), ModelsFile.text(specs));
  }

  /** Writes both, and returns in what they disagree, a clause for each model. */
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
    Map<String, Long> told = new HashMap<>();
    write(
        kafka,
        topics.updates(),
        updates(),
        record -> {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          if (!models.contains(update.getModelId())) {
            return Optional.empty();
          }
          told.put(update.getModelId(), taken(update));
          return Optional.of(update);
        });
    return Stream.of(journalled, told)
        .flatMap(reports -> reports.keySet().stream())
        .distinct()
        .sorted()
        .filter(id -> !journalled.getOrDefault(id, 0L).equals(told.getOrDefault(id, 0L)))
        .map(
            id ->
                "the journal of '%s' holds %d reports, and its last update tells of %d"
                    .formatted(id, journalled.getOrDefault(id, 0L), told.getOrDefault(id, 0L)))
        .toList();
  }

  private static long positions(JournalEntry entry) {
    return entry.getBundlesList().stream().mapToLong(JournalEntry.Bundle::getPositionsCount).sum();
  }

  private static long taken(ModelUpdate update) {
    return update.getUsed()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getOpen();
  }

  /** What a record holds; empty if it is not to be recorded. */
  private interface Content {
    Optional<MessageOrBuilder> of(ConsumerRecord<byte[], byte[]> record)
        throws InvalidProtocolBufferException;
  }

  private static void write(Map<String, ?> kafka, String topic, Path file, Content content)
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
                  "%s holds what nobody here has written".formatted(topic), e);
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

  /** The command that tells the recorded updates again. */
  String replayCommand() {
    return "croupier replay --models %s --reports %s --journal %s --updates out.jsonl"
        .formatted(quoted(models()), quoted(reports()), quoted(journal()));
  }

  /** A path as a shell takes it. */
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
