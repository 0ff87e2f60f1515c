package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The Python program of docs/build/python.md, as written, runs again and again for two minutes
 * against a model that publishes each second, and reports its data once.
 *
 * <p>Skipped, with a message, where Python, or what pip has to fetch, is missing.
 */
@Tag("thorough")
class PythonSnippetITCase extends GatewayFixture {
  private final AtomicLong round = new AtomicLong();

  @Test
  void theProgramReportsItsDataOnce() throws Exception {
    String venv = sharedDirectory.resolve("venv").toString();
    assumeTrue(
        start(List.of("python3", "-m", "venv", venv)).waitFor() == 0,
        "Skipped: Python's venv isn't installed");
    assumeTrue(
        start(List.of(venv + "/bin/pip", "install", "protobuf>=3.20")).waitFor() == 0,
        "Skipped: pip can't fetch protobuf");
    broker.publish(TestBroker.wellbeing());
    publish();
    startGateway(Map.of());
    Files.writeString(sharedDirectory.resolve("ada.token"), gateway.issuer.token("ada"));
    Files.writeString(sharedDirectory.resolve("program.py"), program());
    ScheduledExecutorService job = Executors.newScheduledThreadPool(1);
    ScheduledFuture<?> publishing = job.scheduleAtFixedRate(this::publish, 1, 1, TimeUnit.SECONDS);
    List<String> printed = new ArrayList<>();
    try {
      while (round.get() < 120) {
        Process run = start(List.of(venv + "/bin/python", "program.py"));
        printed.add(new String(run.getInputStream().readAllBytes(), UTF_8).strip());
        assertThat(run.waitFor()).as(printed.get(printed.size() - 1)).isZero();
      }
    } finally {
      publishing.cancel(false);
      job.shutdown();
      assertThat(job.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(printed.get(0)).startsWith("sent a gradient for round ");
    assertThat(printed.subList(1, printed.size()))
        .isNotEmpty()
        .allMatch(
            line -> line.startsWith("model wellbeing-1 has received data with this key once"));
    assertThat(broker.reports()).hasSize(1);
  }

  private static String program() throws Exception {
    Matcher program =
        Pattern.compile("```python\n(from pathlib.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/build/python.md")));
    assertThat(program.find()).isTrue();
    return program
        .group(1)
        .replace("https://gateway.example", "http://127.0.0.1:" + gateway.uri("/").getPort());
  }

  private static Process start(List<String> command) throws Exception {
    ProcessBuilder process =
        new ProcessBuilder(command).directory(sharedDirectory.toFile()).redirectErrorStream(true);
    process
        .environment()
        .put("PYTHONPATH", Path.of("../devices/python/src").toAbsolutePath().toString());
    if (!command.get(command.size() - 1).equals("program.py")) {
      process.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    }
    return process.start();
  }

  private void publish() {
    broker.updateWellbeing(round.getAndIncrement());
  }
}
