package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.replay.TopicFollower;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.schemas.AccountingEvent;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job as users run it, in a separate process. */
@Tag("ci")
class RunE2ECase {

  private static final Path SCRIPT = Path.of("..", "croupier").toAbsolutePath().normalize();

  @TempDir private Path directory;
  @TempDir private Path temporary;

  @AfterEach
  void leavesNothingBehind() {
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void publishesModelsUntilItIsInterrupted() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      Path config = configuration(broker);
      Path models =
          Files.writeString(
              directory.resolve("models.yaml"),
              "- {modelId: taps, dimension: 3, gradientBound: 1, blackBox: {}}");
      CommandRun.croupier("topics create --config " + config).succeeded();
      CommandRun.croupier("models apply %s --config %s".formatted(models, config)).succeeded();

      Process process = run(config);
      try (ModelSubscriber subscriber =
          new ModelSubscriber(
              Map.of("bootstrap.servers", broker.bootstrapServers()), "mine.updates")) {
        ModelSnapshot first = subscriber.await("taps", Duration.ofMinutes(2));
        assertThat(first.round()).isZero();
        assertThat(first.weights()).containsExactly(0, 0, 0);
      } finally {
        // Stands in for Ctrl-C, whose signal is ignored if this build runs in the background.
        process.destroy();
      }

      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
      assertThat(printed())
          .contains("The job is running. Press Ctrl-C to stop it.")
          .doesNotContainIgnoringCase("failed", "not cancelled");
    }
  }

  /** The ledger is rebuilt from the accounts, and then restored from a checkpoint. */
  @Tag("thorough")
  @Test
  void accountsRequireAnOption() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"));
        KafkaProducer<byte[], byte[]> producer =
            SecuredBroker.producer(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      Path config = configuration(broker);
      CommandRun.croupier("topics create --config " + config).succeeded();
      AccountingEvent event =
          TextFormat.parse(
              "user_id: 'ada' device_id: 'phone' model_id: 'taps' sequence: 1 outcome: ADMITTED"
                  + " undisclosed {} source { topic: 'mine.gradients' partition: 0 offset: 0 }",
              AccountingEvent.class);
      producer
          .send(new ProducerRecord<>("mine.accounting", "ada".getBytes(UTF_8), event.toByteArray()))
          .get();

      assertThat(refusal(config))
          .contains("mine.accounting", "--from PATH", "--rebuild-ledger", "--new-ledger");
      runUntilCheckpoint(broker, 1, config, "--rebuild-ledger");
      assertThat(printed())
          .contains("The ledger is rebuilt from mine.accounting: 1 events added, of 1 offsets");
      assertThat(refusal(config, "--from", newestCheckpoint() + "x"))
          .contains("There is no savepoint or checkpoint at '" + newestCheckpoint() + "x': ");
      runUntilCheckpoint(
          broker, 2, config, "--from", newestCheckpoint().toString(), "--set", "parallelism=2");
    }
  }

  @Test
  void settingsThatFlinkRefusesAreExplained() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      Path config = configuration(broker);
      CommandRun.croupier("topics create --config " + config).succeeded();

      assertThat(refusal(config, "--set", "checkpoint.directory=s3://bucket/checkpoints"))
          .contains(
              "Flink can't start the job with checkpoint.directory and flink.* as they are: Failed",
              "scheme 's3'")
          .doesNotContain("Exception");
      assertThat(refusal(config, "--set", "parallelism=2000"))
          .contains("max-parallelism is 1024, but the parallelism is 2000");
    }
  }

  /** Runs a job that refuses to start, and returns what it printed. */
  private String refusal(Path config, String... options) throws Exception {
    Process refused = run(config, options);
    assertThat(refused.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(refused.exitValue()).isEqualTo(1);
    assertThat(printed()).doesNotContain("\tat ");
    return printed();
  }

  private String printed() {
    try {
      return Files.readString(directory.resolve("output"), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs the job until it has completed a new checkpoint: the dead letter of an unreadable record
   * is committed at one.
   *
   * @param runs with this one
   */
  private void runUntilCheckpoint(EmbeddedBroker broker, int runs, Path config, String... options)
      throws Exception {
    Map<String, String> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (KafkaProducer<byte[], byte[]> producer = SecuredBroker.producer(Map.copyOf(kafka))) {
      // An accounting event may name a position of partition 0, and the job starts behind it.
      producer
          .send(new ProducerRecord<>("mine.gradients", 1, "ada".getBytes(UTF_8), new byte[] {1}))
          .get();
    }
    Process process = run(config, options);
    try (TopicFollower<byte[]> letters =
        new TopicFollower<>(kafka, "mine.dead-letters", record -> record.value())) {
      letters.await(
          "dead letter",
          () -> {
            assertThat(process.isAlive()).as(() -> "runs: " + printed()).isTrue();
            return letters.read().size() >= runs;
          });
    } finally {
      process.destroy();
    }
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
  }

  private Process run(Path config, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(List.of(SCRIPT.toString(), "run", "--config", config.toString()));
    command.addAll(List.of(options));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
    builder.environment().put("TMPDIR", temporary.toString());
    return builder.start();
  }

  private Path configuration(EmbeddedBroker broker) throws IOException {
    return Files.writeString(
        directory.resolve("job.yaml"),
        """
        kafka:
          bootstrap.servers: %s
        topics:
          prefix: mine
        checkpoint:
          interval: 250 ms
          directory: %s
        """
            .formatted(broker.bootstrapServers(), checkpointDirectory().toUri()));
  }

  private Path checkpointDirectory() {
    return directory.resolve("checkpoints");
  }

  /** The newest of the checkpoints of all jobs that are complete and retained. */
  private Path newestCheckpoint() {
    List<Path> complete = new ArrayList<>();
    File[] jobs = checkpointDirectory().toFile().listFiles();
    for (File job : jobs == null ? new File[0] : jobs) {
      File[] kept = job.listFiles((parent, name) -> name.startsWith("chk-"));
      for (File checkpoint : kept == null ? new File[0] : kept) {
        if (new File(checkpoint, "_metadata").exists()) {
          complete.add(checkpoint.toPath());
        }
      }
    }
    return Collections.max(
        complete,
        Comparator.comparingInt(
            path -> Integer.parseInt(path.getFileName().toString().substring("chk-".length()))));
  }
}
