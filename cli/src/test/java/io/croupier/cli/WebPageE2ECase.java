package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.broker.FreePorts;
import io.croupier.cli.replay.TopicFollower;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Condition;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;

/** The walk "A page of yours, on your laptop" of docs/build/javascript.md, in Chromium. */
@Tag("thorough")
class WebPageE2ECase {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern BLOCK = Pattern.compile("(?s) *```\n(.*?)```");

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();
  private final int gatewayPort = FreePorts.next();
  private final int pagePort = FreePorts.next();
  private JobClient job;
  private ChromeDriver browser;

  @AfterEach
  void stop() throws Exception {
    if (browser != null) {
      browser.quit();
    }
    for (Process process : processes) {
      process.destroy();
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    }
    if (job != null) {
      job.cancel().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    Files.deleteIfExists(directory.resolve("croupier"));
    Files.deleteIfExists(directory.resolve("devices"));
  }

  @Test
  void theWalkLeadsToAnAdmittedReport() throws Exception {
    assumeTrue(
        Programs.succeeds("python3", "--version"),
        "Skipped: python3 isn't installed, so the page isn't served");
    browser = Chromium.start(directory.resolve("profile"));
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      String kafka = broker.bootstrapServers();
      copyExamples(kafka);
      List<String> blocks = blocks(kafka);
      assertThat(blocks).hasSize(3);
      Path setUp = directory.resolve("set-up");
      Process first = bash(blocks.get(0), setUp);
      assertThat(first.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(first.exitValue()).as(Files.readString(setUp)).isZero();
      job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
              JobConfig.of(
                  Map.of("kafka.bootstrap.servers", kafka, "checkpoint.interval", "250 ms")));
      Path log = directory.resolve("gateway");
      processes.add(bash("exec " + blocks.get(1), log));
      Condition.await("the gateway", () -> read(log).contains("Serving "));
      processes.add(
          bash(blocks.get(2).replace("python3", "exec python3"), directory.resolve("server")));
      Condition.await("the page's server", () -> listens(pagePort));

      // Another origin than the configured one.
      open("127.0.0.1");
      submit();
      Condition.await("the reason", () -> state().contains("could not be reached"));
      assertThat(state())
          .isEqualTo(
              "the gateway could not be reached, or its cors.origins don't allow this page's"
                  + " origin, http://127.0.0.1:"
                  + pagePort);
      Condition.await("the log", () -> read(log).contains("add the origin to cors.origins"));

      open("localhost");
      Condition.await("the model", () -> submitted().startsWith("Sent for round "));
      assertThat(state()).endsWith("Epsilon spent: 1 of 20.");
      submit();
      Condition.await("the refusal", () -> state().contains("report other data under another key"));
      assertThat(Files.readString(directory.resolve("trial/page/index.html")))
          .contains("\"./croupier.js\": \"sha384-");
      assertAdmitted(kafka);
    }
  }

  /** Until the job has published the model, the page shows that there is none. */
  private String submitted() {
    String state = state();
    if (!state.matches("(Asking|Round|Sent) .*")) {
      submit();
    }
    return state;
  }

  private void open(String host) {
    browser.get("http://%s:%d/".formatted(host, pagePort));
    browser.findElement(By.name("minutesWalked")).sendKeys("45");
    browser.findElement(By.name("hoursSlept")).sendKeys("7.5");
    browser.findElement(By.name("feltWell")).click();
  }

  private void submit() {
    browser.findElement(By.tagName("button")).click();
  }

  private String state() {
    return browser.findElement(By.id("state")).getText();
  }

  private static void assertAdmitted(String kafka) throws Exception {
    try (TopicFollower<AccountingEvent> events =
        TopicFollower.events(Map.of("bootstrap.servers", kafka), "croupier.accounting")) {
      events.await("the verdict", () -> !events.read().isEmpty());
      assertThat(events.read())
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
                assertThat(event.getModelId()).isEqualTo("wellbeing-1");
                assertThat(event.getUserId()).hasSize(43);
              });
    }
  }

  /** The examples at this test's ports, beside the command. */
  private void copyExamples(String kafka) throws IOException {
    Files.createSymbolicLink(directory.resolve("croupier"), ROOT.resolve("croupier"));
    Files.createSymbolicLink(directory.resolve("devices"), ROOT.resolve("devices"));
    Files.createDirectories(directory.resolve("examples/web"));
    for (String file : List.of("wellbeing.yaml", "web/gateway.yaml", "web/index.html")) {
      String text = Files.readString(ROOT.resolve("examples").resolve(file));
      Files.writeString(directory.resolve("examples").resolve(file), here(text, kafka));
    }
    Path gateway = directory.resolve("examples/web/gateway.yaml");
    Files.writeString(
        gateway, Files.readString(gateway) + "listen:\n  port: %d\n".formatted(gatewayPort));
  }

  private String here(String text, String kafka) {
    return text.replace("localhost:9092", kafka)
        .replace("127.0.0.1:8080", "127.0.0.1:" + gatewayPort)
        .replace("localhost:8000", "localhost:" + pagePort)
        .replace("http.server 8000", "http.server " + pagePort);
  }

  private List<String> blocks(String kafka) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/build/javascript.md"));
    String walk =
        page.substring(page.indexOf("## A page of yours"), page.indexOf("## What it con"));
    return BLOCK
        .matcher(walk)
        .results()
        .map((MatchResult block) -> here(block.group(1).stripIndent(), kafka))
        .toList();
  }

  private Process bash(String script, Path output) throws IOException {
    return new ProcessBuilder("bash", "-ec", script)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file, UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
