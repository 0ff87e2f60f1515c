package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.ohttp.BinaryRequest;
import io.croupier.client.ohttp.BinaryResponse;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encapsulated requests: which ones are opened, where they may lead, and how they are answered. */
class ObliviousEndpointTest {
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final BinaryRequest WINDOWS = get("/v1/models/m/windows");

  @TempDir private Path directory;
  private LocalGateway gateway;
  private ObliviousKeyPair keys;

  @BeforeEach
  void start() throws Exception {
    gateway =
        new LocalGateway(
            directory, Map.of(), (topic, user, value) -> new CompletableFuture<>(), true);
    keys = ObliviousKeyPair.derive(gateway.pepper.obliviousSecret());
    publish("m", 1);
  }

  private void publish(String modelId, int dimension) {
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId(modelId)
            .setRound(7)
            .setGradientBound(1)
            .setGridExponent(-16)
            .addAllWeights(Collections.nCopies(dimension, -1.0 / 3))
            .addAllAverage(Collections.nCopies(dimension, -1.0 / 3))
            .build();
    gateway.updates.apply(
        new ConsumerRecord<>("updates", 0, 0, modelId.getBytes(UTF_8), update.toByteArray()));
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static BinaryRequest get(String path) {
    return new BinaryRequest("GET", "gateway", path, Map.of("accept", JSON), ByteString.EMPTY);
  }

  private static BinaryRequest post(String path, String type, int bytes) {
    return new BinaryRequest(
        "POST",
        "gateway",
        path,
        Map.of("content-type", type, "authorization", "Bearer x"),
        ByteString.copyFrom(new byte[bytes]));
  }

  /** An answer as it arrives: header and body. */
  private record Answer(String head, ByteString body) {
    private static Answer of(String text) {
      int end = text.indexOf("\r\n\r\n");
      return new Answer(
          text.substring(0, end), ByteString.copyFrom(text.substring(end + 4), ISO_8859_1));
    }
  }

  private Answer send(String type, String length, byte[] body) throws Exception {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        "POST /v1/ohttp HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%s\r\n\r\n"
            .formatted(type, length)
            .getBytes(ISO_8859_1));
    request.writeBytes(body);
    return Answer.of(LocalGateway.answer(gateway.begin(request.toByteArray())));
  }

  private Answer send(byte[] encapsulated) throws Exception {
    return send("message/ohttp-req", "Content-Length: " + encapsulated.length, encapsulated);
  }

  /** The opened answer to a message under the gateway's key; all have one length. */
  private BinaryResponse exchange(byte[] message) throws Exception {
    return exchange(message, 1);
  }

  private BinaryResponse exchange(byte[] message, int parts) throws Exception {
    ObliviousExchange exchange = keys.key().encapsulate(message);
    Answer answer = send(exchange.request());
    assertThat(answer.head).startsWith("HTTP/1.1 200 ").contains("message/ohttp-res");
    assertThat(answer.body.size())
        .isEqualTo(parts * BinaryResponse.BYTES + ObliviousExchange.ANSWER_OVERHEAD);
    return BinaryResponse.parse(exchange.open(answer.body.toByteArray()));
  }

  private BinaryResponse exchange(BinaryRequest request) throws Exception {
    return exchange(request.encoded());
  }

  private static void assertProblem(BinaryResponse answer, int status, String detail) {
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header()).containsEntry("content-type", "application/problem+json");
    assertThat(answer.content().toStringUtf8()).contains(detail);
  }

  @Test
  void theKeyIsServed() throws Exception {
    byte[] request = "GET /v1/ohttp-keys HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1);
    Answer answer = Answer.of(LocalGateway.answer(gateway.begin(request)));
    assertThat(answer.head).contains("HTTP/1.1 200 ", "application/ohttp-keys");
    assertThat(answer.body.toByteArray()).isEqualTo(keys.key().encoded());
  }

  @Test
  void windowsAreServed() throws Exception {
    BinaryResponse answer = exchange(WINDOWS);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header()).isEqualTo(Map.of("content-type", JSON));
    assertThat(answer.content().toStringUtf8()).isEqualTo("{\"modelId\":\"m\",\"round\":\"7\"}");
    assertProblem(exchange(get("/v1/models/other/windows")), 404, "no model");
  }

  /** To devices without a token; the gateway sees the relay's address. */
  @Test
  void updatesAreServed() throws Exception {
    BinaryResponse answer = exchange(get("/v1/models/m"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header()).containsEntry("content-type", JSON);
    assertThat(answer.header().get("etag")).startsWith("W/\"7-");
    assertThat(answer.content().toStringUtf8())
        .contains("\"round\":\"7\"", "\"weights\":[-0.3333333333333333]");
    assertProblem(exchange(get("/v1/models/other")), 404, "no model");
    assertProblem(exchange(get("/v1/models/m?after=1")), 404, "no model");
  }

  /** Its length is that of the model, whichever device asks. */
  @Test
  void aLongUpdateHasALongerAnswer() throws Exception {
    publish("long", 1000);
    assertThat(exchange(get("/v1/models/long").encoded(), 4).status()).isEqualTo(200);
    publish("longer", 2000);
    assertProblem(
        exchange(get("/v1/models/longer")), 406, "in JSON; through a relay, it may have 48896");
  }

  @Test
  void reportsAreChecked() throws Exception {
    String path = "/v1/anonymous-reports";
    assertProblem(exchange(post(path, PROTOBUF, 1024)), 400, "not an AnonymousReport in Protobuf");
    assertProblem(exchange(post(path, "application/json", 2048)), 400, "not JSON");
    assertProblem(exchange(post(path, PROTOBUF, 1025)), 400, "must have 1024");
    assertProblem(exchange(post(path, "text/plain", 1024)), 415, "Content-Type");
  }

  /** Devices without identity need three requests, so no other one is answered. */
  @Test
  void otherRequestsAreRefused() throws Exception {
    String json = "application/json";
    for (BinaryRequest request :
        List.of(
            post("/v1/reports", PROTOBUF, 10),
            post("/v1/tokens", json, 10),
            post("/v1/ohttp", "message/ohttp-req", 10),
            post("/v1/models/m/windows", json, 0),
            get("/v1/anonymous-reports"),
            get("/v1/models"),
            get("/v1/models/m/events"),
            get("/v1/models/m/windows?after=1"),
            get("/metrics"),
            get("/watch/"),
            new BinaryRequest("HEAD", "a", WINDOWS.path(), Map.of(), ByteString.EMPTY))) {
      assertProblem(exchange(request), 404, "must be one of POST /v1/anonymous-reports, GET");
    }
  }

  /** No body is sent, so an answer shows that none was awaited. */
  @Test
  void anotherFormIsRefusedBeforeTheBodyArrives() throws Exception {
    for (String length :
        List.of(
            "Content-Length: 2614",
            "Content-Length: 2616",
            "Content-Length: 0",
            "Transfer-Encoding: chunked")) {
      Answer answer = send("message/ohttp-req", length, new byte[0]);
      assertThat(answer.head).startsWith("HTTP/1.1 400 ");
      assertThat(answer.body.toStringUtf8()).contains("Content-Length must be 2615");
    }
    String right = "Content-Length: 2615";
    assertThat(send("message/bhttp", right, new byte[0]).head).startsWith("HTTP/1.1 415 ");
    assertThat(send("message/ohttp-req", right + "\r\nContent-Encoding: gzip", new byte[0]).head)
        .startsWith("HTTP/1.1 415 ");
  }

  @Test
  void whatIsNotUnderTheKeyIsRefused() throws Exception {
    byte[] foreign =
        ObliviousKeyPair.derive(new byte[32]).key().encapsulate(WINDOWS.encoded()).request();
    byte[] otherId = keys.key().encapsulate(WINDOWS.encoded()).request();
    otherId[0]++;
    byte[] changed = keys.key().encapsulate(WINDOWS.encoded()).request();
    changed[changed.length - 1] ^= 1;
    byte[] noPoint = keys.key().encapsulate(WINDOWS.encoded()).request();
    for (int i = 7; i < 39; i++) {
      noPoint[i] = 0;
    }
    for (byte[] request : List.of(foreign, otherId, changed, noPoint, new byte[2615])) {
      Answer answer = send(request);
      assertThat(answer.head).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
      assertThat(answer.body.toStringUtf8()).contains("/v1/ohttp-keys");
    }
  }

  @Test
  void bytesAfterTheMessageAreRefused() throws Exception {
    byte[] message = WINDOWS.encoded();
    message[message.length - 1] = 1;
    assertProblem(exchange(message), 400, "padding must be zeros");
  }

  /** A copy has an answer of its own, which only the sender of the first can open. */
  @Test
  void aCopyIsAnsweredLikeTheFirst() throws Exception {
    ObliviousExchange exchange = keys.key().encapsulate(WINDOWS.encoded());
    byte[] first = send(exchange.request()).body.toByteArray();
    byte[] second = send(exchange.request()).body.toByteArray();
    assertThat(second).isNotEqualTo(first);
    assertThat(exchange.open(second)).isEqualTo(exchange.open(first));
  }

  @Tag("ci")
  @Test
  void anyMessageIsAnswered() throws Exception {
    Random random = new Random(11);
    byte[] valid = post("/v1/anonymous-reports", PROTOBUF, 1024).encoded();
    for (int i = 0; i < 1000; i++) {
      byte[] message = valid.clone();
      for (int changes = random.nextInt(5); changes >= 0; changes--) {
        message[random.nextInt(200)] = (byte) random.nextInt();
      }
      assertThat(exchange(message).status()).isIn(400, 404, 406, 415);
    }
  }

  /** Whatever models and levels there are, answers keep their length. */
  @Test
  void theLongestWindowsFit() throws Exception {
    byte[] modulus = new byte[256];
    modulus[0] = (byte) 0xff;
    TokenLevel level =
        TokenLevel.newBuilder()
            .setPrivUnit(
                PrivUnit.newBuilder()
                    .setEpsilon(-Double.MIN_NORMAL)
                    .setCandidates(Integer.MIN_VALUE)
                    .setTop(Integer.MIN_VALUE))
            .setModulus(ByteString.copyFrom(modulus))
            .build();
    TokenWindow window =
        TokenWindow.newBuilder()
            .setWindow(Long.MIN_VALUE)
            .setFirstRound(Long.MIN_VALUE)
            .setLastRound(Long.MIN_VALUE)
            .addAllLevels(Collections.nCopies(8, level))
            .build();
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId("m".repeat(100))
            .setRound(Long.MIN_VALUE)
            .addAllWindows(Collections.nCopies(3, window))
            .build();
    String json = JsonFormat.printer().omittingInsignificantWhitespace().print(update);
    Map<String, String> header = Map.of("content-type", PROTOBUF);
    for (ByteString content : List.of(update.toByteString(), ByteString.copyFromUtf8(json))) {
      BinaryResponse answer = new BinaryResponse(200, header, content);
      assertThat(answer.encoded()).hasSize(BinaryResponse.BYTES);
    }
  }

  @Test
  void withoutAnonymousReportsThereIsNoKey(@TempDir Path other) throws Exception {
    try (LocalGateway plain =
        new LocalGateway(
            other, Map.of(), (topic, user, value) -> new CompletableFuture<>(), false)) {
      for (String line : List.of("GET /v1/ohttp-keys", "POST /v1/ohttp")) {
        assertThat(
                plain.connector.getResponse(
                    line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 404 ")
            .contains("anonymous.enabled");
      }
    }
  }
}
