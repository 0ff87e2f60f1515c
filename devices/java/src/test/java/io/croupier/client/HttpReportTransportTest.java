package io.croupier.client;

import static io.croupier.client.GatewayReports.PATIENCE;
import static io.croupier.client.GatewayReports.TOKEN;
import static io.croupier.client.GatewayReports.answering;
import static io.croupier.client.GatewayReports.failure;
import static io.croupier.client.GatewayReports.report;
import static io.croupier.client.GatewayReports.transport;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.schemas.GradientReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reporter over HTTP, and a server that answers as a gateway may, or as none does. Isolated,
 * because it waits until no thread of a connection is left.
 */
@Isolated
@Timeout(600)
class HttpReportTransportTest {
  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);

  @Test
  void aReportHasATokenAndNamesNobody() throws Exception {
    try (StubGateway gateway = answering();
        HttpReportTransport transport = transport(gateway)) {
      report(transport, ledger).get();

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
  @ValueSource(ints = {400, 409, 413, 415, 422})
  void aRefusalIsFinalAndNamesItsFields(int status) throws Exception {
    try (StubGateway gateway = answering(Answer.problem(status));
        HttpReportTransport transport = transport(gateway)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);

      assertThat(failure(report(reporter)))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessage(
              "the gateway %s answered %d: dimension is 3; gradient: it must be 2"
                  .formatted(gateway.uri(), status));
      assertThat(ledger.pending()).isEmpty();
      report(reporter).get();

      assertThat(gateway.received()).hasSize(2);
      assertThat(gateway.received().get(1).body()).isNotEqualTo(gateway.received().get(0).body());
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
  }

  /** A proxy's own page; the same bytes stay too many. */
  @Test
  void aReportThatIsTooLargeForAProxyIsRefused() throws Exception {
    try (StubGateway gateway = answering(Answer.of(413));
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport, ledger)))
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
  @Tag("ci")
  @Test
  void itsThreadsEnd() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (StubGateway gateway = answering()) {
      HttpReportTransport transport = transport(gateway);
      report(transport, ledger).get();
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

  @Test
  void aStopDropsWhatIsPending() throws Exception {
    try (StubGateway gateway = answering(Answer.of(405), Answer.stopped(), Answer.stopped());
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport, ledger))).isInstanceOf(GatewayException.class);
      assertThat(ledger.pending()).hasSize(1);

      GradientReporter reporter = new GradientReporter(transport, ledger);
      assertThat(failure(reporter.resent().get(0)))
          .isInstanceOf(PersonStoppedException.class)
          .hasMessageEndingWith("answered 403: the person is stopped");
      assertThat(failure(report(reporter))).isInstanceOf(PersonStoppedException.class);
      assertThat(ledger.pending()).isEmpty();
      assertThat(ledger.spent().reports()).isEqualTo(2);
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
        Throwable failure = failure(report(transport, kept));

        assertThat(failure)
            .isInstanceOf(GatewayException.class)
            .hasMessageContaining("answered " + other.status());
        assertThat(gateway.received()).hasSize(1);
        assertThat(kept.pending()).hasSize(1);
      }
    }
  }

  @Test
  void closingFailsWhatIsNotAcknowledged() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> Answer.problem(503))) {
      HttpReportTransport transport = transport(gateway);
      GradientReporter reporter = new GradientReporter(transport, ledger);
      CompletableFuture<Void> first = report(reporter);
      CompletableFuture<Void> second = report(reporter);
      transport.close();

      assertThat(failure(first)).hasMessage("the transport is closed");
      assertThat(failure(second)).hasMessage("the transport is closed");
      assertThat(failure(report(reporter))).hasMessage("the transport is closed");
      assertThat(ledger.pending()).hasSize(3);
    }
  }

  /** As the mark of the report in its ledger, whose file an interrupt would close. */
  @Test
  void aCloseInterruptsNothingThatFollowsAReport() throws Exception {
    CountDownLatch isAttached = new CountDownLatch(1);
    CountDownLatch isSent = new CountDownLatch(1);
    try (StubGateway gateway =
        new StubGateway(
            request -> {
              awaitUninterrupted(isAttached);
              return Answer.of(202);
            })) {
      HttpReportTransport transport = transport(gateway);
      CompletableFuture<Boolean> isInterrupted =
          transport
              .send("ada", new byte[] {1})
              .handle(
                  (done, failure) -> {
                    isSent.countDown();
                    try {
                      Thread.sleep(200);
                      return false;
                    } catch (InterruptedException e) {
                      return true;
                    }
                  });
      isAttached.countDown();
      isSent.await();
      transport.close();
      assertThat(isInterrupted.get()).isFalse();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Over the other transport it would be refused, or be counted as another person's. */
  @Test
  void pendingReportsStayWithTheirKindOfTransport() throws Exception {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    KafkaReportTransport kafka = new KafkaReportTransport(producer, "gradients");
    producer.sendException = new KafkaException("away");
    assertThat(failure(report(kafka, ledger))).hasMessage("away");
    try (StubGateway gateway = answering(Answer.problem(403));
        HttpReportTransport http = transport(gateway)) {
      assertThatThrownBy(() -> new GradientReporter(http, ledger))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("pending report 0 names its user; it must be sent over Kafka");
      assertThat(gateway.received()).isEmpty();

      LocalLedger other = LocalLedger.inMemory("ada", Limit.NONE);
      assertThat(failure(report(http, other))).hasMessageContaining("403");
      assertThatThrownBy(() -> new GradientReporter(kafka, other))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("names no user; it must be sent over a gateway");
    }
  }
}
