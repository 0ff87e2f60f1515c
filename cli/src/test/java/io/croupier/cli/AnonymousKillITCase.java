package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.broker.FreePorts;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousTopics;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a gateway with SIGKILL while people ask for tokens and report without identity, over a real
 * broker and a real job. Their devices send the same bytes until they are answered: then each
 * signed token has exactly one charge, and each nonce enters the model once. Use {@code -Dkills=50}
 * for a long run.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class AnonymousKillITCase {
  private static final int KILLS = Integer.getInteger("kills", 10);
  private static final int DEVICES = 4;

  /** Answers to devices between two kills. */
  private static final int BETWEEN = 10;

  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final Duration REQUEST = Duration.ofSeconds(30);
  private static final Topics TOPICS = Topics.withPrefix("croupier");
  private static final AnonymousTopics ANONYMOUS = AnonymousTopics.withPrefix("croupier");

  @TempDir private Path directory;

  private final SecureRandom random = new SecureRandom();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicInteger people = new AtomicInteger();
  private final AtomicInteger answers = new AtomicInteger();

  /** The last answer that a device took for temporary, by the device's thread. */
  private final Map<String, String> refusals = new ConcurrentHashMap<>();

  /** User ids whose tokens were signed, and nonces whose reports were accepted. */
  private final Set<String> signed = ConcurrentHashMap.newKeySet();

  private final Set<ByteString> accepted = ConcurrentHashMap.newKeySet();
  private final int port = FreePorts.next();
  private final URI gateway = URI.create("http://127.0.0.1:" + port);
  private Pepper pepper;
  private TestTokens identities;
  private Process process;

  @Test
  void eachTokenIsChargedOnceAndEachNonceEntersOnce() throws Exception {
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
        """
            .formatted(port));
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"))) {
      Map<String, String> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
      Files.writeString(
          directory.resolve("gateway.yaml"),
          "kafka.bootstrap.servers: %s%n".formatted(broker.bootstrapServers()),
          StandardOpenOption.APPEND);
      prepare(kafka);
      JobClient job = job(kafka);
      try {
        start();
        Thread[] devices = new Thread[DEVICES];
        for (int i = 0; i < DEVICES; i++) {
          devices[i] = new Thread(this::takePart, "device" + i);
          devices[i].start();
        }
        for (int kill = 0; kill < KILLS; kill++) {
          int before = answers.get();
          // Under load: requests are answered before, and under way at the kill.
          await(() -> answers.get() >= before + BETWEEN);
          process.destroyForcibly().onExit().join();
          start();
        }
        int last = answers.get();
        await(() -> answers.get() >= last + BETWEEN);
        ended.set(true);
        for (Thread device : devices) {
          device.join(PATIENCE.toMillis());
          assertThat(device.isAlive()).isFalse();
        }
        assertThat(failure.get()).isNull();
        check(kafka);
      } finally {
        ended.set(true);
        process.destroyForcibly().onExit().join();
        job.cancel().get(1, TimeUnit.MINUTES);
      }
    }
  }

  private static void prepare(Map<String, String> kafka) throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      KafkaTopics.create(admin, TOPICS, 2, (short) 1);
      KafkaTopics.create(admin, ANONYMOUS, 2, (short) 1);
    }
    ModelSpec.Builder spec = ModelSpec.newBuilder();
    JsonFormat.parser()
        .merge(
            """
            {"modelId": "m", "dimension": 2, "gradientBound": 1, "blackBox": {}, "maxStaleness": 1000,
             "anonymous": {"publications": 1000, "levels": [{"privUnit": {"epsilon": 2}}]}}
            """,
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

  private static JobClient job(Map<String, String> kafka) throws Exception {
    Map<String, String> settings = new HashMap<>();
    kafka.forEach((name, value) -> settings.put("kafka." + name, value));
    settings.put("checkpoint.interval", "200 ms");
    settings.put("anonymous.enabled", "true");
    return CroupierJob.submit(
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
        JobConfig.of(settings));
  }

  /** Starts the gateway's process; it answers some time later. */
  private void start() throws IOException {
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

  private void await(BooleanSupplier condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean() && failure.get() == null) {
      assertThat(System.nanoTime())
          .as(() -> "in time; refusals: " + refusals + "; the gateway's log: " + log())
          .isLessThan(deadline);
      Thread.sleep(20);
    }
    assertThat(failure.get()).isNull();
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

  private void report(String person) throws Exception {
    ModelUpdate update = ModelUpdate.getDefaultInstance();
    while (update.getWindowsCount() == 0) {
      update =
          ModelUpdate.parseFrom(
              answered(200, request("/v1/models/m").header("Accept", "application/x-protobuf")));
    }
    PrivUnit level = update.getWindows(0).getLevels(0).getPrivUnit();
    TokenChallenge challenge =
        new TokenChallenge(
            "m",
            update.getWindows(0).getWindow(),
            AnonymousWindows.bytes(
                new PrivUnitMechanism(level.getEpsilon(), level.getCandidates(), level.getTop())));
    TokenRequest request =
        TokenRequest.draw(new TokenKey(update.getWindows(0).getLevels(0).getModulus()), challenge);
    JsonObject body = new JsonObject();
    body.addProperty("modelId", "m");
    body.addProperty("window", challenge.window());
    body.addProperty("level", 0);
    body.addProperty("deviceId", "phone");
    body.addProperty("sequence", 0);
    body.addProperty(
        "blinded", Base64.getEncoder().encodeToString(request.blinded().toByteArray()));
    byte[] grant =
        answered(
            200,
            request("/v1/tokens")
                .header(
                    "Authorization",
                    "Bearer " + identities.mint(person, Instant.now(), Duration.ofHours(1)))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString())));
    String signature =
        JsonParser.parseString(new String(grant, UTF_8))
            .getAsJsonObject()
            .get("blindSignature")
            .getAsString();
    Token token = request.finish(ByteString.copyFrom(Base64.getDecoder().decode(signature)));
    signed.add(pepper.userId(TestTokens.ISSUER, person));
    answers.incrementAndGet();

    AnonymousReport.Builder report =
        AnonymousReport.newBuilder()
            .setModelId("m")
            .setRound(update.getRound())
            .setToken(token.encoded())
            .setCandidate(
                Candidate.newBuilder().setDimension(2).setSeed(random.nextLong()).setIndex(0))
            .setPrivUnit(level);
    int missing = 1024 - 3 - report.build().getSerializedSize();
    report.setPadding(ByteString.copyFrom(new byte[missing]));
    byte[] unused =
        answered(
            202,
            request("/v1/anonymous-reports")
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(report.build().toByteArray())));
    accepted.add(token.nonce());
    answers.incrementAndGet();
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
      }
      assertThat(System.nanoTime()).as("%s", request.build().uri()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  private void check(Map<String, String> kafka) throws Exception {
    Set<ByteString> nonces = new HashSet<>();
    AtomicInteger records = new AtomicInteger();
    CommittedRecords.forEach(
        kafka,
        ANONYMOUS.reports(),
        range -> {},
        record -> {
          records.incrementAndGet();
          nonces.add(ByteString.copyFrom(record.key()));
        });
    assertThat(nonces).isEqualTo(accepted);
    ModelUpdate[] learned = new ModelUpdate[1];
    await(
        () -> {
          try {
            learned[0] =
                ModelUpdate.parseFrom(
                    answered(
                        200, request("/v1/models/m").header("Accept", "application/x-protobuf")));
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          return entered(learned[0]) >= nonces.size();
        });
    assertThat(entered(learned[0])).isEqualTo(nonces.size());
    Map<String, Integer> charges = new HashMap<>();
    List<Outcome> outcomes = new ArrayList<>();
    CommittedRecords.forEach(
        kafka,
        TOPICS.accounting(),
        range -> {},
        record -> {
          try {
            AccountingEvent event = AccountingEvents.read(record.key(), record.value());
            outcomes.add(event.getOutcome());
            if (event.getOutcome() == Outcome.GRANTED) {
              charges.merge(event.getUserId(), 1, Integer::sum);
              assertThat(event.getModelTotals().getEpsilon()).isEqualTo(2);
            }
          } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(charges).containsOnlyKeys(signed);
    assertThat(charges.values()).containsOnly(1);
    assertThat(outcomes).isSubsetOf(Outcome.GRANTED, Outcome.DUPLICATE);
    System.out.printf(
        "%d kills: %d tokens, %d resends of requests, %d reports in %d records%n",
        KILLS, signed.size(), outcomes.size() - signed.size(), nonces.size(), records.get());
  }

  private static long entered(ModelUpdate update) {
    return update.getUsed() + update.getOpen() + update.getDroppedStale();
  }
}
