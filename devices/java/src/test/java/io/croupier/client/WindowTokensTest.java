package io.croupier.client;

import static io.croupier.client.SigningGateway.BEARER;
import static io.croupier.client.SigningGateway.PUBLICATIONS;
import static io.croupier.client.SigningGateway.json;
import static io.croupier.client.SigningGateway.model;
import static io.croupier.client.SigningGateway.slot;
import static io.croupier.client.SigningGateway.snapshot;
import static io.croupier.client.SigningGateway.window;
import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken.Stage;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tokens of a device in windows of five publications: when they are asked for, charged and given
 * up.
 */
@Timeout(300)
class WindowTokensTest extends AnonymousFixture {
  @Test
  void theRequestContainsWhatTheLedgerCharged() throws Exception {
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      takePart(reporter, 0);
      Map<String, String> first = json(gateway.received("tokens").get(0).body());
      Map<String, String> second = json(gateway.received("tokens").get(1).body());
      assertThat(first)
          .containsEntry("modelId", "m")
          .containsEntry("window", "0")
          .containsEntry("level", "0")
          .containsEntry("deviceId", ledger.deviceId())
          .containsEntry("sequence", "0")
          .hasSize(6);
      assertThat(second).containsEntry("window", "1").containsEntry("sequence", "1");
      assertThat(Base64.getDecoder().decode(first.get("blinded"))).hasSize(256);
    }
  }

  /** A device that begins within a window waits for the next one: its slot could be past. */
  @Test
  void noTokenIsAskedForWithinItsWindow() throws Exception {
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      takePart(reporter, 1);
      assertThat(gateway.received("tokens")).hasSize(1);
      assertThat(stages(ledger)).isEqualTo(Map.of(1L, Stage.HELD));
    }
  }

  /**
   * Whatever fails, a new process asks with the same bytes, and nothing is charged twice. The token
   * of the next window waits: after it, the ledger would refuse this one.
   */
  @Test
  void aTokenIsAskedForAgainWithTheSameBytes() throws Exception {
    gateway.answerToken(0, StubGateway.NONE);
    gateway.answerToken(1, Answer.problem(503));
    gateway.answerToken(2, Answer.of(404));
    gateway.answerToken(3, new Answer(200, Map.of(), ByteString.copyFromUtf8("{}")));
    for (int attempt = 0; attempt < 4; attempt++) {
      try (LocalLedger ledger = open();
          AnonymousReporter reporter = reporter(ledger)) {
        assertThatThrownBy(() -> takePart(reporter, 0))
            .isInstanceOf(GatewayException.class)
            .hasMessageNotContaining(BEARER);
        assertThat(stages(ledger))
            .isEqualTo(
                attempt < 3
                    ? Map.of(0L, Stage.ASKED, 1L, Stage.ASKED)
                    : Map.of(0L, Stage.ENDED, 1L, Stage.HELD));
      }
    }
    assertThat(gateway.received("tokens")).hasSize(5);
    assertThat(gateway.bodies("tokens").subList(0, 4))
        .containsOnly(gateway.bodies("tokens").get(0))
        .doesNotContain(gateway.bodies("tokens").get(4));
    assertThat(json(gateway.received("tokens").get(4).body())).containsEntry("window", "1");
    try (LocalLedger ledger = open()) {
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
  }

  @Test
  void aRefusedTokenIsNotAskedForAgain() throws Exception {
    gateway.answerToken(0, Answer.problem(422));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      assertThatThrownBy(() -> takePart(reporter, 0))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("422");
      for (long round = 0; round < PUBLICATIONS; round++) {
        assertThat(takePart(reporter, round)).isFalse();
      }
      // The second is of the next window.
      assertThat(gateway.received("tokens")).hasSize(2);
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
  }

  @Test
  void aStopDropsAllTokens() throws Exception {
    gateway.answerToken(2, Answer.stopped());
    try (LocalLedger ledger = ledgerWithSlotAfter(1);
        AnonymousReporter reporter = reporter(ledger)) {
      takePart(reporter, 0);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.HELD, 1L, Stage.HELD));
      assertThat(begin(reporter, snapshot(1, window(0), window(1), window(2)))).isEmpty();
      assertThatThrownBy(() -> awaitTokens(reporter)).isInstanceOf(PersonStoppedException.class);
      assertThat(stages(ledger)).containsOnlyKeys(0L, 1L, 2L);
      assertThat(Set.copyOf(stages(ledger).values())).containsExactly(Stage.ENDED);

      // Resumed, and stopped again.
      gateway.answerToken(4, Answer.stopped());
      for (long window = 3; window < 5; window++) {
        assertThat(begin(reporter, snapshot(1, window(window)))).isEmpty();
      }
      assertThatThrownBy(() -> awaitTokens(reporter)).isInstanceOf(PersonStoppedException.class);
      assertThat(Set.copyOf(stages(ledger).values())).containsExactly(Stage.ENDED);
    }
  }

  @Test
  void aReportThatIsRefusedAsOfAStoppedPersonDropsAllTokens() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(1);
        AnonymousReporter anonymous = reporter(ledger)) {
      takePart(anonymous, 0);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.HELD, 1L, Stage.HELD));
      PersonStoppedException stopped =
          new PersonStoppedException(GatewayException.unanswered("stopped", null));
      ReportTransport transport = GatewayReports.ending(CompletableFuture.failedFuture(stopped));
      assertThat(GatewayReports.report(transport, ledger)).isCompletedExceptionally();
      assertThat(Set.copyOf(stages(ledger).values())).containsExactly(Stage.ENDED);
    }
  }

  /** With identity, the request for a token must not depend on what the device does at its slot. */
  @Test
  void aTokenIsAskedForBeforeTheGradientAndDelaysNoReport() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(0);
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = slot(ledger, 0);
      gateway.delayTokens(true);
      assertThat(begin(reporter, snapshot(0, window(0)))).isEmpty();
      gateway.delayTokens(false);
      awaitTokens(reporter);
      for (long round = 1; round < slot; round++) {
        assertThat(begin(reporter, snapshot(round, window(0)))).isEmpty();
      }
      // The report waits for no token of the next window.
      gateway.delayTokens(true);
      CountDownLatch asked = new CountDownLatch(1);
      CompletableFuture<Void> report =
          reporter
              .takePart(
                  model(slot),
                  FrequentData.KEY,
                  () -> {
                    awaitQuietly(asked);
                    return new double[2];
                  })
              .orElseThrow();
      // The token waits for no gradient.
      gateway.awaitTokens(2);
      assertThat(report).isNotDone();
      asked.countDown();
      report.get(2, TimeUnit.MINUTES);
      assertThat(reporter.tokens()).isNotDone();
      gateway.delayTokens(false);
      awaitTokens(reporter);
    }
  }

  /** Such a token would leave the gateway the choice of the publications that remain. */
  @Test
  void aTokenThatIsGrantedWithinItsWindowIsNotUsed() throws Exception {
    gateway.answerToken(0, Answer.problem(503));
    try (LocalLedger ledger = ledgerWithSlotAfter(1);
        AnonymousReporter reporter = reporter(ledger)) {
      assertThatThrownBy(() -> takePart(reporter, 0)).isInstanceOf(GatewayException.class);
      for (long round = 1; round < PUBLICATIONS; round++) {
        assertThat(takePart(reporter, round)).isFalse();
      }
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.ENDED, 1L, Stage.HELD));
      assertThat(gateway.received("tokens")).hasSize(2);
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
  }

  @Test
  void aTokenWhoseAnswerArrivesWithinItsWindowIsNotUsed() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(1);
        AnonymousReporter reporter = reporter(ledger)) {
      gateway.delayTokens(true);
      assertThat(begin(reporter, snapshot(0, window(0)))).isEmpty();
      CompletableFuture<Void> tokens = reporter.tokens();
      gateway.awaitTokens(1);
      assertThat(begin(reporter, snapshot(1, window(0)))).isEmpty();
      gateway.delayTokens(false);
      tokens.get(2, TimeUnit.MINUTES);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.ENDED));
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aSignatureOfAnotherKeyIsNoToken() throws Exception {
    gateway.answerToken(0, SigningGateway.signed(ByteString.copyFrom(new byte[256])));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      assertThatThrownBy(() -> takePart(reporter, 0))
          .hasMessageContaining("whose signature is not that of the window's key");
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
    }
  }

  /** The gateway sees the same requests, and the same end, whether or not the device reported. */
  @Test
  void requestsDontTellWhetherTheTokenWasUsed() throws Exception {
    DataKey key = DataKey.of("day");
    for (boolean reports : new boolean[] {true, false}) {
      int before = gateway.received("tokens").size();
      try (LocalLedger ledger = ledgerWithSlotAfter(0);
          AnonymousReporter reporter = reporter(ledger)) {
        for (long round = 0; round < PUBLICATIONS; round++) {
          if (reports || round != slot(ledger, 0)) {
            takePart(reporter, round, key);
          }
        }
        assertThat(ledger.reported("m", key)).isEqualTo(reports ? 1 : 0);
        assertThatThrownBy(() -> takePart(reporter, PUBLICATIONS, key))
            .isInstanceOf(AlreadyReportedException.class);
        assertThat(gateway.received("tokens")).hasSize(before + 1);
      }
    }
  }

  @Test
  void aTokenWhoseDataWereReportedIsNotUsedInSilence() throws Exception {
    DataKey key = DataKey.of("day");
    try (LocalLedger ledger = ledgerWithSlotAfter(0);
        AnonymousReporter reporter = reporter(ledger)) {
      ledger.release("m", key, GatewayReports.NOISE.cost(), sequence -> new byte[] {1});
      takePart(reporter, 0, DataKey.of("day before"));
      for (long round = 0; round < PUBLICATIONS; round++) {
        assertThat(takePart(reporter, round, key)).isFalse();
      }
    }
  }

  /** The job would refuse each of them. */
  @Test
  void noTokenAboveTheModelsLimitIsAskedFor() throws Exception {
    ModelSnapshot model =
        Updates.parse(
            Updates.update("m", 0, 0, 0).addWindows(window(0)), "limits { epsilon: 1.9 }");
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      assertThat(begin(reporter, model)).isEmpty();
      assertThatThrownBy(() -> awaitTokens(reporter))
          .isInstanceOf(LimitReachedException.class)
          .hasMessageContaining("the model's limit for a person is 1.9");
      assertThat(ledger.spent().reports()).isZero();
      assertThat(gateway.received("tokens")).isEmpty();
    }
  }

  @Test
  void theLimitHoldsForTokens() throws Exception {
    try (LocalLedger ledger = LocalLedger.inMemory("ada", Limit.ofEpsilon(3));
        AnonymousReporter reporter = reporter(ledger)) {
      assertThatThrownBy(() -> takePart(reporter, 0)).isInstanceOf(LimitReachedException.class);
      assertThat(ledger.spent().epsilon()).isEqualByComparingTo("2");
      assertThat(gateway.received("tokens")).hasSize(1);
    }
  }

  @Test
  void aLevelThatTheModelDoesNotHaveIsRefused() throws Exception {
    try (LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
        AnonymousReporter reporter =
            new AnonymousReporter(
                ledger, 3, gateway.uri(), () -> BEARER, gateway.uri(), Duration.ofNanos(1))) {
      assertRefused(
          () -> takePart(reporter, 0),
          "epsilon is 3.0; it must be that of a level of priv_unit of model m");
      assertThat(ledger.spent().reports()).isZero();
    }
  }
}
