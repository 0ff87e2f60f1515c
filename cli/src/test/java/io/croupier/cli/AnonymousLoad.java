package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.broker.FreePorts;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import io.croupier.schemas.WindowGuarantee;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * People who get tokens from a gateway and report without identity, while a test kills the servers:
 * the gateway, a process that this class starts, and others. Their devices send the same bytes
 * until they are answered. Afterwards, {@link #check} compares accounts, model and guarantees with
 * what the devices received.
 */
public final class AnonymousLoad implements AutoCloseable {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int DEVICES = 4;

  /** Answers to devices between two kills. */
  private static final int BETWEEN = 10;

  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final Duration REQUEST = Duration.ofSeconds(30);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicInteger people = new AtomicInteger();
  private final AtomicInteger answers = new AtomicInteger();

  /** The last answer that a device took for temporary, by the device's thread. */
  private final Map<String, String> refusals = new ConcurrentHashMap<>();

  /** The rounds of reports that aren't answered yet, by the device's thread. */
  private final Map<String, Long> inFlight = new ConcurrentHashMap<>();

  /** User ids whose tokens were signed. */
  private final Set<String> signed = ConcurrentHashMap.newKeySet();

  /** The windows of the reports that were accepted, by nonce. */
  private final Map<ByteString, Long> accepted = new ConcurrentHashMap<>();

  private final Path directory;
  private final Map<String, String> kafka;
  private final int publications;
  private final URI gateway;
  private final Pepper pepper;
  private final TestTokens identities;
  private final List<Thread> devices = new ArrayList<>();
  private Process process;

  /**
   * Creates topics and model, and writes the gateway's files.
   *
   * @param directory of the gateway's files
   * @param publications of a window of the model; a report is too old after as many
   */
  public AnonymousLoad(Path directory, Map<String, String> kafka, int publications)
      throws Exception {
    this.directory = Files.createDirectories(directory);
    this.kafka = Map.copyOf(kafka);
    this.publications = publications;
    int port = FreePorts.next();
    gateway = URI.create("http://127.0.0.1:" + port);
    Pepper.create(directory.resolve("pepper"));
    pepper = Pepper.read(directory.resolve("pepper"));
    TestTokens.create(directory.resolve("test.jwk"));
    identities = TestTokens.read(directory.resolve("test.jwk"));
    Files.writeString(
        directory.resolve("gateway.yaml"),
        """
        listen.port: %d
        pepper.file: pepper
        test-tokens.allowed: true
        test-tokens.key-file: test.jwk
        anonymous.enabled: true
        limits.address.per-minute: 1000000
        kafka.bootstrap.servers: %s
        """
            .formatted(port, kafka.get("bootstrap.servers")));
    prepare();
  }

  private void prepare() throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      KafkaTopics.create(admin, TOPICS, Topic.ofJob(true), Duration.ofDays(1), 2, (short) 1);
    }
    ModelSpec.Builder spec = ModelSpec.newBuilder();
    JsonFormat.parser()
        .merge(
            """
            {"modelId": "m", "dimension": 2, "gradientBound": 1, "blackBox": {}, "maxStaleness": %1$d,
             "anonymous": {"publications": %1$d, "levels": [{"privUnit": {"epsilon": 2}}]}}
            """
                .formatted(publications),
            spec);
    ByteArraySerializer bytes = new ByteArraySerializer();
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(Map.<String, Object>copyOf(kafka), bytes, bytes)) {
      producer
          .send(
              new ProducerRecord<>(
                  TOPICS.models(), "m".getBytes(UTF_8), spec.build().toByteArray()))
          .get();
    }
  }

  /** Starts the gateway, and the devices. */
  public void start() throws IOException {
    startGateway();
    for (int i = 0; i < DEVICES; i++) {
      Thread device = new Thread(this::takePart, "device" + i);
      devices.add(device);
      device.start();
    }
  }

  /** Starts the gateway's process; it answers some time later. */
  private void startGateway() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                Croupier.class.getName(),
                "gateway",
                "--config",
                directory.resolve("gateway.yaml").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
            .start();
  }

  /** Ends the gateway with SIGKILL, and starts it again. */
  public void killGateway() throws IOException {
    process.destroyForcibly().onExit().join();
    startGateway();
  }

  /** Waits until devices have received more answers; requests are under way then. */
  public void awaitAnswers() throws Exception {
    int before = answers.get();
    await(() -> answers.get() >= before + BETWEEN);
  }

  /** Waits until the guarantees of so many windows are visible. */
  public void awaitClosedWindows(int count) throws Exception {
    await(() -> closedWindows().size() >= count);
  }

  /** A condition that may not be satisfied yet. */
  private interface Condition {
    boolean isThere() throws Exception;
  }

  private void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.isThere() && failure.get() == null) {
      assertInTime(deadline);
      Thread.sleep(20);
    }
    assertThat(failure.get()).isNull();
  }

  private void assertInTime(long deadline) {
    assertThat(System.nanoTime())
        .as(() -> "in time; refusals: " + refusals + "; the gateway's log: " + log())
        .isLessThan(deadline);
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** The device of one person after the other. */
  private void takePart() {
    try {
      while (!ended.get()) {
        report("person" + people.getAndIncrement());
      }
    } catch (Exception | AssertionError e) {
      failure.compareAndSet(null, e);
    }
  }

  /** The update that the gateway serves. */
  private ModelUpdate model() throws Exception {
    return ModelUpdate.parseFrom(
        answered(200, request("/v1/models/m").header("Accept", "application/x-protobuf")));
  }

  /**
   * Waits for an update with windows. No device runs ahead of one that is still to be answered: the
   * model publishes only if a report names its newest round, so no report becomes too old.
   */
  private ModelUpdate begin() throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      ModelUpdate update = model();
      synchronized (inFlight) {
        long oldest = inFlight.values().stream().min(Long::compare).orElse(update.getRound());
        if (update.getWindowsCount() > 0 && update.getRound() <= oldest + publications / 2) {
          inFlight.put(Thread.currentThread().getName(), update.getRound());
          return update;
        }
      }
      refusals.put(
          Thread.currentThread().getName(),
          "round %d has %d windows; in flight: %s"
              .formatted(update.getRound(), update.getWindowsCount(), inFlight));
      assertInTime(deadline);
      Thread.sleep(20);
    }
  }

  private void report(String person) throws Exception {
    ModelUpdate update = begin();
    long window = update.getWindows(0).getWindow();
    TokenRequest request = draw("m", window, update.getWindows(0).getLevels(0));
    byte[] grant =
        answered(
            200,
            request("/v1/tokens")
                .header(
                    "Authorization",
                    "Bearer " + identities.mint(person, Instant.now(), Duration.ofHours(1)))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body("m", window, 0, request))));
    Token token = request.finish(signature(new String(grant, UTF_8)));
    signed.add(pepper.userId(TestTokens.ISSUER, person));
    answers.incrementAndGet();

    AnonymousReport.Builder report =
        about("m", update.getWindows(0).getLevels(0))
            .setRound(update.getRound())
            .setToken(token.encoded());
    byte[] unused =
        answered(
            202,
            request("/v1/anonymous-reports")
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(padded(report))));
    accepted.put(token.nonce(), window);
    inFlight.remove(Thread.currentThread().getName());
    answers.incrementAndGet();
  }

  /** A request for a token of a window. */
  static TokenRequest draw(String model, long window, TokenLevel level) {
    PrivUnit unit = level.getPrivUnit();
    PrivUnitMechanism mechanism =
        new PrivUnitMechanism(unit.getEpsilon(), unit.getCandidates(), unit.getTop());
    return TokenRequest.draw(
        new TokenKey(level.getModulus()),
        new TokenChallenge(model, window, AnonymousWindows.bytes(mechanism)));
  }

  /** What a device sends of the request. */
  static String body(String model, long window, long sequence, TokenRequest request) {
    JsonObject body = new JsonObject();
    body.addProperty("modelId", model);
    body.addProperty("window", String.valueOf(window));
    body.addProperty("level", 0);
    body.addProperty("deviceId", "phone");
    body.addProperty("sequence", String.valueOf(sequence));
    body.addProperty(
        "blinded", Base64.getEncoder().encodeToString(request.blinded().toByteArray()));
    return body.toString();
  }

  /** The signature in the answer to a request. */
  static ByteString signature(String answer) {
    JsonObject json = JsonParser.parseString(answer).getAsJsonObject();
    return ByteString.copyFrom(
        Base64.getDecoder().decode(json.get("blindSignature").getAsString()));
  }

  /** A random report to a model of two coordinates, whose round and token are missing. */
  static AnonymousReport.Builder about(String model, TokenLevel level) {
    return AnonymousReport.newBuilder()
        .setModelId(model)
        .setCandidate(Candidate.newBuilder().setDimension(2).setSeed(RANDOM.nextLong()).setIndex(0))
        .setPrivUnit(level.getPrivUnit());
  }

  /** The bytes that a device sends: all reports have the same length. */
  static byte[] padded(AnonymousReport.Builder report) {
    int missing = 1024 - 3 - report.clone().build().getSerializedSize();
    ByteString padding = ByteString.copyFrom(new byte[missing]);
    return report.clone().setPadding(padding).build().toByteArray();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(gateway.resolve(path)).timeout(REQUEST);
  }

  /** Sends the same request until it is answered by success; other answers must be temporary. */
  private byte[] answered(int success, HttpRequest.Builder request) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() == success) {
          return answer.body();
        }
        refusals.put(Thread.currentThread().getName(), new String(answer.body(), UTF_8));
        // Not read yet after a start, not committed yet, no key yet, or sent too often meanwhile.
        assertThat(answer.statusCode())
            .as(() -> new String(answer.body(), UTF_8))
            .isIn(404, 409, 429, 503);
      } catch (IOException e) {
        // The gateway was killed.
        refusals.put(Thread.currentThread().getName(), e.toString());
      }
      assertInTime(deadline);
      Thread.sleep(20);
    }
  }

  /**
   * Lets the devices end with the person in hand, and checks that each signed token has exactly one
   * charge, that each nonce entered the model once, and that the guarantee of each closed window
   * counts its reports.
   *
   * @return the figures of the run
   */
  public String check() throws Exception {
    awaitAnswers();
    ended.set(true);
    for (Thread device : devices) {
      device.join(PATIENCE.toMillis());
      assertThat(device.isAlive()).isFalse();
    }
    assertThat(failure.get()).isNull();
    Map<ByteString, Integer> records = new HashMap<>();
    committed(kafka, TOPICS.anonymous(), record -> ByteString.copyFrom(record.key()))
        .forEach(nonce -> records.merge(nonce, 1, Integer::sum));
    assertThat(records).containsOnlyKeys(accepted.keySet());
    await(() -> entered(model()) >= accepted.size());
    ModelUpdate learned = model();
    assertThat(entered(learned)).isEqualTo(accepted.size());
    assertThat(learned.getDroppedStale()).as("of reports that no other runs ahead of").isZero();
    int resends = checkCharges();
    int closed = checkWindows(learned.getRound());
    return "%d tokens, %d resends of requests, %d reports in %d records, %d closed windows"
        .formatted(
            signed.size(),
            resends,
            accepted.size(),
            records.values().stream().mapToInt(Integer::intValue).sum(),
            closed);
  }

  private static long entered(ModelUpdate update) {
    return update.getUsed() + update.getOpen() + update.getDroppedStale();
  }

  private int checkCharges() throws IOException {
    Map<String, Integer> charges = new HashMap<>();
    List<Outcome> outcomes = new ArrayList<>();
    for (AccountingEvent event : events(kafka)) {
      outcomes.add(event.getOutcome());
      if (event.getOutcome() == Outcome.GRANTED) {
        charges.merge(event.getUserId(), 1, Integer::sum);
        assertThat(event.getModelTotals().getEpsilon()).isEqualTo(2);
      }
    }
    assertThat(charges).containsOnlyKeys(signed);
    assertThat(charges.values()).containsOnly(1);
    assertThat(outcomes).isSubsetOf(Outcome.GRANTED, Outcome.DUPLICATE);
    return outcomes.size() - signed.size();
  }

  /** Each window that is over has one event, which counts the reports that name it. */
  private int checkWindows(long round) throws Exception {
    Map<Long, Long> reports = new TreeMap<>();
    accepted.values().forEach(window -> reports.merge(window, 1L, Long::sum));
    // The last publication may not be visible, and may just have ended a window.
    long over = Math.floorDiv(round - 1 - publications, publications);
    await(() -> closedWindows().size() >= over);
    Map<Long, Long> closed = new TreeMap<>();
    for (WindowGuarantee window : closedWindows()) {
      assertThat(closed.put(window.getWindow(), window.getReports()))
          .as("another event of window %d", window.getWindow())
          .isNull();
    }
    assertThat(reports).containsAllEntriesOf(closed);
    return closed.size();
  }

  private List<WindowGuarantee> closedWindows() throws IOException {
    return committed(
        kafka,
        TOPICS.guarantees(),
        record -> GuaranteeEvent.parseFrom(record.value()).getAnonymous());
  }

  /** All accounting events so far. */
  static List<AccountingEvent> events(Map<String, String> kafka) throws IOException {
    return committed(
        kafka, TOPICS.accounting(), record -> AccountingEvents.read(record.key(), record.value()));
  }

  /** Converts a record. */
  interface RecordReader<T> {
    T read(ConsumerRecord<byte[], byte[]> record) throws InvalidProtocolBufferException;
  }

  /** All committed records of a topic. */
  static <T> List<T> committed(Map<String, String> kafka, String topic, RecordReader<T> reader)
      throws IOException {
    List<T> read = new ArrayList<>();
    CommittedRecords.forEach(
        kafka,
        topic,
        record -> {
          try {
            read.add(reader.read(record));
          } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
          }
        });
    return read;
  }

  /** Ends devices and gateway. */
  @Override
  public void close() {
    ended.set(true);
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }
}
