package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.broker.EmbeddedBroker;
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
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * From a token of {@code croupier gateway token} over a gateway to the job's accounts: what the
 * gateway accepts the job admits, under the identity of the token, and once.
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

  @Test
  void reportsReachTheAccountsOfTheirSenders() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"))) {
      String kafka = broker.bootstrapServers();
      run("topics", "create", "--kafka", kafka);
      Path models =
          Files.writeString(
              directory.resolve("models.yaml"),
              "- {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}\n");
      run("models", "apply", "--kafka", kafka, models.toString());
      Path file =
          Files.writeString(
              directory.resolve("gateway.yaml"),
              """
              kafka: {bootstrap.servers: "%s"}
              listen: {port: 0}
              pepper: {file: pepper}
              test-tokens: {allowed: true, key-file: test.jwk}
              """
                  .formatted(kafka));
      run("gateway", "init", "--config", file.toString());
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
              JobConfig.of(
                  Map.of("kafka.bootstrap.servers", kafka, "checkpoint.interval", "200 ms")));
      try (Gateway gateway = new Gateway(GatewayConfig.of(SettingsFile.read(file), directory))) {
        URI address = gateway.address();
        String ada = run("gateway", "token", "--config", file.toString(), "--subject", "ada");
        String grace = run("gateway", "token", "--config", file.toString(), "--subject", "grace");
        JsonObject model = awaitModel(address);
        long round = model.get("round").getAsLong();
        assertThat(report(address, ada, round, 1)).isEqualTo(202);
        assertThat(report(address, ada, round, 1)).isEqualTo(202);
        assertThat(report(address, grace, round, 1)).isEqualTo(202);

        List<AccountingEvent> events = awaitEvents(kafka, 3);
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
                HttpRequest.newBuilder(address.resolve("/v1/models/m?wait=60&after=" + round))
                    .build(),
                BodyHandlers.ofString());
        assertThat(next.statusCode()).isEqualTo(200);
        assertThat(JsonParser.parseString(next.body()).getAsJsonObject().get("round").getAsLong())
            .isGreaterThan(round);
      } finally {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
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

  private static List<AccountingEvent> awaitEvents(String kafka, int count) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      List<AccountingEvent> events = new ArrayList<>();
      CommittedRecords.forEach(
          Map.of("bootstrap.servers", kafka),
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
