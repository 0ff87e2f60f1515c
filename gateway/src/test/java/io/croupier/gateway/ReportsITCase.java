package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.protobuf.util.JsonFormat;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Central;
import io.croupier.schemas.GradientReport;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Reports through a gateway to a real broker, and what is refused. */
class ReportsITCase extends GatewayFixture {
  private static final int DIMENSION = 3;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.publish(TestBroker.movingClip("moving", DIMENSION));
    broker.publish(TestBroker.central("central", DIMENSION));
    broker.publish(TestBroker.spec("unpublished", DIMENSION));
    broker.publish(TestBroker.spec("retired", DIMENSION));
    broker.retire("retired");
    for (long round = 0; round <= 5; round++) {
      broker.update("m", DIMENSION, round);
    }
    broker.update("central", DIMENSION, 0);
    broker.update(
        TestBroker.update("moving", DIMENSION, 0, 1)
            .setSize(io.croupier.schemas.AdaptiveClip.Size.GRADIENT)
            .setQuestionProbability(1)
            .build());
    broker.update(
        TestBroker.update("moving", DIMENSION, 7, 0.5)
            .setSize(io.croupier.schemas.AdaptiveClip.Size.GRADIENT)
            .setQuestionProbability(0.02)
            .build());
    startGateway(Map.of());
  }

  private static ConsumerRecord<byte[], byte[]> recordAt(HttpResponse<String> accepted) {
    JsonObject position = TestGateway.json(accepted);
    return broker.read(position.get("topic").getAsString()).stream()
        .filter(
            record ->
                record.partition() == position.get("partition").getAsInt()
                    && record.offset() == position.get("offset").getAsLong())
        .findFirst()
        .orElseThrow();
  }

  private static HttpResponse<String> send(GradientReport.Builder report) throws Exception {
    return send("application/x-protobuf", report.build().toByteArray());
  }

  private static HttpResponse<String> send(String type, byte[] body) throws Exception {
    return gateway.send(gateway.post(gateway.issuer.token("ada"), type, body));
  }

  private static HttpResponse<String> sendJson(String text) throws Exception {
    return send("application/json", text.getBytes(UTF_8));
  }

  private static void assertProblem(HttpResponse<String> response, int status, String... parts) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    JsonObject problem = TestGateway.json(response);
    assertThat(problem.get("status").getAsInt()).isEqualTo(status);
    assertThat(problem.get("type").getAsString()).startsWith("urn:croupier:problem:");
    assertThat(problem.get("title").getAsString()).isNotEmpty();
    for (String part : parts) {
      assertThat(problem.get("detail").getAsString()).contains(part);
    }
    assertThat(response.body()).doesNotContain(gateway.userId("ada"), "ada");
  }

  private static String field(HttpResponse<String> response) {
    return TestGateway.json(response)
        .getAsJsonArray("errors")
        .get(0)
        .getAsJsonObject()
        .get("field")
        .getAsString();
  }

  @Test
  void aReportIsStoredUnderItsSendersIdBeforeTheAnswer() throws Exception {
    GradientReport.Builder report = Reports.grid("m", DIMENSION, 5, 1);
    HttpResponse<String> response = send(report);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
    ConsumerRecord<byte[], byte[]> record = recordAt(response);
    String userId = gateway.userId("ada");
    assertThat(userId).hasSize(43).matches("[A-Za-z0-9_-]+");
    assertThat(record.topic()).isEqualTo(broker.topics().gradients());
    assertThat(new String(record.key(), UTF_8)).isEqualTo(userId);
    assertThat(GradientReport.parseFrom(record.value()))
        .isEqualTo(report.setUserId(userId).build());
  }

  @Test
  void theJobAdmitsWhatTheGatewayAccepted() throws Exception {
    HttpResponse<String> response = send(Reports.grid("m", DIMENSION, 5, 2));
    ConsumerRecord<byte[], byte[]> record = recordAt(response);
    Received decoded =
        new ReportDecoder().decode(record.key(), record.value(), false, Source.unknown(0));
    assertThat(decoded).isInstanceOf(Report.class);
    assertThat(
            new Ledger()
                .judge(
                    (Report) decoded,
                    new ReportIntake(TestBroker.spec("m", DIMENSION), 0).terms(),
                    new HeapAccount())
                .getOutcome())
        .isEqualTo(Outcome.ADMITTED);
  }

  /** So the job recognises a resend, whatever the encoding. */
  @Test
  void theSameReportGivesTheSameBytesInEveryEncoding() throws Exception {
    GradientReport.Builder report = Reports.grid("m", DIMENSION, 5, 3);
    HttpResponse<String> first = send(report);
    HttpResponse<String> again = send(report);
    HttpResponse<String> withId = send(report.clone().setUserId(gateway.userId("ada")));
    HttpResponse<String> json =
        send("application/json; charset=utf-8", JsonFormat.printer().print(report).getBytes(UTF_8));
    for (HttpResponse<String> other : List.of(again, withId, json)) {
      assertThat(other.statusCode()).as(other.body()).isEqualTo(202);
      assertThat(recordAt(other).value()).isEqualTo(recordAt(first).value());
      assertThat(recordAt(other).partition()).isEqualTo(recordAt(first).partition());
    }
  }

  @Test
  void malformedReportsNameTheField() throws Exception {
    HttpResponse<String> negative = send(Reports.grid("m", DIMENSION, -1, 4));
    assertProblem(negative, 400, "round is -1: it must be at least 0");
    assertThat(field(negative)).isEqualTo("round");
    HttpResponse<String> notFinite =
        send(Reports.dense("m", 5, 4, 0.12345678, Double.NaN, 0.23456789));
    assertProblem(notFinite, 400, "dense.values must be finite");
    assertThat(notFinite.body()).doesNotContain("12345678", "23456789");
    assertProblem(
        send(Reports.grid("m", DIMENSION, 5, 4).clearL2Laplace()), 400, "declaration is missing");
    assertProblem(send("application/x-protobuf", new byte[] {1, 2, 3}), 400, "Protobuf");
    assertProblem(sendJson("{\"gradient\": 0.123456}"), 400, "gradient is no field");
    for (String text :
        List.of(
            "",
            "[",
            "{\"round\": \"0.123456789\"}",
            "{\"candidate\": {\"seed\": 1e1000000000}}",
            "{\"dense\": {\"values\": [" + "1".repeat(2000) + "]}}",
            "{\"modelId\": \"m\"} {}")) {
      HttpResponse<String> response = sendJson(text);
      assertProblem(response, 400);
      assertThat(response.body()).doesNotContain("123456");
    }
  }

  @Test
  void whatTheModelRefusesIsRefusedAtOnce() throws Exception {
    HttpResponse<String> dimension = send(Reports.grid("m", DIMENSION + 1, 5, 5));
    assertProblem(dimension, 422, "dimension 4: it must have the model's, 3");
    assertThat(TestGateway.json(dimension).get("outcome").getAsString())
        .isEqualTo("REFUSED_DIMENSION");
    HttpResponse<String> bound = send(Reports.grid("m", DIMENSION, 5, 5).setGradientBound(2));
    assertProblem(bound, 422, "gradient_bound is 2.0: it must be the model's, 1.0");
    HttpResponse<String> length = send(Reports.dense("m", 5, 5, 0, 123456.75, 0));
    assertProblem(length, 422, "longer than");
    assertThat(length.body()).doesNotContain("123456");
    HttpResponse<String> clip =
        send(Reports.grid("moving", DIMENSION, 7, 5).setGradientBound(0.25));
    assertProblem(clip, 422, "gradient_bound is 0.25: it must be that of round 7, 0.5");
    assertThat(send(Reports.grid("moving", DIMENSION, 7, 5).setGradientBound(0.5)).statusCode())
        .isEqualTo(202);
  }

  @Test
  void unknownAndRetiredModelsAreNotFound() throws Exception {
    HttpResponse<String> unknown = send(Reports.grid("unknown", DIMENSION, 0, 6));
    assertProblem(unknown, 404, "model_id must name a model");
    assertThat(field(unknown)).isEqualTo("model_id");
    assertProblem(send(Reports.grid("retired", DIMENSION, 0, 6)), 404);
  }

  @Test
  void roundsThatTheJobWouldDropConflict() throws Exception {
    HttpResponse<String> ahead = send(Reports.grid("m", DIMENSION, 6, 7));
    assertProblem(ahead, 409, "round is 6", "at most 5");
    assertThat(ahead.headers().firstValue("Retry-After")).hasValue("1");
    HttpResponse<String> stale = send(Reports.grid("m", DIMENSION, 2, 7));
    assertProblem(stale, 409, "round is 2", "max_staleness is 2");
    assertThat(stale.headers().firstValue("Retry-After")).isEmpty();
    assertThat(send(Reports.grid("m", DIMENSION, 3, 7)).statusCode()).isEqualTo(202);
    assertProblem(send(Reports.grid("unpublished", DIMENSION, 0, 7)), 409, "published none");
    assertProblem(
        send(Reports.grid("moving", DIMENSION, 0, 7).setGradientBound(1)),
        409,
        "searched for its clip");
  }

  @Test
  void rawReportsNeedTheConfigurationsConsent() throws Exception {
    GradientReport.Builder raw =
        Reports.dense("central", 0, 8, 0.1, 0.2, 0.3).setCentral(Central.getDefaultInstance());
    HttpResponse<String> response = send(raw);
    assertProblem(response, 403, "takes no raw reports");
    assertThat(field(response)).isEqualTo("declaration");
    try (TestGateway trusted =
        new TestGateway(gateway.directory, broker.kafka(), Map.of("reports.raw", "true"))) {
      HttpResponse<String> accepted =
          trusted.protobuf(trusted.issuer.token("ada"), raw.build().toByteArray());
      assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
      assertThat(recordAt(accepted).topic()).isEqualTo(broker.topics().rawGradients());
    } finally {
      gateway.issuer.jwks(gateway.directory.resolve("keys.json"));
    }
  }

  @Test
  void bodiesOfOtherKindsAreRefused() throws Exception {
    byte[] body = Reports.grid("m", DIMENSION, 5, 9).build().toByteArray();
    assertProblem(send("text/plain", body), 415);
    for (String encoding : List.of("gzip", "zstd")) {
      HttpResponse<String> compressed =
          gateway.send(
              java.net.http.HttpRequest.newBuilder(
                      gateway.post(gateway.issuer.token("ada"), "application/x-protobuf", body),
                      (name, value) -> true)
                  .header("Content-Encoding", encoding)
                  .build());
      assertProblem(compressed, 415, "Content-Encoding must be absent");
    }
    // The client gets the answer even though it still sends.
    for (int i = 0; i < 50; i++) {
      assertProblem(
          send("application/x-protobuf", new byte[(1 << 20) + 1]), 413, "at most 1048576 bytes");
    }
    // Without a Content-Length.
    HttpResponse<String> chunked =
        gateway.send(
            java.net.http.HttpRequest.newBuilder(gateway.uri("/v1/reports"))
                .header("Authorization", "Bearer " + gateway.issuer.token("ada"))
                .header("Content-Type", "application/x-protobuf")
                .POST(
                    java.net.http.HttpRequest.BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream(new byte[(1 << 20) + 1])))
                .build());
    assertProblem(chunked, 413, "at most 1048576 bytes");
  }

  /** A client would send its next request into a connection that the server is about to close. */
  @Test
  void anAnswerBeforeTheBodyArrivesEndsTheConnection() throws Exception {
    assertThat(answerToOtherKind(1)).contains("415", "Connection: close");
  }

  /** A body that never ends is not discarded for ever. */
  @Test
  void aConnectionEndsSoonAfterAnAnswerBeforeTheBody() throws Exception {
    try (Socket socket = otherKind(1)) {
      assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).contains("415");
    }
  }

  /** The time of a request doesn't depend on how long its sender sends after the answer. */
  @Test
  void theTimeOfARequestEndsWithItsAnswer() throws Exception {
    // No other test of this class asks for a model.
    String seconds = "croupier_gateway_request_seconds_%s{route=\"/v1/models/{id}\"}";
    String request =
        """
        GET /v1/models/absent HTTP/1.1\r
        Host: a\r
        Content-Length: 8\r
        \r
        x""";
    long begun = System.nanoTime();
    try (Socket socket = open(request)) {
      assertThat(socket.getInputStream().readAllBytes()).asString(UTF_8).contains("404");
      // The gateway waits two seconds for the rest of the body, and then counts the request.
      await(() -> gateway.metric(seconds.formatted("count")) == 1);
    }
    Duration most = Duration.ofNanos(System.nanoTime() - begun).minusSeconds(2);
    assertThat(gateway.metric(seconds.formatted("sum"))).isLessThanOrEqualTo(most.toNanos() * 1e-9);
  }

  @Test
  void anAnswerAfterTheBodyArrivedKeepsTheConnection() throws Exception {
    assertThat(answerToOtherKind(8)).contains("415").doesNotContain("Connection: close");
  }

  /** The header of the answer to a request of 8 bytes of text, with the first bytes of its body. */
  private static String answerToOtherKind(int bytes) throws Exception {
    try (Socket socket = otherKind(bytes)) {
      StringBuilder header = new StringBuilder();
      while (header.indexOf("\r\n\r\n") < 0) {
        header.append((char) socket.getInputStream().read());
      }
      return header.toString();
    }
  }

  private static Socket otherKind(int bytes) throws Exception {
    return open(
        "POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"
            + "Content-Length: 8\r\n\r\n"
            + "x".repeat(bytes));
  }

  /** A connection on which a request has begun. */
  private static Socket open(String request) throws Exception {
    Socket socket = gateway.connect();
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    return socket;
  }

  @Test
  void otherPathsAndMethodsAreProblems() throws Exception {
    HttpResponse<String> path = gateway.get("/v2/reports");
    assertProblem(path, 404);
    HttpResponse<String> method = gateway.get("/v1/reports");
    assertProblem(method, 405);
    assertThat(method.headers().firstValue("Allow")).hasValue("POST");
  }
}
