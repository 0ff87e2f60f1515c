package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import io.croupier.gateway.LogLines;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Undisclosed;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.logging.log4j.Level;
import org.eclipse.jetty.server.LocalConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever bytes arrive, the gateway answers in a documented way, stores only reports that the
 * job's decoder reads, and only under the identity of the token. Use {@code -Dinputs=1000000} for a
 * long run and {@code -Dseed=N} for another seed. {@link OtherRequestFuzzTest} sends the other half
 * of the inputs.
 */
class RequestFuzzTest {
  private static final long SEED = Long.getLong("seed", 47);
  private static final long INPUTS = Long.getLong("inputs", 40_000) / 2;
  private static final int DIMENSION = 3;
  private static final int PATIENCE_SECONDS = 30;
  private static final String SECRET = "0.123456789";
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3}) ");

  /**
   * With 400 for what is no HTTP, and 414, 426, 431, 501 and 505, which the server itself sends.
   */
  private static final Set<Integer> DOCUMENTED =
      Set.of(
          200, 202, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 417, 422, 426, 429,
          431, 501, 503, 505);

  private record Stored(String topic, String userId, ByteString value) {}

  @TempDir private Path directory;
  private LocalGateway gateway;
  private String token;
  private String userId;
  private final ConcurrentLinkedQueue<Stored> stored = new ConcurrentLinkedQueue<>();
  private final SplittableRandom random = new SplittableRandom(seed());

  long seed() {
    return SEED;
  }

  @BeforeEach
  void start() throws Exception {
    gateway =
        new LocalGateway(
            directory,
            Map.of(
                "limits.body", "20000",
                "limits.wait", "1 s",
                "limits.user.burst", "1000000000",
                "limits.address.burst", "1000000000"),
            (topic, user, value) -> {
              stored.add(new Stored(topic, user, ByteString.copyFrom(value)));
              return CompletableFuture.completedFuture(
                  new RecordMetadata(new TopicPartition(topic, 0), 0, 0, 0, 0, 0));
            },
            false);
    token = gateway.token("ada");
    userId = gateway.userId("ada");
    gateway.specs.apply(
        record(
            ModelSpec.newBuilder()
                .setModelId("m")
                .setDimension(DIMENSION)
                .setGradientBound(1)
                .setBlackBox(BlackBox.getDefaultInstance())
                .build()
                .toByteArray()));
    gateway.updates.apply(
        record(
            ModelUpdate.newBuilder()
                .setModelId("m")
                .setRound(5)
                .setGradientBound(1)
                .setGridExponent(-16)
                .addAllWeights(List.of(1.0, 2.0, 3.0))
                .addAllAverage(List.of(1.0, 2.0, 3.0))
                .build()
                .toByteArray()));
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static ConsumerRecord<byte[], byte[]> record(byte[] value) {
    return new ConsumerRecord<>("topic", 0, 0, "m".getBytes(UTF_8), value);
  }

  private GradientReport report() {
    GradientReport.Builder report =
        GradientReport.newBuilder()
            .setModelId("m")
            .setRound(random.nextInt(4, 7))
            .setSequence(random.nextInt(3))
            .setDeviceId("phone")
            .setDense(Dense.newBuilder().addValues(0.123456789).addValues(0.5).addValues(-0.25));
    if (random.nextInt(4) == 0) {
      report.setUserId(random.nextBoolean() ? userId : "mallory");
    }
    return random.nextBoolean()
        ? report.setUndisclosed(Undisclosed.getDefaultInstance()).build()
        : report.setL2Laplace(L2Laplace.newBuilder().setEpsilon(1)).build();
  }

  /** A request that is valid but for the part that is mutated. */
  private byte[] request() throws Exception {
    if (random.nextInt(6) == 0) {
      String path =
          List.of(
                  "/v1/models",
                  "/v1/models/m",
                  "/v1/models/m?after=5",
                  "/v1/models/m?after=4&wait=1",
                  "/v1/croupier.js",
                  "/openapi.json",
                  "/metrics",
                  "/readyz")
              .get(random.nextInt(8));
      String get =
          "GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nConnection: close\r\n\r\n";
      return mutate(get.getBytes(ISO_8859_1), 1 + random.nextInt(3));
    }
    boolean json = random.nextBoolean();
    byte[] body =
        json ? JsonFormat.printer().print(report()).getBytes(UTF_8) : report().toByteArray();
    String bearer = token;
    int part = random.nextInt(4);
    if (part == 0) {
      body = mutate(body, random.nextInt(4));
    } else if (part == 1) {
      bearer = new String(mutate(token.getBytes(ISO_8859_1), 1), ISO_8859_1).replaceAll("\\s", "");
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String head =
        "POST /v1/reports HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer "
            + bearer
            + "\r\nContent-Type: application/"
            + (json ? "json" : "x-protobuf")
            + "\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    byte[] bytes = head.getBytes(ISO_8859_1);
    request.writeBytes(part == 2 ? mutate(bytes, 1) : bytes);
    request.writeBytes(body);
    return part == 3 ? mutate(request.toByteArray(), 1) : request.toByteArray();
  }

  private static final List<String> WORDS =
      List.of(
          "\r\n",
          "\r\n\r\n",
          "\u0000",
          "Content-Length: 1\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Content-Encoding: gzip\r\n",
          "Expect: 100-continue\r\n",
          "Upgrade: h2c\r\n",
          "%00",
          "%2f",
          "/../",
          ";",
          "?",
          "..",
          "{",
          "[[[[[[[[",
          "\"",
          "1e999",
          "NaN",
          "9223372036854775808",
          "none",
          "HS256",
          ".",
          "=",
          " ",
          "HTTP/2.0",
          "Bearer ",
          "\u00e9");

  private byte[] mutate(byte[] bytes, int times) {
    byte[] result = bytes;
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(result.length + 1);
      int length = random.nextInt(Math.min(20, result.length - at) + 1);
      byte[] inserted =
          switch (random.nextInt(5)) {
            case 0 -> new byte[] {(byte) random.nextInt()};
            case 1 -> WORDS.get(random.nextInt(WORDS.size())).getBytes(ISO_8859_1);
            case 2 -> Arrays.copyOfRange(result, at, at + length);
            default -> new byte[0];
          };
      if (random.nextInt(4) == 0 && at < result.length) {
        result = result.clone();
        result[at] ^= (byte) (1 << random.nextInt(8));
      } else {
        int removed = random.nextBoolean() ? length : 0;
        ByteArrayOutputStream next = new ByteArrayOutputStream();
        next.write(result, 0, at);
        next.writeBytes(inserted);
        next.write(result, at + removed, result.length - at - removed);
        result = next.toByteArray();
      }
    }
    return result;
  }

  @Test
  void anyRequestIsAnsweredAsDocumented() throws Exception {
    Map<Integer, Integer> statuses = new TreeMap<>();
    List<Stored> all = new ArrayList<>();
    LogLines log = new LogLines(Level.WARN);
    for (long i = 0; i < INPUTS; i++) {
      byte[] request = request();
      String shown = "input " + i + " of seed " + seed();
      ByteBuffer answer = answer(request);
      if (answer == null || !answer.hasRemaining()) {
        // The server closed the connection without an answer: the request was cut off.
        statuses.merge(0, 1, Integer::sum);
        continue;
      }
      String text = ISO_8859_1.decode(answer).toString();
      Matcher status = STATUS.matcher(text);
      assertThat(status.lookingAt()).as("%s: %s", shown, text).isTrue();
      int code = Integer.parseInt(status.group(1));
      statuses.merge(code, 1, Integer::sum);
      assertThat(DOCUMENTED).as("%s: %s", shown, text).contains(code);
      if (code >= 400) {
        assertThat(text).as(shown).doesNotContain(SECRET).doesNotContain(userId);
      }
      for (Stored next = stored.poll(); next != null; next = stored.poll()) {
        assertStoredForItsSender(next, shown);
        all.add(next);
        assertThat(code).as(shown).isEqualTo(202);
      }
    }
    log.close();
    // The server's own warnings quote requests; the gateway's configuration drops them.
    String signature = token.substring(token.lastIndexOf('.') + 1);
    assertThat(log.lines())
        .filteredOn(line -> line.contains(signature) || line.contains(userId))
        .allMatch(line -> line.startsWith("org.eclipse.jetty."));
    System.out.printf("%,d requests: %s, %,d stored%n", INPUTS, statuses, all.size());
    // Some requests of each kind get through: the mutations leave them valid.
    assertThat(statuses).containsKeys(200, 202, 400, 401, 403, 404, 409, 415);
    assertThat(statuses.getOrDefault(0, 0)).isLessThan((int) (INPUTS / 5));
  }

  /** The first answer; null if there is none. Nothing follows the request, so none is awaited. */
  private ByteBuffer answer(byte[] request) throws Exception {
    try (LocalConnector.LocalEndPoint connection = gateway.connector.connect()) {
      connection.addInputAndExecute(ByteBuffer.wrap(request));
      connection.addInputEOF();
      return connection.waitForResponse(false, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void assertStoredForItsSender(Stored report, String shown) throws Exception {
    assertThat(report.topic).as(shown).isEqualTo("croupier.gradients");
    assertThat(report.userId).as(shown).isEqualTo(userId);
    assertThat(GradientReport.parseFrom(report.value).getUserId()).as(shown).isEqualTo(userId);
    assertThat(
            new ReportDecoder()
                .decode(
                    userId.getBytes(UTF_8), report.value.toByteArray(), false, Source.unknown(0)))
        .as(shown)
        .isInstanceOf(Report.class);
  }
}
