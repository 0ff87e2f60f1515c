package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.schemas.GradientReport;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reporter over HTTP, and a server that answers as a gateway may, or as none does. */
@Timeout(60)
class HttpReportTransportTest {
  private static final ModelSnapshot MODEL = Updates.snapshot("m", 3, 0, 0);
  private static final GridRandomiser NOISE = new L2LaplaceRandomiser(1, 2, -16, 1);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String TOKEN = "abc.DEF-1_2~3+4/5==";

  @TempDir private Path directory;

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);

  private static StubGateway answering(Answer... answers) throws Exception {
    return new StubGateway(
        request ->
            request.place() < answers.length ? answers[request.place()] : StubGateway.ACCEPTED);
  }

  private static HttpReportTransport transport(StubGateway gateway) {
    return new HttpReportTransport(gateway.uri(), () -> TOKEN, PATIENCE);
  }

  private CompletableFuture<Void> report(ReportTransport transport) {
    return new GradientReporter(transport, ledger).report(MODEL, new double[2], NOISE);
  }

  private static Throwable failure(CompletableFuture<Void> report) throws Exception {
    try {
      report.get(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasMessageNotContaining(TOKEN).hasMessageNotContaining("ada");
      return e.getCause();
    }
    throw new AssertionError("the report was acknowledged");
  }

  @Test
  void aReportHasATokenAndNamesNobody() throws Exception {
    try (StubGateway gateway = answering();
        HttpReportTransport transport = transport(gateway)) {
      report(transport).get();

      Received request = gateway.received().get(0);
      assertThat(gateway.received()).hasSize(1);
      assertThat(request.target()).isEqualTo("/v1/reports");
      assertThat(request.header("Authorization")).hasValue("Bearer " + TOKEN);
      assertThat(request.header("Content-type")).hasValue("application/x-protobuf");
      GradientReport report = GradientReport.parseFrom(request.body());
      assertThat(report.hasUserId()).isFalse();
      assertThat(report.getDeviceId()).isEqualTo(ledger.deviceId());
      assertThat(report.getRound()).isEqualTo(3);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 409, 429, 500, 503})
  void theSameBytesAreSentAgainAfterTheTimeThatTheGatewayStates(int status) throws Exception {
    Answer later = Answer.problem(status).with("Retry-After", "1");
    try (StubGateway gateway = answering(later);
        HttpReportTransport transport = transport(gateway)) {
      long start = System.nanoTime();
      report(transport).get();

      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
      assertSameBytes(gateway, 2);
      assertThat(ledger.spent().reports()).isOne();
      assertThat(ledger.pending()).isEmpty();
    }
  }

  private static void assertSameBytes(StubGateway gateway, int times) {
    assertThat(gateway.received()).hasSize(times);
    assertThat(gateway.received())
        .allSatisfy(
            request -> assertThat(request.body()).isEqualTo(gateway.received().get(0).body()));
  }

  @Test
  void theSameBytesAreSentAgainWithoutAnAnswer() throws Exception {
    try (StubGateway gateway = answering(StubGateway.NONE, StubGateway.NONE, Answer.of(502));
        HttpReportTransport transport = transport(gateway)) {
      report(transport).get();

      assertSameBytes(gateway, 4);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 409, 413, 415, 422})
  void aRefusalIsFinalAndNamesItsFields(int status) throws Exception {
    try (StubGateway gateway = answering(Answer.problem(status));
        HttpReportTransport transport = transport(gateway)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);

      assertThat(failure(reporter.report(MODEL, new double[2], NOISE)))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessage(
              "the gateway %s answered %d: dimension is 3; gradient: it must be 2"
                  .formatted(gateway.uri(), status));
      assertThat(ledger.pending()).isEmpty();
      reporter.report(MODEL, new double[2], NOISE).get();

      assertThat(gateway.received()).hasSize(2);
      assertThat(gateway.received().get(1).body()).isNotEqualTo(gateway.received().get(0).body());
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
  }

  /** The device may know the model from a gateway that has read more than this one. */
  @Test
  void anUnknownModelIsAwaited() throws Exception {
    Answer unknown = Answer.problem(404);
    try (StubGateway gateway = answering(unknown, unknown, unknown);
        HttpReportTransport transport = transport(gateway)) {
      report(transport).get();

      assertSameBytes(gateway, 4);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void aModelThatStaysUnknownIsARefusal() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> Answer.problem(404));
        HttpReportTransport transport = transport(gateway)) {
      long start = System.nanoTime();
      assertThat(failure(report(transport)))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessageContaining("answered 404: dimension is 3");

      // The shortest pauses: half of 0.25 s, 0.5 s, 1 s, 2 s and 4 s.
      assertThat(System.nanoTime() - start)
          .isGreaterThanOrEqualTo(Duration.ofMillis(3875).toNanos());
      assertSameBytes(gateway, 6);
      assertThat(ledger.pending()).isEmpty();
      assertThat(ledger.spent().reports()).isOne();
    }
  }

  /** The time is over before the last attempt, so whether the model exists stays open. */
  @Test
  void aModelThatIsUnknownForAShortTimeLeavesTheReportPending() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> Answer.problem(404));
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), () -> TOKEN, Duration.ofMillis(600))) {
      assertThat(failure(report(transport))).isInstanceOf(GatewayException.class);
      assertThat(gateway.received()).hasSizeBetween(1, 3);
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  /** A proxy's own page; the same bytes stay too many. */
  @Test
  void aReportThatIsTooLargeForAProxyIsRefused() throws Exception {
    try (StubGateway gateway = answering(Answer.of(413));
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport)))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessage(
              ("the gateway %s answered 413: a server in front of the gateway takes no request as"
                      + " large as this report; it must take what limits.body of the gateway allows")
                  .formatted(gateway.uri()));
      assertThat(gateway.received()).hasSize(1);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  private static List<Thread> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .toList();
  }

  /** Of a transport that is closed, no thread stays; one that is used keeps no program alive. */
  @Test
  void itsThreadsEnd() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (StubGateway gateway = answering()) {
      HttpReportTransport transport = transport(gateway);
      report(transport).get();
      List<Thread> own = threads("gateway-connection");
      assertThat(own).isNotEmpty().allMatch(Thread::isDaemon);
      List<Thread> selectors = new ArrayList<>(threads("HttpClient-"));
      selectors.removeAll(before);
      assertThat(selectors).isNotEmpty().allMatch(Thread::isDaemon);
      transport.close();

      for (Thread thread : own) {
        thread.join(PATIENCE.toMillis());
        assertThat(thread.isAlive()).isFalse();
      }
      // The JDK's client ends its selector when it is garbage, and looks after it every 3 s.
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (selectors.stream().anyMatch(Thread::isAlive)) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        System.gc();
        Thread.sleep(50);
      }
    }
  }

  /** The token may be another person's, or the server no gateway. */
  @Test
  void otherAnswersLeaveTheReportPending() throws Exception {
    List<Answer> others =
        List.of(
            Answer.problem(403),
            Answer.problem(405),
            Answer.of(422),
            Answer.of(404),
            new Answer(
                404,
                Answer.problem(404).headers(),
                ByteString.copyFromUtf8(
                    "{\"type\":\"urn:croupier:problem:not-found\",\"detail\":\"no such path\"}")),
            Answer.of(200),
            new Answer(422, Answer.problem(422).headers(), ByteString.copyFromUtf8("{\"")),
            new Answer(
                422,
                Answer.problem(422).headers(),
                ByteString.copyFromUtf8("{\"type\":\"about:blank\"}")));
    for (Answer other : others) {
      try (StubGateway gateway = answering(other);
          HttpReportTransport transport = transport(gateway)) {
        LocalLedger kept = LocalLedger.inMemory("ada", Limit.NONE);
        Throwable failure =
            failure(new GradientReporter(transport, kept).report(MODEL, new double[2], NOISE));

        assertThat(failure)
            .isInstanceOf(GatewayException.class)
            .hasMessageContaining("answered " + other.status());
        assertThat(gateway.received()).hasSize(1);
        assertThat(kept.pending()).hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws Exception {
    try (StubGateway other = answering();
        StubGateway gateway =
            answering(Answer.of(status).with("Location", other.uri() + "/v1/reports"));
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport)))
          .hasMessageContaining("answered " + status + ": redirects are not followed");

      assertThat(other.received()).isEmpty();
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  private static StubGateway.Answers requiring(String token) {
    return request ->
        request.header("Authorization").equals(Optional.of("Bearer " + token))
            ? StubGateway.ACCEPTED
            : Answer.problem(401);
  }

  @Test
  void anExpiredTokenIsReadAgainOnce() throws Exception {
    Path file = Files.writeString(directory.resolve("token"), "old\n");
    try (StubGateway gateway = new StubGateway(requiring("new"));
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), new TokenFile(file), PATIENCE)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);

      assertThat(failure(reporter.report(MODEL, new double[2], NOISE)))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("answered 401");
      // The file contained the same token as before.
      assertThat(gateway.received()).hasSize(1);
      assertThat(ledger.pending()).hasSize(1);

      Files.writeString(file, " new ");
      reporter.report(MODEL, new double[2], NOISE).get();
      assertThat(gateway.received()).hasSize(3);
      assertThat(gateway.received().get(1).body()).isEqualTo(gateway.received().get(0).body());
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void aTokenThatExpiresMeanwhileIsReplacedByTheNextOne() throws Exception {
    Deque<String> tokens = new ArrayDeque<>(List.of("first", "second", "third"));
    try (StubGateway gateway =
            new StubGateway(
                request -> requiring(request.place() == 0 ? "first" : "second").to(request));
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), tokens::removeFirst, PATIENCE)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      for (int i = 0; i < 3; i++) {
        reporter.report(MODEL, new double[2], NOISE).get();
      }

      assertThat(gateway.received()).hasSize(4);
      assertThat(tokens).containsExactly("third");
    }
  }

  /** The message of the JDK's exception would contain the token. */
  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "line\nbreak", "Bearer x", "zoë"})
  void aTokenOfAnotherFormIsNotSentAndNotQuoted(String token) throws Exception {
    try (StubGateway gateway = answering();
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), () -> token, PATIENCE)) {
      assertThat(failure(report(transport)))
          .hasMessage("the token has a wrong form; it must be a bearer token, without 'Bearer'")
          .hasNoCause();
      assertThat(gateway.received()).isEmpty();
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  @Test
  void aMissingTokenFileIsNamed() throws Exception {
    Path file = directory.resolve("absent");
    try (StubGateway gateway = answering();
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), new TokenFile(file), PATIENCE)) {
      assertThat(failure(report(transport))).hasMessageContaining("can't be read: " + file);
    }
  }

  @Test
  void aReportThatCannotBeDeliveredInTimeIsSentByTheNextReporter() throws Exception {
    Supplier<Answer> away = () -> Answer.problem(503);
    try (StubGateway gateway =
            new StubGateway(
                request -> request.target().startsWith("/up") ? StubGateway.ACCEPTED : away.get());
        LocalLedger kept = LocalLedger.open(directory.resolve("ledger"), "ada", Limit.NONE)) {
      ByteString sent;
      try (HttpReportTransport transport =
          new HttpReportTransport(gateway.uri(), () -> TOKEN, Duration.ofMillis(1500))) {
        assertThat(
                failure(new GradientReporter(transport, kept).report(MODEL, new double[2], NOISE)))
            .hasMessageContaining("answered 503");
        assertThat(gateway.received()).hasSizeBetween(2, 10);
        sent = gateway.received().get(0).body();
        assertSameBytes(gateway, gateway.received().size());
        assertThat(kept.pending().get(0).bytes()).isEqualTo(sent.toByteArray());
      }
      int before = gateway.received().size();
      try (HttpReportTransport transport =
          new HttpReportTransport(gateway.uri().resolve("/up/"), () -> TOKEN)) {
        List<CompletableFuture<Void>> resent = new GradientReporter(transport, kept).resent();
        assertThat(resent).hasSize(1);
        resent.get(0).get();
      }
      assertThat(gateway.received()).hasSize(before + 1);
      assertThat(gateway.received().get(before).target()).isEqualTo("/up/v1/reports");
      assertThat(gateway.received().get(before).body()).isEqualTo(sent);
      assertThat(kept.pending()).isEmpty();
    }
  }

  @Test
  void aLongRetryAfterIsNotWaitedFor() throws Exception {
    try (StubGateway gateway = answering(Answer.problem(429).with("Retry-After", "3600"));
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport))).hasMessageContaining("answered 429");
      assertThat(gateway.received()).hasSize(1);
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  @Test
  void aGatewayThatHangsIsGivenUp() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (StubGateway gateway =
            new StubGateway(
                request -> {
                  end.await();
                  return StubGateway.NONE;
                });
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), () -> TOKEN, Duration.ofMillis(100))) {
      assertThat(failure(report(transport))).hasMessageContaining("did not answer within 1 s");
      end.countDown();
    }
    assertThat(ledger.pending()).hasSize(1);
  }

  @Test
  void reportsLeaveInTheirOrder() throws Exception {
    try (StubGateway gateway = answering(Answer.problem(503));
        HttpReportTransport transport = transport(gateway)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      List<CompletableFuture<Void>> reports = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        reports.add(reporter.report(MODEL, new double[2], NOISE));
      }
      CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new)).get();

      assertThat(gateway.received()).hasSize(21);
      for (int i = 1; i <= 20; i++) {
        GradientReport report = GradientReport.parseFrom(gateway.received().get(i).body());
        assertThat(report.getSequence()).isEqualTo(i - 1);
      }
    }
  }

  @Test
  void closingFailsWhatIsNotAcknowledged() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> Answer.problem(503))) {
      HttpReportTransport transport = transport(gateway);
      GradientReporter reporter = new GradientReporter(transport, ledger);
      CompletableFuture<Void> first = reporter.report(MODEL, new double[2], NOISE);
      CompletableFuture<Void> second = reporter.report(MODEL, new double[2], NOISE);
      transport.close();

      assertThat(failure(first)).hasMessage("the transport is closed");
      assertThat(failure(second)).hasMessage("the transport is closed");
      assertThat(failure(reporter.report(MODEL, new double[2], NOISE)))
          .hasMessage("the transport is closed");
      assertThat(ledger.pending()).hasSize(3);
    }
  }

  /** Over the other transport it would be refused, or be counted as another person's. */
  @Test
  void pendingReportsStayWithTheirKindOfTransport() throws Exception {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    KafkaReportTransport kafka = new KafkaReportTransport(producer, "gradients");
    producer.sendException = new KafkaException("away");
    assertThat(failure(report(kafka))).hasMessage("away");
    try (StubGateway gateway = answering(Answer.problem(403));
        HttpReportTransport http = transport(gateway)) {
      assertThatThrownBy(() -> new GradientReporter(http, ledger))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("pending report 0 names its user; it must be sent over Kafka");
      assertThat(gateway.received()).isEmpty();

      LocalLedger other = LocalLedger.inMemory("ada", Limit.NONE);
      assertThat(failure(new GradientReporter(http, other).report(MODEL, new double[2], NOISE)))
          .hasMessageContaining("403");
      assertThatThrownBy(() -> new GradientReporter(kafka, other))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("names no user; it must be sent over a gateway");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://gateway.example",
        "http://10.0.0.1:8080",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://[::2]",
        "http://[2001:db8::1]",
        "ftp://localhost",
        "localhost:8080",
        "/v1",
        "https://user:secret@gateway.example",
        "https://gateway.example?token=x",
        "https://gateway.example#x",
        "https:///v1"
      })
  void aTokenLeavesOnlyOverTlsOrOnThisMachine(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpReportTransport(URI.create(url), () -> TOKEN))
        .withMessageStartingWith("the gateway's URL ")
        .withMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://gateway.example/base/",
        "HTTPS://gateway.example",
        "http://localhost:1",
        "http://127.0.0.1",
        "http://127.9.9.9:80",
        "http://[::1]:8080",
        "http://[0:0:0:0:0:0:0:1]"
      })
  void theseUrlsAreFine(String url) {
    new HttpReportTransport(URI.create(url), () -> TOKEN).close();
  }
}
