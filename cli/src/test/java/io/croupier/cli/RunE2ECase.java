package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job as a user runs it, in a process of its own beside a broker. */
class RunE2ECase {

  private static final Path SCRIPT = Path.of("..", "croupier").toAbsolutePath().normalize();

  @TempDir private Path directory;

  @Test
  void publishesModelsUntilItIsInterrupted() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      Path config =
          Files.writeString(
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
                  .formatted(broker.bootstrapServers(), directory.resolve("checkpoints").toUri()));
      Path models =
          Files.writeString(
              directory.resolve("models.yaml"),
              "- {modelId: taps, dimension: 3, gradientBound: 1, adaptiveRadius: {}}");
      assertThat(Croupier.run("topics", "create", "--config", config.toString())).isZero();
      assertThat(Croupier.run("models", "apply", models.toString(), "--config", config.toString()))
          .isZero();

      Process process =
          new ProcessBuilder(SCRIPT.toString(), "run", "--config", config.toString())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile())
              .start();
      try (ModelSubscriber subscriber =
          new ModelSubscriber(
              Map.of("bootstrap.servers", broker.bootstrapServers()), "mine.updates")) {
        ModelSnapshot first = subscriber.await("taps", Duration.ofSeconds(60));
        assertThat(first.round()).isZero();
        assertThat(first.weights()).containsExactly(0, 0, 0);
      } finally {
        // Like Ctrl-C; but that signal does nothing where this build runs in the background.
        process.destroy();
      }

      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
      assertThat(Files.readString(directory.resolve("output"), UTF_8))
          .startsWith("Running. Ctrl-C ends it.")
          .doesNotContainIgnoringCase("failed", "not cancelled");
    }
  }

  @Test
  void missingTopicsAreNamed() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      Process process =
          new ProcessBuilder(SCRIPT.toString(), "run", "--kafka", broker.bootstrapServers())
              .redirectErrorStream(true)
              .start();

      assertThat(process.inputReader(UTF_8).lines().toList())
          .singleElement()
          .asString()
          .contains("croupier.gradients", "croupier topics create");
      assertThat(process.waitFor()).isEqualTo(1);
    }
  }
}
