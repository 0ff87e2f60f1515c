package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.cli.replay.TopicFollower;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Dense;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Undisclosed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job's ledger from an auditor's point of view: a report that would exceed a limit is refused,
 * the totals on the topic can be recomputed, and every documented command for this works.
 */
@Tag("ci")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LedgerITCase {
  private static final String MODELS =
      """
      - {modelId: kept, dimension: 2, gradientBound: 1, blackBox: {}, limits: {epsilon: 1}}
      - {modelId: free, dimension: 2, gradientBound: 1, blackBox: {}}
      """;

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;
  private static JobConfig config;
  private static List<AccountingEvent> events;

  private static CommandRun croupier(String line) {
    return CommandRun.croupier(line + " --kafka " + broker.bootstrapServers());
  }

  @BeforeAll
  static void judge() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("kafka"));
    config =
        JobConfig.of(
            Map.of(
                "kafka.bootstrap.servers", broker.bootstrapServers(),
                "checkpoint.interval", "250 ms",
                "limits.user.reports", "7"));
    Path models = Files.writeString(directory.resolve("models.yaml"), MODELS);
    croupier("topics create").succeeded();
    croupier("models apply " + models).succeeded();
    JobClient job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()), config);
    try (TopicFollower<AccountingEvent> accounts =
        TopicFollower.events(config.kafka(), config.topics().accounting())) {
      List<GradientReport> reports = reports();
      send(reports);
      events = accounts.read();
      accounts.await("event of each report", () -> events.size() == reports.size());
      assertThat(croupier("erase --user cy").out())
          .contains("The erasure is croupier.erasures-", "'croupier ledger --user cy'");
      accounts.await("event of the erasure", () -> events.size() == reports.size() + 1);
    } finally {
      job.cancel().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static GradientReport.Builder report(String user, String model, long sequence) {
    return GradientReport.newBuilder()
        .setModelId(model)
        .setRound(0)
        .setUserId(user)
        .setDeviceId("phone")
        .setSequence(sequence)
        .setCreatedAtMs(1)
        .setDense(Dense.newBuilder().addValues(0).addValues(0));
  }

  /** Ada reports five times with epsilon 0.25, sending each report twice; others report, too. */
  private static List<GradientReport> reports() {
    List<GradientReport> reports = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      GradientReport report =
          report("ada", "kept", i).setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.25)).build();
      reports.add(report);
      reports.add(report);
    }
    for (int i = 0; i < 9; i++) {
      reports.add(
          report("bob", "free", i).setGaussian(Gaussian.newBuilder().setMu(0.1 + i)).build());
    }
    reports.add(
        report("cy", "free", 0).setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.5)).build());
    for (int i = 0; i < 30; i++) {
      String user = "user-" + i;
      reports.add(report(user, "free", 0).setUndisclosed(Undisclosed.getDefaultInstance()).build());
      reports.add(
          report(user, "kept", 1)
              .setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.03 * (i + 1)))
              .build());
    }
    return reports;
  }

  private static void send(List<GradientReport> reports) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        SecuredBroker.producer(Map.copyOf(config.kafka()))) {
      for (GradientReport report : reports) {
        producer
            .send(
                new ProducerRecord<>(
                    config.topics().gradients(),
                    report.getUserId().getBytes(UTF_8),
                    report.toByteArray()))
            .get();
      }
    }
  }

  private static List<AccountingEvent> of(String user) {
    return events.stream().filter(event -> event.getUserId().equals(user)).toList();
  }

  @Test
  void reportsThatWouldExceedALimitAreRefused() {
    assertThat(of("ada"))
        .extracting(AccountingEvent::getOutcome)
        .containsExactly(
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.ADMITTED,
            Outcome.DUPLICATE,
            Outcome.REFUSED_BUDGET,
            Outcome.DUPLICATE);
    assertThat(of("bob").subList(0, 7)).allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
    assertThat(of("bob").subList(7, 9))
        .allMatch(event -> event.getOutcome() == Outcome.REFUSED_BUDGET);
  }

  @Test
  void composeReproducesTheLedgersTotals() {
    Map<String, Spend> newest = new HashMap<>();
    for (AccountingEvent event : events) {
      newest.put(event.getUserId(), event.getUserTotals());
      String model = event.getUserId() + "/";
      if (event.getOutcome() == Outcome.ERASED) {
        newest.keySet().removeIf(name -> name.startsWith(model));
      } else {
        newest.put(model + event.getModelId(), event.getModelTotals());
      }
    }
    JsonObject json = croupier("account compose --json --by-model").succeeded().json();
    assertThat(json.get("events").getAsLong()).isEqualTo(events.size());
    assertThat(json.get("mismatches").getAsLong()).isZero();
    Map<String, JsonObject> lines = new HashMap<>();
    for (String list : List.of("byUser", "byModel")) {
      for (JsonElement element : json.getAsJsonArray(list)) {
        JsonObject line = element.getAsJsonObject();
        String model = line.has("modelId") ? "/" + line.get("modelId").getAsString() : "";
        lines.put(line.get("userId").getAsString() + model, line);
      }
    }
    assertThat(lines).containsOnlyKeys(newest.keySet());
    newest.forEach(
        (name, spend) -> {
          JsonObject line = lines.get(name);
          assertThat(line.get("reports").getAsLong()).as(name).isEqualTo(spend.getReports());
          assertThat(line.get("pureEpsilon").getAsDouble()).as(name).isEqualTo(spend.getEpsilon());
          assertThat(line.get("mu").getAsDouble()).as(name).isEqualTo(spend.getMu());
          assertThat(line.get("rho").getAsDouble()).as(name).isEqualTo(spend.getRho());
          assertThat(line.get("undisclosed").getAsLong())
              .as(name)
              .isEqualTo(spend.getUndisclosed());
        });
  }

  @Test
  void theLedgerOfOneUserHasRemainingLimitsAndReasons() {
    assertThat(croupier("ledger --user ada").succeeded().out())
        .containsPattern("model kept +\\| +5 \\| +1\\.25 \\| .+ \\| +epsilon 0")
        .containsPattern("all models +\\| +5 \\| +1\\.25 \\| .+ \\| +reports 2")
        .containsPattern("ADMITTED +\\| +4 \\|")
        .containsPattern("DUPLICATE +\\| +5 \\|")
        .containsPattern("REFUSED_BUDGET +\\| +1 \\| .*epsilon")
        .contains("Epsilon spent, by report:");
    JsonObject json = croupier("ledger --user ada --json").json();
    assertThat(json.getAsJsonObject("spent").get("epsilon").getAsDouble()).isEqualTo(1.25);
    assertThat(json.getAsJsonObject("left").get("reports").getAsLong()).isEqualTo(2);
  }

  @Test
  void ofAnErasedAccountTheTotalsRemain() {
    assertThat(croupier("ledger --user cy").succeeded().out())
        .containsPattern("User cy\\R?\\s*Erased at 20\\d\\d-")
        .containsPattern("all models +\\| +1 \\| +0\\.5 \\|")
        .doesNotContain("model free", "ADMITTED");
    JsonObject json = croupier("ledger --user cy --json").json();
    assertThat(json.get("erasedAt").getAsString()).startsWith("20");
    assertThat(json.getAsJsonArray("models")).isEmpty();
  }

  @Test
  void anErasureNeedsAUser() {
    assertThat(croupier("erase").code()).isEqualTo(2);
    croupier("erase --user " + "x".repeat(257))
        .failed("--user has 257 bytes; a user_id has 1 to 256");
  }

  @Test
  void theLedgerOfTopSpenders() {
    assertThat(croupier("ledger --top 2").succeeded().out())
        .containsPattern("bob +\\| +9 \\|")
        .contains("2 of 33 people", "Epsilon spent, by person:", "Mu spent, by person:")
        .containsPattern("REFUSED_BUDGET +\\| +3 \\|");
    assertThat(croupier("ledger --top 40 --json").json().getAsJsonArray("top")).hasSize(33);
  }

  @Test
  void unknownUsersAreReported() {
    croupier("ledger --user eve").failed("--user is eve, who has no event on topic croupier.acc");
    croupier("ledger --top 0").failed("--top is 0; it must be");
    assertThat(croupier("ledger").code()).isEqualTo(2);
    croupier("account compose --prefix nowhere").failed("Topic nowhere.accounting doesn't exist");
  }

  @Test
  void theDocumentedCommandsWork() throws Exception {
    Path users = Files.writeString(directory.resolve("users.txt"), "ada" + System.lineSeparator());
    compactAccounts();
    List<String> lines = new ArrayList<>();
    for (String page : List.of("reference/calibrate.md", "run/people.md")) {
      lines.addAll(Files.readAllLines(Path.of("..", "docs", page)));
    }
    List<String> commands =
        lines.stream()
            .filter(
                line ->
                    line.matches("\\./croupier (account|calibrate|ledger|erase|stop|resume) .*"))
            .map(line -> line.replace("./croupier ", ""))
            .map(line -> line.replace("users.txt", users.toString()))
            .map(line -> line.replace("localhost:9092", broker.bootstrapServers()))
            .toList();

    assertThat(commands).hasSizeGreaterThanOrEqualTo(5);
    commands.forEach(command -> CommandRun.croupier(command).succeeded());
  }

  /** The setting alone: no segment is closed. */
  private static void compactAccounts() throws Exception {
    TopicSettings.set(
        config.kafka(), config.topics().accounting(), Map.of("cleanup.policy", "compact"));
  }
}
