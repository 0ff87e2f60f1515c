package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.StubGateway.Answer;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Reports of one person over HTTP, and gateways that answer them. */
final class GatewayReports {
  static final ModelSnapshot MODEL = Updates.snapshot("m", 3, 0, 0);
  static final GridRandomiser NOISE = new L2LaplaceRandomiser(1, 2, -16, 1);
  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final String TOKEN = "abc.DEF-1_2~3+4/5==";

  private GatewayReports() {}

  /** A gateway that gives these answers, one after the other, and then accepts. */
  static StubGateway answering(Answer... answers) throws Exception {
    return new StubGateway(
        request ->
            request.place() < answers.length ? answers[request.place()] : StubGateway.ACCEPTED);
  }

  /** A transport that sends to the gateway for {@link #PATIENCE}. */
  static HttpReportTransport transport(StubGateway gateway) {
    return new HttpReportTransport(gateway.uri(), () -> TOKEN, PATIENCE);
  }

  /** A transport without an account, each report over which ends like this. */
  static ReportTransport ending(CompletableFuture<Void> end) {
    return new ReportTransport() {
      @Override
      public boolean namesUser() {
        return false;
      }

      @Override
      public CompletableFuture<Void> send(String userId, byte[] report) {
        return end;
      }
    };
  }

  /** Reports a gradient of zeros, with noise. */
  static CompletableFuture<Void> report(GradientReporter reporter) {
    return reporter.report(MODEL, FrequentData.KEY, new double[2], NOISE);
  }

  static CompletableFuture<Void> report(ReportTransport transport, LocalLedger ledger) {
    return report(new GradientReporter(transport, ledger));
  }

  /** Awaits a report that is not acknowledged. Its failure quotes no secret. */
  static Throwable failure(CompletableFuture<Void> report) throws Exception {
    try {
      report.get(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(e).hasMessageNotContaining(TOKEN).hasMessageNotContaining("ada");
      return e.getCause();
    }
    throw new AssertionError("the report was acknowledged");
  }

  /** Checks that the gateway received the same bytes as often as stated, and nothing else. */
  static void assertSameBytes(StubGateway gateway, int times) {
    assertThat(gateway.received()).hasSize(times);
    assertThat(gateway.received())
        .allSatisfy(
            request -> assertThat(request.body()).isEqualTo(gateway.received().get(0).body()));
  }
}
