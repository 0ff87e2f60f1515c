package io.croupier.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.client.AnonymousReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.Chromium;
import io.croupier.gateway.Condition;
import io.croupier.gateway.Gateway;
import io.croupier.gateway.TestRelay;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.TokenWindow;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import io.croupier.schemas.WindowGuarantee;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;

/**
 * From a grant to the model: people get tokens from a gateway, report without identity, and each
 * token enters the model once, whatever else reaches gateway and topic.
 */
@Tag("ci")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class AnonymousITCase {
  private static final DataKey DATA = DataKey.of("data").times(1000);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Topics TOPICS = Topics.withPrefix("croupier");
  private static final int PEOPLE = 12;

  /** Publications in a window that lasts as long as a test. */
  private static final int MANY = 1000;

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;
  private static Map<String, String> kafka;
  private static AppOrigin app;
  private static JobClient job;
  private static Gateway gateway;
  private static TestTokens identities;
  private static KafkaProducer<byte[], byte[]> producer;

  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.start(directory.resolve("broker"));
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      KafkaTopics.create(admin, TOPICS, Topic.ofJob(true), Duration.ofDays(1), 1, (short) 1);
      // Of one partition, so that a later report is read after an earlier one.
    }
    producer = SecuredBroker.producer(Map.copyOf(kafka));
    publish("m", MANY);
    publish("other", MANY);
    Map<String, String> settings = new HashMap<>();
    settings.put("kafka.bootstrap.servers", broker.bootstrapServers());
    settings.put("checkpoint.interval", "200 ms");
    settings.put("anonymous.enabled", "true");
    // Publications follow reports, not the clock.
    settings.put("publication.hold", "1 d");
    job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(settings));
    Pepper.create(directory.resolve("pepper"));
    TestTokens.create(directory.resolve("test.jwk"));
    identities = TestTokens.read(directory.resolve("test.jwk"));
    app = new AppOrigin();
    gateway =
        new Gateway(
            GatewayConfig.of(
                Map.of(
                    "kafka.bootstrap.servers", broker.bootstrapServers(),
                    "listen.port", "0",
                    "cors.origins", app.uri().toString(),
                    "pepper.file", "pepper",
                    "test-tokens.allowed", "true",
                    "test-tokens.key-file", "test.jwk",
                    "anonymous.enabled", "true"),
                directory));
  }

  @AfterAll
  static void stop() throws Exception {
    if (gateway != null) {
      gateway.close();
    }
    if (app != null) {
      app.close();
    }
    if (job != null) {
      job.cancel().get(5, TimeUnit.MINUTES);
    }
    if (producer != null) {
      producer.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  /**
   * Publishes the spec of a model. In a window of one publication, a device reports at the first
   * that it sees.
   */
  private static void publish(String model, int publications) throws Exception {
    ModelSpec.Builder spec = ModelSpec.newBuilder();
    JsonFormat.parser()
        .merge(
            """
            {"dimension": 2, "gradientBound": 1, "blackBox": {}, "maxStaleness": %1$d,
             "anonymous": {"publications": %1$d, "levels": [{"privUnit": {"epsilon": 2}}]}}
            """
                .formatted(publications),
            spec.setModelId(model));
    send(TOPICS.models(), model.getBytes(UTF_8), spec.build().toByteArray());
  }

  private static void send(String topic, byte[] key, byte[] value) throws Exception {
    producer.send(new ProducerRecord<>(topic, key, value)).get();
  }

  private static String identity(String person) {
    return identities.mint(person, Instant.now(), Duration.ofHours(1));
  }

  /** The newest update that the gateway serves and that satisfies a condition. */
  private ModelUpdate await(String model, Predicate<ModelUpdate> wanted) throws Exception {
    AtomicReference<ModelUpdate> update = new AtomicReference<>();
    Condition.await(
        "an update of " + model,
        () -> {
          HttpResponse<byte[]> response =
              client.send(
                  HttpRequest.newBuilder(gateway.address().resolve("/v1/models/" + model))
                      .header("Accept", "application/x-protobuf")
                      .build(),
                  BodyHandlers.ofByteArray());
          if (response.statusCode() == 200) {
            update.set(ModelUpdate.parseFrom(response.body()));
          }
          return response.statusCode() == 200 && wanted.test(update.get());
        });
    return update.get();
  }

  private ModelUpdate withWindows(String model) throws Exception {
    return await(model, update -> update.getWindowsCount() == 2);
  }

  private HttpResponse<String> ask(String model, String person, long window, TokenRequest request)
      throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(gateway.address().resolve("/v1/tokens"))
            .header("Authorization", "Bearer " + identity(person))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(AnonymousLoad.body(model, window, window, request)))
            .build();
    return client.send(post, BodyHandlers.ofString());
  }

  private static ByteString signature(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return AnonymousLoad.signature(response.body());
  }

  /** Gets a person's token. */
  private Token token(String model, String person, int window) throws Exception {
    TokenWindow wanted = withWindows(model).getWindows(window);
    TokenRequest request = draw(model, wanted);
    return request.finish(signature(ask(model, person, wanted.getWindow(), request)));
  }

  private static TokenRequest draw(String model, TokenWindow window) {
    return AnonymousLoad.draw(model, window.getWindow(), window.getLevels(0));
  }

  private AnonymousReport.Builder report(String model, long round, ByteString token)
      throws Exception {
    return AnonymousLoad.about(model, withWindows(model).getWindows(0).getLevels(0))
        .setRound(round)
        .setToken(token);
  }

  private int post(AnonymousReport.Builder report) throws Exception {
    byte[] body = AnonymousLoad.padded(report);
    assertThat(body).hasSize(1024);
    return post(body, "application/x-protobuf").statusCode();
  }

  private HttpResponse<String> post(byte[] body, String type) throws Exception {
    return client.send(
        HttpRequest.newBuilder(gateway.address().resolve("/v1/anonymous-reports"))
            .header("Content-Type", type)
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void eachTokenEntersTheModelOnce() throws Exception {
    long round = withWindows("m").getRound();
    assertThat(round).isZero();
    List<Token> tokens = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      tokens.add(token("m", "person" + i, 0));
    }
    List<byte[]> sent = new ArrayList<>();
    TokenChallenge wrong = new TokenChallenge("m", 0, ByteString.copyFromUtf8("x"));
    TokenIssuer forger = TokenIssuer.derive(new byte[32], wrong);
    TokenRequest forged = TokenRequest.draw(forger.key(), wrong);
    Token forgery = forged.finish(forger.sign(forged.blinded()));
    AnonymousReport.Builder forgedReport = report("m", 0, forgery.encoded());
    assertThat(post(forgedReport)).isEqualTo(403);
    send(TOPICS.anonymous(), forgery.nonce().toByteArray(), forgedReport.build().toByteArray());
    AnonymousReport.Builder foreign = report("m", 0, token("other", "foreigner", 0).encoded());
    assertThat(post(foreign)).isEqualTo(403);
    AnonymousReport.Builder early = report("m", 0, token("m", "early", 1).encoded());
    assertThat(post(early)).isEqualTo(403);

    for (Token token : tokens) {
      AnonymousReport.Builder report = report("m", round, token.encoded());
      assertThat(post(report)).isEqualTo(202);
      assertThat(post(report)).isEqualTo(202);
      sent.add(report.build().toByteArray());
    }
    for (Token token : tokens) {
      // With another report, too, the gateway writes nothing further.
      assertThat(post(report("m", round, token.encoded()))).isEqualTo(202);
    }
    assertThat(anonymousNonces()).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(PEOPLE);
    for (int i = 0; i < PEOPLE; i++) {
      send(TOPICS.anonymous(), tokens.get(i).nonce().toByteArray(), sent.get(i));
    }
    ModelUpdate learned = await("m", update -> update.getUsed() + update.getOpen() >= PEOPLE);
    // The report of another person, before which everything else has been read.
    long last = learned.getRound();
    assertThat(post(report("m", last, token("m", "last", 0).encoded()))).isEqualTo(202);
    ModelUpdate all = await("m", update -> update.getUsed() + update.getOpen() >= PEOPLE + 1);
    assertThat(all.getUsed() + all.getOpen() + all.getDroppedStale()).isEqualTo(PEOPLE + 1);
    assertThat(learned.getRound()).isPositive();

    List<AccountingEvent> events = events("m");
    assertThat(events).hasSize(PEOPLE + 2);
    assertThat(events)
        .allSatisfy(
            event -> {
              assertThat(event.getOutcome()).isEqualTo(Outcome.GRANTED);
              assertThat(event.getSpent().getEpsilon()).isEqualTo(2);
              assertThat(event.getPrivUnit().getEpsilon()).isEqualTo(2);
              assertThat(event.getUserId()).hasSize(43);
            });
  }

  @Test
  void aRequestIsChargedOnce() throws Exception {
    TokenWindow newest = withWindows("other").getWindows(0);
    long window = newest.getWindow();
    TokenRequest request = draw("other", newest);
    ByteString first = signature(ask("other", "ada", window, request));
    assertThat(signature(ask("other", "ada", window, request))).isEqualTo(first);

    TokenRequest second = draw("other", newest);
    HttpResponse<String> refused = ask("other", "ada", window, second);
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(refused.body()).contains("REFUSED_");
    assertThat(ask("other", "ada", window + 2, second).statusCode()).isEqualTo(409);
    assertThat(ask("absent", "ada", window, second).statusCode()).isEqualTo(404);

    List<AccountingEvent> events =
        events("other").stream()
            .filter(event -> event.getUserTotals().getReports() > 0)
            .filter(event -> event.getOutcome() != Outcome.GRANTED)
            .toList();
    assertThat(events).allSatisfy(event -> assertThat(event.getSpent().getEpsilon()).isZero());
    assertThat(events)
        .extracting(AccountingEvent::getOutcome)
        .contains(Outcome.DUPLICATE)
        .doesNotContain(Outcome.ADMITTED);
  }

  @Test
  void aReportHasTheLengthOfAllReports() throws Exception {
    byte[] body = report("other", 0, ByteString.copyFrom(new byte[386])).build().toByteArray();
    HttpResponse<String> response = post(body, "application/x-protobuf");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("1024");
  }

  /** The device's own library, in several windows: it reports at the publication that it drew. */
  @Tag("thorough")
  @Test
  void devicesTakePartInSeveralWindows() throws Exception {
    int people = 6;
    List<AnonymousReporter> reporters = new ArrayList<>();
    List<CompletableFuture<Void>> reports = new ArrayList<>();
    publish("sdk", 2);
    withWindows("sdk");
    try (HttpModelSubscriber subscriber = new HttpModelSubscriber(gateway.address(), "sdk")) {
      for (int i = 0; i < people; i++) {
        String token = identity("device" + i);
        URI address = gateway.address();
        reporters.add(
            new AnonymousReporter(
                LocalLedger.inMemory("me", Limit.NONE),
                2,
                address,
                () -> token,
                address,
                Duration.ofMillis(1)));
      }
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      ModelSnapshot model = subscriber.await(PATIENCE);
      while (model.round() < 5) {
        assertThat(System.nanoTime()).as("round %d", model.round()).isLessThan(deadline);
        for (AnonymousReporter reporter : reporters) {
          Optional<CompletableFuture<Void>> report =
              reporter.takePart(model, DATA, () -> new double[] {0.5, -0.5});
          report.ifPresent(reports::add);
        }
        for (AnonymousReporter reporter : reporters) {
          reporter.tokens().get(1, TimeUnit.MINUTES);
        }
        CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
        nudge(model.round());
        long before = model.round();
        Condition.await(
            "a round after " + before, () -> subscriber.newest().orElseThrow().round() != before);
        model = subscriber.newest().orElseThrow();
      }
    } finally {
      for (AnonymousReporter reporter : reporters) {
        reporter.close();
      }
    }
    // Each device drew one of the two publications of window 0, and saw both.
    assertThat(reports).hasSizeGreaterThanOrEqualTo(people);
    assertThat(events("sdk")).extracting(AccountingEvent::getOutcome).containsOnly(Outcome.GRANTED);
    // Round 5 made all rounds of window 0 too old.
    WindowGuarantee guarantee = awaitGuarantee("sdk");
    assertThat(guarantee.getWindow()).isZero();
    assertThat(guarantee.getReports())
        .isPositive()
        .isEqualTo(
            anonymousReports("sdk").stream().filter(report -> report.getRound() <= 1).count());
    assertThat(guarantee.getCounted()).isEqualTo(guarantee.getReports());
    assertThat(guarantee.getLocalEpsilon()).isEqualTo(2);
    assertThat(guarantee.getEpsilon()).isPositive().isLessThanOrEqualTo(2);
    AccountingEvent grant =
        events("sdk").stream()
            .filter(event -> event.getLastTokenWindow() == 0)
            .findFirst()
            .orElseThrow();
    JsonObject ofModel =
        json("ledger --user=" + grant.getUserId()) // an id may begin with a hyphen
            .getAsJsonObject("anonymous")
            .getAsJsonArray("models")
            .get(0)
            .getAsJsonObject();
    assertThat(ofModel.get("windows").getAsInt()).isPositive();
    double local = ofModel.get("localEpsilon").getAsDouble();
    assertThat(ofModel.get("centralEpsilon").getAsDouble()).isPositive().isLessThanOrEqualTo(local);
    assertThat(ofModel.get("delta").getAsDouble()).isEqualTo(1e-6);
    assertComposed(grant.getUserId());
  }

  /** The totals of all users, from the same topics, with the guarantees computed again. */
  private static void assertComposed(String userId) {
    JsonObject json = json("account compose");
    assertThat(json.get("mismatches").getAsInt()).isZero();
    assertThat(json.get("guarantees").getAsInt()).isPositive();
    assertThat(json.get("guaranteeMismatches").getAsInt()).isZero();
    JsonObject user =
        json.getAsJsonArray("anonymousByUser").asList().stream()
            .map(JsonElement::getAsJsonObject)
            .filter(row -> row.get("userId").getAsString().equals(userId))
            .findFirst()
            .orElseThrow();
    assertThat(user.get("windows").getAsInt()).isPositive();
    assertThat(user.get("centralEpsilon").getAsDouble())
        .isPositive()
        .isLessThanOrEqualTo(user.get("localEpsilon").getAsDouble());
  }

  private static JsonObject json(String command) {
    return CommandRun.croupier(command + " --json --kafka " + broker.bootstrapServers())
        .succeeded()
        .json();
  }

  /**
   * Device, relay, gateway, broker and job: the gateway's only connections are the relay's. The
   * gateway answers the first request with nothing, as if it ended, so the device repeats it.
   */
  @Test
  void aReportEntersThroughARelay() throws Exception {
    publish("relayed", 1);
    ModelSnapshot model = ModelSnapshot.parse(withWindows("relayed").toByteArray());
    ObliviousKey key = ObliviousKey.parse(obliviousKey());
    String bearer = identity("through-a-relay");
    try (RecordingProxy wire = new RecordingProxy(gateway.address());
        TestRelay relay = new TestRelay(wire.uri());
        LocalLedger ledger = LocalLedger.inMemory("me", Limit.NONE);
        AnonymousReporter reporter =
            new AnonymousReporter(
                ledger,
                2,
                gateway.address(),
                () -> bearer,
                relay.address(),
                key,
                Duration.ofMillis(1))) {
      reporter
          .takePart(model, DATA, () -> new double[] {0.5, -0.5})
          .orElseThrow()
          .get(2, TimeUnit.MINUTES);
      AnonymousReport stored = anonymousReport("relayed");
      assertUnreadable(wire, stored);
    }
    await("relayed", update -> update.getUsed() + update.getOpen() == 1);
    assertThat(events("relayed"))
        .extracting(AccountingEvent::getOutcome)
        .containsOnly(Outcome.GRANTED);
  }

  /**
   * What a relay sees of a report to a model, and a copy that it sends, disclose and do nothing.
   */
  private static void assertUnreadable(RecordingProxy wire, AnonymousReport stored)
      throws Exception {
    // The windows, which the device asks for twice, and the report.
    assertThat(wire.bodies()).hasSizeGreaterThanOrEqualTo(3).doesNotHaveDuplicates();
    String nonce = Token.parse(stored.getToken()).nonce().toString(ISO_8859_1);
    for (ByteString body : wire.bodies()) {
      assertThat(body.size()).isEqualTo(2615);
      assertThat(body.toString(ISO_8859_1)).doesNotContain(stored.getModelId(), nonce);
    }
    // A copy of the report, as a relay could send it, spends no nonce twice.
    assertThat(wire.repeatLast()).isEqualTo(200);
    assertThat(anonymousReports(stored.getModelId())).hasSize(1);
  }

  /** What apps contain of the gateway. */
  private byte[] obliviousKey() throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(gateway.address().resolve("/v1/ohttp-keys")).build(),
            BodyHandlers.ofByteArray())
        .body();
  }

  /** A page that the gateway serves, in Chromium: its ledger, its keys and the network are real. */
  @Tag("thorough")
  @Test
  void aBrowserReportsWithoutIdentity() throws Exception {
    AnonymousReport unused = visit(gateway.address().resolve("/v1/"), "page", "");
  }

  /**
   * App, relay and gateway are of three origins, and the gateway's only connections without
   * identity are the relay's. Its first answer is lost, so the page repeats the request.
   */
  @Tag("thorough")
  @Test
  void aBrowserReportsThroughARelay() throws Exception {
    String key = Base64.getUrlEncoder().withoutPadding().encodeToString(obliviousKey());
    try (RecordingProxy wire = new RecordingProxy(gateway.address());
        TestRelay relay = new TestRelay(wire.uri())) {
      AnonymousReport stored =
          visit(
              app.uri().resolve("/"),
              "relayed-page",
              "&gateway=%s&key=%s&relay=%s".formatted(gateway.address(), key, relay.address()));
      assertUnreadable(wire, stored);
    }
  }

  /**
   * Lets a page report to a model once.
   *
   * @param base of the page's URL
   * @param more parameters of the page
   */
  private AnonymousReport visit(URI base, String model, String more) throws Exception {
    publish(model, 1);
    long round = withWindows(model).getRound();
    assertThat(round).isZero();
    ChromeDriver browser = Chromium.start(directory.resolve("profile-" + model));
    try {
      browser.get(
          "%sanonymous-visitor.html?model=%s%s&token=%s"
              .formatted(base, model, more, identity("in-a-browser")));
      assertThat(Chromium.result(browser)).isEqualTo("sent 1024 bytes at round 0");
    } finally {
      browser.quit();
    }
    AnonymousReport stored = anonymousReport(model);
    assertThat(stored.getPrivUnit())
        .isEqualTo(withWindows(model).getWindows(0).getLevels(0).getPrivUnit());
    assertThat(stored.getCandidate().getDimension()).isEqualTo(2);
    await(model, update -> update.getUsed() + update.getOpen() == 1);
    // A token of the window that began, and of the next one.
    assertThat(events(model)).extracting(AccountingEvent::getOutcome).containsOnly(Outcome.GRANTED);
    return stored;
  }

  /** The first anonymous report to a model that a gateway wrote. */
  private static AnonymousReport anonymousReport(String model) throws Exception {
    return anonymousReports(model).get(0);
  }

  /** All anonymous reports to a model that the gateway wrote. */
  private static List<AnonymousReport> anonymousReports(String model) throws Exception {
    return committed(
        TOPICS.anonymous(),
        record -> AnonymousReport.parseFrom(record.value()),
        report -> report.getModelId().equals(model));
  }

  /** The first guarantee of a model's window. */
  private static WindowGuarantee awaitGuarantee(String model) throws Exception {
    Condition.await("a guarantee of " + model, () -> !guarantees(model).isEmpty());
    return guarantees(model).get(0).getAnonymous();
  }

  private static List<GuaranteeEvent> guarantees(String model) throws Exception {
    return committed(
        TOPICS.guarantees(),
        record -> GuaranteeEvent.parseFrom(record.value()),
        guarantee -> guarantee.getModelId().equals(model));
  }

  /**
   * One more report, of a person who knows no slot, so that every publication has one. The present
   * window may end before it is asked for: then the model has moved by itself.
   */
  private void nudge(long round) throws Exception {
    TokenWindow window = withWindows("sdk").getWindows(0);
    TokenRequest request = draw("sdk", window);
    HttpResponse<String> answer = ask("sdk", "nudge" + round, window.getWindow(), request);
    if (answer.statusCode() == 409) {
      return;
    }
    int unused = post(report("sdk", round, request.finish(signature(answer)).encoded()));
    assertThat(unused).isIn(202, 403, 409);
  }

  private static List<ByteString> anonymousNonces() throws Exception {
    return AnonymousLoad.committed(
        kafka, TOPICS.anonymous(), record -> ByteString.copyFrom(record.key()));
  }

  private static List<AccountingEvent> events(String model) throws Exception {
    return AnonymousLoad.events(kafka).stream()
        .filter(event -> event.getModelId().equals(model))
        .toList();
  }

  private static <T> List<T> committed(
      String topic, AnonymousLoad.RecordReader<T> reader, Predicate<T> wanted) throws Exception {
    return AnonymousLoad.committed(kafka, topic, reader).stream().filter(wanted).toList();
  }
}
