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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Writes what it takes to replay a run into a directory of its own: the specs, everybody's reports,
 * the journal, and the updates that a replay must come to.
 */
final class Recorder {

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
   */
  void record(Map<String, ?> kafka, Topics topics, List<ModelSpec> specs) throws IOException {
    write(kafka, topics.gradients(), reports(), Recorder::report);
    write(kafka, topics.journal(), journal(), record -> JournalEntry.parseFrom(record.value()));
    write(kafka, topics.updates(), updates(), record -> ModelUpdate.parseFrom(record.value()));
    Files.writeString(models(), ModelsFile.text(specs));
  }

  /** What a record holds. */
  private interface Content {
    MessageOrBuilder of(ConsumerRecord<byte[], byte[]> record)
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
              lines.write(content.of(record));
            } catch (InvalidProtocolBufferException e) {
              throw new IllegalStateException(
                  "%s holds what nobody here has written".formatted(topic), e);
            }
          });
    }
  }

  private static RecordedReport report(ConsumerRecord<byte[], byte[]> record)
      throws InvalidProtocolBufferException {
    return RecordedReport.newBuilder()
        .setTopic(record.topic())
        .setPartition(record.partition())
        .setOffset(record.offset())
        .setReport(GradientReport.parseFrom(record.value()))
        .build();
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
