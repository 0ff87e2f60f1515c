package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.TextFormat;
import io.croupier.cli.replay.TopicFollower;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.JobRefusedException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Condition;
import io.croupier.gateway.Gateway;
import io.croupier.gateway.TestCertificates;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.config.SettingsFile;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;

/**
 * From a token of {@code croupier gateway token} over a gateway to the job's accounts, from a
 * program, from a browser and from the commands: what the gateway accepts the job admits, under the
 * identity of the token, and once. The broker has TLS, passwords and ACLs; gateway and job have
 * principals of their own, with the rights that docs/run/security.md and
 * docs/run/gateway-settings.md grant, and no others.
 */
@Tag("ci")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GatewayITCase {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private static Path directory;
  private static SecuredBroker secured;
  private static Path settings;
  private static JobClient job;
  private static Gateway gateway;

  @BeforeAll
  static void start() throws Exception {
    secured = new SecuredBroker(directory, "device");
    secured.admitGateways();
    secured.croupier("builder", "topics create --partitions 1").succeeded();
    Path models =
        Files.writeString(
            directory.resolve("models.yaml"),
            """
            - {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}
            - {modelId: polled, dimension: 2, gradientBound: 1, blackBox: {}}
            - {modelId: commands, dimension: 2, gradientBound: 1, blackBox: {}}
            - {modelId: counted, dimension: 2, gradientBound: 1, blackBox: {}, limits: {reports: 2}}
            - {modelId: demo, dimension: 3, gradientBound: 1, blackBox: {}}
            """);
    secured.croupier("operator", "models apply " + models).succeeded();
    settings =
        Files.writeString(
            directory.resolve("gateway-settings.yaml"),
            Files.readString(secured.config("gateway"))
                + """
                listen: {port: 0}
                pepper: {file: pepper}
                test-tokens: {allowed: true, key-file: test.jwk}
                """);
    gatewayCommand("init");
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration()),
            JobConfig.load(secured.config("job"), Map.of("checkpoint.interval", "200 ms")));
    gateway = new Gateway(GatewayConfig.of(SettingsFile.read(settings), directory));
  }

  @AfterAll
  static void stop() throws Exception {
    if (gateway != null) {
      gateway.close();
    }
    if (job != null) {
      job.cancel().get(5, TimeUnit.MINUTES);
    }
    if (secured != null) {
      secured.close();
    }
  }

  private static String gatewayCommand(String arguments) {
    return CommandRun.croupier("gateway %s --config %s".formatted(arguments, settings))
        .succeeded()
        .out()
        .strip();
  }

  /** A token of a person; each test has people of its own, since accounts span the models. */
  private String token(String subject) {
    return gatewayCommand("token --subject " + subject);
  }

  @Test
  void reportsReachTheAccountsOfTheirSenders() throws Exception {
    URI address = gateway.address();
    String alan = token("alan");
    String grace = token("grace");
    JsonObject model = awaitModel("polled");
    long round = model.get("round").getAsLong();
    assertThat(report(address, alan, round, 1)).isEqualTo(202);
    assertThat(report(address, alan, round, 1)).isEqualTo(202);
    assertThat(report(address, grace, round, 1)).isEqualTo(202);

    List<AccountingEvent> events = awaitEvents("polled", 3);
    assertThat(events.stream().map(AccountingEvent::getOutcome))
        .containsExactlyInAnyOrder(Outcome.ADMITTED, Outcome.DUPLICATE, Outcome.ADMITTED);
    assertThat(events.stream().map(AccountingEvent::getUserId).distinct()).hasSize(2);
    assertThat(events)
        .allSatisfy(
            event ->
                assertThat(event.getUserId())
                    .hasSize(43)
                    .doesNotContain("alan")
                    .doesNotContain("grace"));
    // The update that contains them comes to those who wait.
    HttpResponse<String> next =
        client.send(
            HttpRequest.newBuilder(address.resolve("/v1/models/polled?wait=60&after=" + round))
                .build(),
            BodyHandlers.ofString());
    assertThat(next.statusCode()).isEqualTo(200);
    assertThat(JsonParser.parseString(next.body()).getAsJsonObject().get("round").getAsLong())
        .isGreaterThan(round);
  }

  /** A page that the gateway serves, in Chromium: two visits, which are one device with a limit. */
  @Test
  void aBrowserTakesPart() throws Exception {
    awaitModel("m");
    URI page = gateway.address().resolve("/v1/visitor.html?token=" + token("ada"));
    ChromeDriver browser = Chromium.start(directory.resolve("profile"));
    try {
      for (int visit = 1; visit <= 2; visit++) {
        browser.get(page.toString());
        assertThat(Chromium.result(browser)).isEqualTo("sent a gradient, spent " + visit);
      }
      browser.get(page.toString());
      assertThat(Chromium.result(browser)).startsWith("LimitReachedError: ");
    } finally {
      browser.quit();
    }
    List<AccountingEvent> events = awaitEvents("m", 2);
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

  /** The commands of a device, which know the gateway's address and a token, and no broker. */
  @Test
  void theCommandsReportAndFollowOverTheGateway() throws Exception {
    awaitModel("commands");
    String address = gateway.address().toString();
    Path token = Files.writeString(directory.resolve("token"), token("barbara"));
    String follow = "follow --model commands --updates 1 --gateway " + address;
    JsonObject update = CommandRun.croupier(follow).succeeded().json();
    assertThat(update.get("modelId").getAsString()).isEqualTo("commands");
    String line = "{\"gradient\": [0.5, -0.5], \"round\": %s}\n".formatted(update.get("round"));

    report(token, line + line).printed("2 sent. In the ledger: 2 reports, epsilon 2.");

    List<AccountingEvent> events = awaitEvents("commands", 2);
    assertThat(events)
        .hasSize(2)
        .allSatisfy(
            event -> {
              assertThat(event.getOutcome()).isEqualTo(Outcome.ADMITTED);
              assertThat(event.getUserId()).hasSize(43).isEqualTo(events.get(0).getUserId());
            });

    report(token, "{\"gradient\": [0.5, -0.5], \"round\": 1000000}\n")
        .failed("'round' is 1000000", "found on gateway " + address);

    Files.writeString(token, "no.jwt.atall");
    // Other data than before, which would not be sent again.
    String other = line.replace("0.5, -0.5", "0.25, -0.5");
    CommandRun unknown =
        report(token, other)
            .failed(
                "A report was charged, but not acknowledged",
                "answered 401",
                "Not acknowledged: 1");
    assertThat(unknown.err()).doesNotContain("no.jwt.atall");
    assertThat(report(token, line).err())
        .contains(
            "Charged in an earlier run, and not acknowledged by gateway " + address + ": 1;",
            "answered 401");

    Files.writeString(token, token("barbara"));
    assertThat(report(token, "").out())
        .contains("0 sent, after 1 from an earlier run. In the ledger: 3 reports");
    assertThat(awaitEvents("commands", 3))
        .extracting(AccountingEvent::getOutcome)
        .containsOnly(Outcome.ADMITTED);
  }

  /** Over HTTPS: what a person's devices have spent together, and why the job refuses them. */
  @Test
  void aPersonReadsTheirOwnAccountAndTheirDevicesStop() throws Exception {
    TestCertificates.create(directory, "here", "EC", "-ext", "san=ip:127.0.0.1");
    Path tls =
        Files.writeString(
            directory.resolve("tls-settings.yaml"),
            Files.readString(settings)
                .replace(
                    "listen: {port: 0}",
                    "listen: {port: 0, certificate: here.pem, key: here.key}"));
    awaitModel("counted");
    String mary = token("mary");
    try (Gateway secure = new Gateway(GatewayConfig.of(SettingsFile.read(tls), directory));
        HttpReportTransport transport = new HttpReportTransport(gateway.address(), () -> mary)) {
      URI account = secure.address().resolve("/v1/account");
      assertThat(account).hasScheme("https");
      HttpClient trusting =
          HttpClient.newBuilder().sslContext(TestCertificates.trusting(directory, "here")).build();
      GradientReporter phone = reporter(transport);
      reportTo("counted", phone).get();
      reportTo("counted", reporter(transport)).get();
      awaitEvents("counted", 2);

      JsonObject own = account(trusting, account, mary);
      assertThat(own.getAsJsonObject("spent").get("reports").getAsInt()).isEqualTo(2);
      assertThat(own.getAsJsonObject("spent").get("epsilon").getAsDouble()).isEqualTo(2);
      JsonObject onModel = own.getAsJsonArray("models").get(0).getAsJsonObject();
      assertThat(onModel.get("modelId").getAsString()).isEqualTo("counted");
      assertThat(onModel.getAsJsonObject("left").get("reports").getAsInt()).isZero();
      assertThat(own.getAsJsonArray("devices")).hasSize(2);

      JsonObject other = account(trusting, account, token("rosalind"));
      assertThat(other.getAsJsonObject("spent").get("reports").getAsInt()).isZero();
      assertThat(other.has("devices")).isFalse();
      for (String wrong : List.of("", "a.b.c", mary + "x")) {
        HttpRequest refused = as(wrong, account).build();
        assertThat(trusting.send(refused, BodyHandlers.discarding()).statusCode())
            .as(wrong)
            .isEqualTo(401);
      }

      assertThatThrownBy(() -> reportTo("counted", phone))
          .isInstanceOf(JobRefusedException.class)
          .hasMessageContaining("on model counted");

      // A new device asks before its second report.
      GradientReporter tablet = reporter(transport);
      reportTo("counted", tablet).get();
      Condition.await(
          "the refusal", () -> account(trusting, account, mary).getAsJsonArray("refusals") != null);
      assertThatThrownBy(() -> reportTo("counted", tablet))
          .isInstanceOf(JobRefusedException.class)
          .hasMessageContaining(
              "no report of this person now; the last was refused: limits.reports is 2: 2 was spent");
      assertThat(awaitEvents("counted", 3)).as("nothing was drawn since").hasSize(3);
    }
  }

  private static GradientReporter reporter(HttpReportTransport transport) {
    return new GradientReporter(transport, LocalLedger.inMemory("mary", Limit.NONE));
  }

  private CompletableFuture<Void> reportTo(String model, GradientReporter reporter)
      throws Exception {
    HttpRequest newest =
        HttpRequest.newBuilder(gateway.address().resolve("/v1/models/" + model))
            .header("Accept", "application/x-protobuf")
            .build();
    byte[] update = client.send(newest, BodyHandlers.ofByteArray()).body();
    return reporter.report(
        ModelSnapshot.parse(update),
        DataKey.of("day " + day++),
        new double[2],
        new L2LaplaceRandomiser(1, 2, -16, 1));
  }

  private int day;

  private static HttpRequest.Builder as(String token, URI address) {
    return HttpRequest.newBuilder(address).header("Authorization", "Bearer " + token);
  }

  /** The account of a person, once the gateway has read the topics, and the job has answered. */
  private static JsonObject account(HttpClient trusting, URI account, String token)
      throws Exception {
    return awaitAnswer(trusting, as(token, account));
  }

  /**
   * The command under "Try it" in docs/run/gateway.md, as a shell runs it, at this gateway's
   * address.
   */
  @Test
  void theCurlCommandOfThePageReports() throws Exception {
    assumeTrue(
        Programs.succeeds("curl", "--version"),
        "curl isn't installed, so the command of docs/run/gateway.md isn't run");
    String page = Files.readString(Path.of("..", "docs/run/gateway.md"));
    Matcher command = Pattern.compile("(?s)\\ncurl .*?\\}'\\n").matcher(page);
    assertThat(command.find()).isTrue();
    assertThat(command.group()).contains("http://127.0.0.1:8080/v1/reports");
    awaitModel("demo");
    String address = gateway.address().toString().replaceFirst("/$", "");
    String line =
        command.group().strip().replace("http://127.0.0.1:8080", address)
            + " --silent --show-error --max-time 60 --retry 10 --write-out '%{http_code}'";
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", line);
    shell.environment().put("TOKEN", token("hedy"));
    shell.redirectErrorStream(true);
    Process curl = shell.start();
    assertThat(new String(curl.getInputStream().readAllBytes(), UTF_8)).endsWith("}202");
    assertThat(curl.waitFor()).isZero();
    assertThat(awaitEvents("demo", 1).get(0).getOutcome()).isEqualTo(Outcome.ADMITTED);
  }

  private CommandRun report(Path token, String lines) {
    return CommandRun.croupier(
        lines,
        "report --gateway %s --token %s --model commands --user me --ledger %s --epsilon 1"
            .formatted(gateway.address(), token, directory.resolve("ledger")));
  }

  private JsonObject awaitModel(String name) throws Exception {
    URI model = gateway.address().resolve("/v1/models/" + name);
    return awaitAnswer(client, HttpRequest.newBuilder(model));
  }

  private static JsonObject awaitAnswer(HttpClient client, HttpRequest.Builder request)
      throws Exception {
    AtomicReference<String> body = new AtomicReference<>();
    Condition.await(
        "the answer",
        () -> {
          HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
          body.set(answer.body());
          return answer.statusCode() == 200;
        });
    return JsonParser.parseString(body.get()).getAsJsonObject();
  }

  private int report(URI address, String token, long round, long sequence) throws Exception {
    String json =
        """
        {"modelId": "polled", "round": "%d", "sequence": "%d", "deviceId": "phone",
         "grid": {"values": [31000, -12000]}, "l2Laplace": {"epsilon": 1}}
        """
            .formatted(round, sequence);
    HttpRequest request =
        as(token, address.resolve("/v1/reports"))
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

  private static List<AccountingEvent> awaitEvents(String model, int count) throws Exception {
    try (TopicFollower<AccountingEvent> events =
        TopicFollower.events(secured.kafka("auditor"), TOPICS.accounting())) {
      Predicate<AccountingEvent> ofModel = event -> event.getModelId().equals(model);
      events.await(
          count + " events", () -> events.read().stream().filter(ofModel).count() >= count);
      return events.read().stream().filter(ofModel).toList();
    }
  }

  /** A device's own principal, and the job's, can't write a report in anybody's name. */
  @Test
  void onlyTheGatewayWritesReports() throws Exception {
    byte[] report =
        TextFormat.parse(
                "model_id: 'm' user_id: 'ada' sequence: 1 dense { values: [0.1, 0.2] }"
                    + " l2_laplace { epsilon: 1 }",
                GradientReport.class)
            .toByteArray();
    for (String user : List.of("device", "job", "consumer", "operator", "auditor", "builder")) {
      for (String topic : List.of(TOPICS.gradients(), TOPICS.rawGradients())) {
        Map<String, Object> login = new HashMap<>(secured.kafka(user));
        // Without any write right, an idempotent producer would fail before it reaches the topic.
        login.put("enable.idempotence", "false");
        try (KafkaProducer<byte[], byte[]> producer = SecuredBroker.producer(login)) {
          assertThatThrownBy(
                  () ->
                      producer
                          .send(new ProducerRecord<>(topic, "ada".getBytes(UTF_8), report))
                          .get(),
                  user + " writes " + topic)
              .hasCauseInstanceOf(TopicAuthorizationException.class);
        }
      }
    }
  }
}
