package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Gateway;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.config.SettingsFile;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;
import picocli.CommandLine;

/**
 * From a token of {@code croupier gateway token} over a gateway to the job's accounts, from a
 * program and from a browser: what the gateway accepts the job admits, under the identity of the
 * token, and once.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GatewayITCase {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Croupier.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    assertThat(command.execute(arguments)).as(err.toString()).isZero();
    return out.toString().strip();
  }

  private EmbeddedBroker broker;
  private Path settings;
  private JobClient job;
  private Gateway gateway;

  @BeforeEach
  void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("broker"));
    String kafka = broker.bootstrapServers();
    run("topics", "create", "--kafka", kafka);
    Path models =
        Files.writeString(
            directory.resolve("models.yaml"),
            "- {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}\n");
    run("models", "apply", "--kafka", kafka, models.toString());
    settings =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            """
            kafka: {bootstrap.servers: "%s"}
            listen: {port: 0}
            pepper: {file: pepper}
            test-tokens: {allowed: true, key-file: test.jwk}
            """
                .formatted(kafka));
    run("gateway", "init", "--config", settings.toString());
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
            JobConfig.of(
                Map.of("kafka.bootstrap.servers", kafka, "checkpoint.interval", "200 ms")));
    gateway = new Gateway(GatewayConfig.of(SettingsFile.read(settings), directory));
  }

  @AfterEach
  void stop() throws Exception {
    if (gateway != null) {
      gateway.close();
    }
    if (job != null) {
      job.cancel().get(30, TimeUnit.SECONDS);
    }
    broker.close();
  }

  private String token(String subject) {
    return run("gateway", "token", "--config", settings.toString(), "--subject", subject);
  }

  @Test
  void reportsReachTheAccountsOfTheirSenders() throws Exception {
    URI address = gateway.address();
    String ada = token("ada");
    String grace = token("grace");
    JsonObject model = awaitModel(address);
    long round = model.get("round").getAsLong();
    assertThat(report(address, ada, round, 1)).isEqualTo(202);
    assertThat(report(address, ada, round, 1)).isEqualTo(202);
    assertThat(report(address, grace, round, 1)).isEqualTo(202);

    List<AccountingEvent> events = awaitEvents(3);
    assertThat(events.stream().map(AccountingEvent::getOutcome))
        .containsExactlyInAnyOrder(Outcome.ADMITTED, Outcome.DUPLICATE, Outcome.ADMITTED);
    assertThat(events.stream().map(AccountingEvent::getUserId).distinct()).hasSize(2);
    assertThat(events)
        .allSatisfy(
            event ->
                assertThat(event.getUserId())
                    .hasSize(43)
                    .doesNotContain("ada")
                    .doesNotContain("grace"));
    // The update that contains them comes to those who wait.
    HttpResponse<String> next =
        client.send(
            HttpRequest.newBuilder(address.resolve("/v1/models/m?wait=60&after=" + round)).build(),
            BodyHandlers.ofString());
    assertThat(next.statusCode()).isEqualTo(200);
    assertThat(JsonParser.parseString(next.body()).getAsJsonObject().get("round").getAsLong())
        .isGreaterThan(round);
  }

  /** A page that the gateway serves, in Chromium: two visits, which are one device with a limit. */
  @Test
  void aBrowserTakesPart() throws Exception {
    awaitModel(gateway.address());
    URI page = gateway.address().resolve("/v1/visitor.html?token=" + token("ada"));
    ChromeDriver browser = Chromium.start(directory.resolve("profile"));
    try {
      for (int visit = 1; visit <= 2; visit++) {
        browser.get(page.toString());
        assertThat(title(browser)).isEqualTo("sent a gradient, spent " + visit);
      }
      browser.get(page.toString());
      assertThat(title(browser)).startsWith("LimitReachedError: ");
    } finally {
      browser.quit();
    }
    List<AccountingEvent> events = awaitEvents(2);
    assertThat(events).hasSize(2);
    for (int i = 0; i < 2; i++) {
      AccountingEvent event = events.get(i);
      assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
      assertThat(event.getUserId()).hasSize(43).isEqualTo(events.get(0).getUserId());
      assertThat(event.getDeviceId()).isEqualTo(events.get(0).getDeviceId());
      assertThat(event.getPrivUnit().getEpsilon()).isEqualTo(1);
      assertThat(event.getUserTotals().getEpsilon()).isEqualTo(i + 1);
    }
  }

  private static String title(ChromeDriver browser) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (browser.getTitle().equals("waiting")) {
      assertThat(System.nanoTime()).as("the page still waits").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return browser.getTitle();
  }

  private JsonObject awaitModel(URI address) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(address.resolve("/v1/models/m")).build(),
              BodyHandlers.ofString());
      if (response.statusCode() == 200) {
        return JsonParser.parseString(response.body()).getAsJsonObject();
      }
      assertThat(System.nanoTime()).as(response.body()).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  private int report(URI address, String token, long round, long sequence) throws Exception {
    String json =
        """
        {"modelId": "m", "round": "%d", "sequence": "%d", "deviceId": "phone",
         "grid": {"values": [31000, -12000]}, "l2Laplace": {"epsilon": 1}}
        """
            .formatted(round, sequence);
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/reports"))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    HttpResponse<String> response;
    do {
      response = client.send(request, BodyHandlers.ofString());
    } while (response.statusCode() == 503 && System.nanoTime() < deadline);
    return response.statusCode();
  }

  private List<AccountingEvent> awaitEvents(int count) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<AccountingEvent> events = new ArrayList<>();
      CommittedRecords.forEach(
          Map.of("bootstrap.servers", broker.bootstrapServers()),
          "croupier.accounting",
          record -> {
            try {
              events.add(AccountingEvent.parseFrom(record.value()));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
              throw new AssertionError(e);
            }
          });
      if (events.size() >= count) {
        return events;
      }
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(100);
    }
  }
}
