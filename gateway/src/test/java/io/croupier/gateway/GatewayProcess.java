package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.FreePorts;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** A gateway in a process of its own, which a test ends and starts again on the same port. */
final class GatewayProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  final TestIssuer issuer = TestIssuer.COMMON;
  final URI address;
  private final Path directory;
  private final Path file;
  private Process process;

  /**
   * Writes the configuration.
   *
   * @param more settings besides those of every test
   */
  GatewayProcess(Path directory, Map<String, String> kafka, Map<String, String> more)
      throws Exception {
    this.directory = Files.createDirectories(directory);
    Map<String, String> settings = TestGateway.settings(directory, kafka, issuer);
    int port = FreePorts.next();
    settings.put("listen.port", String.valueOf(port));
    settings.putAll(more);
    address = URI.create("http://127.0.0.1:" + port);
    Pepper.create(directory.resolve("pepper"));
    Properties properties = new Properties();
    properties.putAll(settings);
    file = directory.resolve("gateway.properties");
    try (Writer writer = Files.newBufferedWriter(file, UTF_8)) {
      properties.store(writer, null);
    }
  }

  /** What the process runs: {@code SETTINGS}, a properties file. */
  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, UTF_8)) {
      properties.load(reader);
    }
    Map<String, String> settings = new HashMap<>();
    properties.forEach((key, value) -> settings.put((String) key, (String) value));
    AtExit.run(new Gateway(GatewayConfig.of(settings, file.toAbsolutePath().getParent()))::close);
  }

  /** Starts the process; the one before must have ended. */
  Process start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                GatewayProcess.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
            .start();
    return process;
  }

  void awaitReady() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/readyz")).build();
        if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // It does not listen yet.
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  Pepper pepper() {
    return Pepper.read(directory.resolve("pepper"));
  }

  /** Ends the process with SIGKILL. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    if (process != null) {
      kill();
    }
  }
}
