package io.croupier.client;

import static io.croupier.client.GatewayReports.TOKEN;
import static io.croupier.client.GatewayReports.answering;
import static io.croupier.client.GatewayReports.assertSameBytes;
import static io.croupier.client.GatewayReports.failure;
import static io.croupier.client.GatewayReports.report;
import static io.croupier.client.GatewayReports.transport;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.schemas.GradientReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports whose first attempts fail: when the same bytes are sent again, and for how long. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class GatewayRetriesTest {
  @TempDir private Path directory;

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);

  @Tag("ci")
  @ParameterizedTest
  @ValueSource(ints = {408, 409, 429, 500, 503})
  void theSameBytesAreSentAgainAfterTheTimeThatTheGatewayStates(int status) throws Exception {
    Answer later = Answer.problem(status).with("Retry-After", "1");
    try (StubGateway gateway = answering(later);
        HttpReportTransport transport = transport(gateway)) {
      long start = System.nanoTime();
      report(transport, ledger).get();

      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
      assertSameBytes(gateway, 2);
      assertThat(ledger.spent().reports()).isOne();
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void theSameBytesAreSentAgainWithoutAnAnswer() throws Exception {
    try (StubGateway gateway = answering(StubGateway.NONE, StubGateway.NONE, Answer.of(502));
        HttpReportTransport transport = transport(gateway)) {
      report(transport, ledger).get();

      assertSameBytes(gateway, 4);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  /** The device may know the model from a gateway that has read more than this one. */
  @Test
  void anUnknownModelIsAwaited() throws Exception {
    Answer unknown = Answer.problem(404);
    try (StubGateway gateway = answering(unknown, unknown, unknown);
        HttpReportTransport transport = transport(gateway)) {
      report(transport, ledger).get();

      assertSameBytes(gateway, 4);
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Tag("ci")
  @Test
  void aModelThatStaysUnknownIsARefusal() throws Exception {
    try (StubGateway gateway = new StubGateway(request -> Answer.problem(404));
        HttpReportTransport transport = transport(gateway)) {
      long start = System.nanoTime();
      assertThat(failure(report(transport, ledger)))
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
            new HttpReportTransport(gateway.uri(), () -> TOKEN, Duration.ofSeconds(2))) {
      assertThat(failure(report(transport, ledger))).isInstanceOf(GatewayException.class);
      assertThat(gateway.received()).hasSizeBetween(1, 5);
      assertThat(ledger.pending()).hasSize(1);
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
          new HttpReportTransport(gateway.uri(), () -> TOKEN, Duration.ofSeconds(4))) {
        assertThat(failure(report(transport, kept))).hasMessageContaining("answered 503");
        assertThat(gateway.received()).hasSizeBetween(1, 10);
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
      assertThat(failure(report(transport, ledger))).hasMessageContaining("answered 429");
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
      assertThat(failure(report(transport, ledger)))
          .hasMessageContaining("did not answer within 1 s");
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
        reports.add(report(reporter));
      }
      CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new)).get();

      assertThat(gateway.received()).hasSize(21);
      for (int i = 1; i <= 20; i++) {
        GradientReport report = GradientReport.parseFrom(gateway.received().get(i).body());
        assertThat(report.getSequence()).isEqualTo(i - 1);
      }
    }
  }
}
