package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.gateway.TestBroker;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command of docs/run/watch.md in a process of its own, until SIGTERM. */
@Tag("thorough")
class WatchE2ECase {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path temporary;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void servesThePageUntilItIsAskedToEnd() throws Exception {
    String command = "./croupier watch --kafka localhost:9092";
    assertThat(Files.readString(PROJECT.resolve("docs/run/watch.md"))).contains(command);
    try (TestBroker broker = new TestBroker(temporary.resolve("broker"))) {
      String running = command.replace("localhost:9092", broker.kafka().get("bootstrap.servers"));
      List<String> words = List.of((running + " --port 0").split(" ", -1));
      ProcessBuilder builder =
          new ProcessBuilder(words).directory(PROJECT.toFile()).redirectErrorStream(true);
      builder.environment().put("TMPDIR", temporary.toString());
      Process process = builder.start();
      try (BufferedReader output = process.inputReader(UTF_8)) {
        String line = output.readLine();
        while (!line.startsWith("Watch: ")) {
          line = output.readLine();
        }
        URI page = URI.create(line.substring("Watch: ".length()));
        List<String> events = new ArrayList<>();
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(page.resolve("events")).build(), BodyHandlers.ofLines())
            .body()
            .forEach(
                event -> {
                  if (events.isEmpty()) {
                    // Process.destroy would close the output, too.
                    assertThat(process.toHandle().destroy()).isTrue();
                  }
                  events.add(event);
                });
        events.removeIf(String::isEmpty);
        assertThat(events.get(0)).contains("\"title\":\"Croupier\"", "\"ended\":false");
        assertThat(events.get(events.size() - 1))
            .contains("\"ended\":true", "The command that serves this page has ended.");
        assertThat(process.waitFor()).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
