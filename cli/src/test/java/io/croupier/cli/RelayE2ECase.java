package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A relay in a process of its own, until SIGTERM. */
class RelayE2ECase {
  private static final Path SCRIPT = Path.of("..", "croupier").toAbsolutePath().normalize();

  @TempDir private Path temporary;

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void relaysUntilItIsAskedToEnd() throws Exception {
    // Nothing listens on this port, which no user's process can take.
    ProcessBuilder builder =
        new ProcessBuilder(SCRIPT.toString(), "relay", "--to", "http://127.0.0.1:1/", "--port", "0")
            .redirectErrorStream(true);
    builder.environment().put("TMPDIR", temporary.toString());
    Process process = builder.start();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      String line = output.readLine();
      while (!line.startsWith("Relaying ")) {
        line = output.readLine();
      }
      String[] words = line.split(" ", -1);
      assertThat(words[3]).isEqualTo("http://127.0.0.1:1/v1/ohttp");
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(words[1]))
                      .header("Content-Type", "message/ohttp-req")
                      .POST(BodyPublishers.ofByteArray(new byte[2615]))
                      .build(),
                  BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("the gateway did not answer the relay");
      // Process.destroy would close the output, too.
      assertThat(process.toHandle().destroy()).isTrue();
      String rest = String.join("\n", output.lines().toList());
      assertThat(rest).contains("The gateway did not answer").doesNotContain("127.0.0.1");
      assertThat(process.waitFor()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
