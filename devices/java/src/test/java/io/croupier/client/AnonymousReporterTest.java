package io.croupier.client;

import static io.croupier.client.SigningGateway.BEARER;
import static io.croupier.client.SigningGateway.LEVEL;
import static io.croupier.client.SigningGateway.PUBLICATIONS;
import static io.croupier.client.SigningGateway.challenge;
import static io.croupier.client.SigningGateway.issuer;
import static io.croupier.client.SigningGateway.model;
import static io.croupier.client.SigningGateway.slot;
import static io.croupier.client.SigningGateway.snapshot;
import static io.croupier.client.SigningGateway.window;
import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.token.Token;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.TokenWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Reports of a device in windows of five publications. */
@Timeout(300)
class AnonymousReporterTest extends AnonymousFixture {
  /** Takes part in the rounds of the first window before the device's own, and returns that. */
  private long takePartUntilItsSlot(AnonymousReporter reporter, LocalLedger ledger)
      throws Exception {
    long slot = slot(ledger, 0);
    takePart(reporter, 0, slot);
    return slot;
  }

  private Throwable failureAt(AnonymousReporter reporter, long slot) throws Exception {
    return failure(begin(reporter, model(slot)).orElseThrow());
  }

  @Test
  void oneReportInEachWindowAtItsSlot() throws Exception {
    long windows = 6;
    List<Long> rounds = new ArrayList<>();
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      for (long round = 0; round < windows * PUBLICATIONS; round++) {
        for (int again = 0; again < 2; again++) {
          takePart(reporter, round);
        }
      }
      for (Received request : gateway.received("anonymous-reports")) {
        rounds.add(AnonymousReport.parseFrom(request.body()).getRound());
      }
      assertThat(rounds)
          .containsExactlyElementsOf(
              LongStream.range(0, windows).mapToObj(window -> slot(ledger, window)).toList());
      // Those of the six windows and of the next one.
      assertThat(gateway.received("tokens")).hasSize((int) windows + 1);
      assertThat(ledger.spent().reports()).isEqualTo(windows + 1);
      assertThat(ledger.spent().epsilon()).isEqualByComparingTo("14");
      assertThat(stages(ledger)).isEqualTo(Map.of(windows - 1, Stage.ENDED, windows, Stage.HELD));
    }
  }

  @Test
  void aReportNamesNobodyAndHasALengthThatAllHave() throws Exception {
    Set<ByteString> nonces = new HashSet<>();
    Set<Map<String, List<String>>> headers = new HashSet<>();
    for (String user : List.of("ada", "grace", "a user with a much longer name")) {
      try (LocalLedger ledger = LocalLedger.inMemory(user, Limit.NONE);
          AnonymousReporter reporter = reporter(ledger)) {
        takePart(reporter, 0, PUBLICATIONS);
        assertThat(gateway.received("tokens").get(0).header("Authorization"))
            .hasValue("Bearer " + BEARER);
        Received request = gateway.received("anonymous-reports").get(nonces.size());
        assertThat(request.body().size()).isEqualTo(1024);
        assertThat(request.header("Authorization")).isEmpty();
        assertThat(request.header("Cookie")).isEmpty();
        headers.add(request.headers());
        AnonymousReport report = AnonymousReport.parseFrom(request.body());
        Token token = Token.parse(report.getToken());
        assertThat(issuer(0).key().admits(token, challenge(0))).isTrue();
        nonces.add(token.nonce());
        assertThat(report.getPrivUnit()).isEqualTo(window(0).getLevels(0).getPrivUnit());
        assertThat(report.getCandidate().getDimension()).isEqualTo(2);
        assertThat(report.getCandidate().getIndex()).isBetween(0, LEVEL.candidates() - 1);
        assertThat(report.getUnknownFields().asMap()).isEmpty();
        assertThat(request.body().toStringUtf8()).doesNotContain(user, ledger.deviceId());
      }
    }
    assertThat(nonces).hasSize(3);
    assertThat(headers).hasSize(1);
    assertThat(headers.iterator().next().toString()).doesNotContain("Java");
  }

  /** The device dies after its report arrived, before it knew: the same bytes arrive again. */
  @Test
  void aReportIsDrawnOnceAndSentAgainUntilItIsAccepted() throws Exception {
    gateway.answerReport(0, StubGateway.NONE);
    gateway.answerReport(1, Answer.problem(503));
    long slot;
    try (LocalLedger ledger = open()) {
      slot = slot(ledger, 0);
      for (int attempt = 0; attempt < 2; attempt++) {
        try (AnonymousReporter reporter = reporter(ledger)) {
          takePart(reporter, attempt == 0 ? 0 : slot, slot);
          assertThat(failureAt(reporter, slot)).isInstanceOf(GatewayException.class);
          assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
        }
      }
    }
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      assertThat(
              reporter.takePart(
                  model(slot),
                  FrequentData.KEY,
                  () -> {
                    throw new AssertionError("a second draw");
                  }))
          .isPresent()
          .get()
          .satisfies(report -> report.get(2, TimeUnit.MINUTES));
      assertThat(stages(ledger)).doesNotContainValue(Stage.DRAWN);
    }
    assertThat(gateway.bodies("anonymous-reports"))
        .hasSize(3)
        .containsOnly(gateway.bodies("anonymous-reports").get(0));
  }

  /** It would leave with the requests by which the person returns. */
  @Test
  void aReportThatIsLeftBehindIsDropped() throws Exception {
    gateway.answerReport(0, Answer.problem(503));
    gateway.answerReport(1, Answer.problem(503));
    try (LocalLedger ledger = open()) {
      for (long window = 0; window < 2; window++) {
        long slot = slot(ledger, window);
        AnonymousReporter reporter = reporter(ledger);
        takePart(reporter, window * PUBLICATIONS, slot);
        assertThat(failureAt(reporter, slot)).isInstanceOf(GatewayException.class);
        assertThat(stages(ledger)).containsEntry(window, Stage.DRAWN);
        if (window == 1) {
          reporter.close();
          reporter = reporter(ledger);
        }
        long later = slot(ledger, window + 1) == slot + 1 ? slot + 2 : slot + 1;
        assertThat(begin(reporter, model(later))).isEmpty();
        awaitTokens(reporter);
        assertThat(stages(ledger)).containsEntry(window, Stage.ENDED);
        reporter.close();
      }
      assertThat(gateway.received("anonymous-reports")).hasSize(2);
      assertThat(ledger.spent().reports())
          .as(
              "tokens of two windows and the next one, and one more if the last slot ends its window")
          .isBetween(3L, 4L);
    }
  }

  /** While it waits, the model may publish. */
  @Execution(ExecutionMode.CONCURRENT)
  @Test
  void aReportThatWaitsIsSentAfterTheNextPublication() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotBefore(PUBLICATIONS - 1);
        AnonymousReporter reporter =
            reporter(ledger, Duration.ofHours(1), bound -> 1_000_000_000)) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      CompletableFuture<Void> report = begin(reporter, model(slot)).orElseThrow();
      awaitTokens(reporter);
      while (!stages(ledger).containsValue(Stage.DRAWN)) {
        Thread.sleep(1);
      }
      assertThat(begin(reporter, model(slot + 1))).contains(report);
      report.get(2, TimeUnit.MINUTES);
      assertThat(gateway.received("anonymous-reports")).hasSize(1);
    }
  }

  @Test
  void aReportIsDroppedIfTheDeviceSleepsBeforeItLeaves() throws Exception {
    try (LocalLedger ledger = open();
        AnonymousReporter reporter =
            reporter(
                ledger,
                Duration.ofSeconds(10),
                bound -> {
                  now = Duration.ofHours(1).toMillis();
                  return 0;
                })) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      assertThat(failureAt(reporter, slot))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessage("the report is too late, as after the device slept; it isn't sent");
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      assertThat(gateway.received("anonymous-reports")).isEmpty();
    }
  }

  @Test
  void aRefusalIsFinal() throws Exception {
    gateway.answerReport(0, Answer.problem(403));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      assertThat(failureAt(reporter, slot)).isInstanceOf(ReportRefusedException.class);
      takePart(reporter, slot);
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      assertThat(gateway.received("anonymous-reports")).hasSize(1);
    }
  }

  @Execution(ExecutionMode.CONCURRENT)
  @Test
  void theWaitIsDrawnBelowTheLongest() throws Exception {
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger, Duration.ofHours(1), bound -> bound / 3600)) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      long begin = System.nanoTime();
      takePart(reporter, slot);
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(1_000_000_000);
      assertThat(waits).containsExactly(Duration.ofHours(1).toNanos());
    }
  }

  @Test
  void aGradientThatFailsLeavesTheTokenAsItIs() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(0);
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = slot(ledger, 0);
      for (long round = 0; round < slot; round++) {
        begin(reporter, snapshot(round, window(0)));
        awaitTokens(reporter);
      }
      Supplier<double[]> failing =
          () -> {
            throw new IllegalStateException("no data");
          };
      assertThat(failure(reporter.takePart(model(slot), FrequentData.KEY, failing).orElseThrow()))
          .hasMessage("no data");
      awaitTokens(reporter);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.HELD, 1L, Stage.HELD));
      assertThat(gateway.received("tokens")).hasSize(2);
    }
  }

  @Test
  void theLongestWaitIsAboveZero() throws Exception {
    try (LocalLedger ledger = open()) {
      for (Duration wait : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
        assertRefused(
            () -> reporter(ledger, wait, bound -> 0),
            "longestWait is %s; it must be above 0, and the same in all apps of the model"
                .formatted(wait));
      }
    }
  }

  private static TokenWindow.Builder windowOfAnotherKey() {
    TokenWindow.Builder window = window(0);
    window.getLevelsBuilder(0).setModulus(issuer(9).key().modulus());
    return window;
  }

  /** A gateway that serves one person another key has to serve it to everybody. */
  @Test
  void aKeyThatIsNotServedWithoutIdentityIsNotUsed() throws Exception {
    gateway.answerWindows(
        SigningGateway.json(
            ModelUpdate.newBuilder().setModelId("m").addWindows(windowOfAnotherKey())));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      assertThat(failureAt(reporter, slot))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("window 0 of model m has another key");
      assertThat(gateway.received("anonymous-reports")).isEmpty();
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      Received request = gateway.received("models/m/windows").get(0);
      assertThat(request.header("Authorization")).isEmpty();
      assertThat(request.header("Cookie")).isEmpty();
      assertThat(request.header("User-Agent")).hasValue("croupier");
    }
  }

  /** The gateway hasn't read the keys, or has read those of later windows alone. */
  @Test
  void aWindowThatIsNotServedYetIsAskedForAgainAndOneThatIsOverEnds() throws Exception {
    gateway.answerWindows(SigningGateway.json(ModelUpdate.newBuilder().setModelId("m")));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = takePartUntilItsSlot(reporter, ledger);
      assertThat(failureAt(reporter, slot))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("serves no key of window 0 of model m");
      assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
      gateway.answerWindows(
          SigningGateway.json(ModelUpdate.newBuilder().setModelId("m").setRound(3 * PUBLICATIONS)));
      assertThat(failureAt(reporter, slot))
          .isInstanceOf(ReportRefusedException.class)
          .hasMessage("window 0 of model m is over");
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      assertThat(gateway.received("anonymous-reports")).isEmpty();
    }
  }

  /** A gateway with a key for one person would recognise that person's report. */
  @Test
  void aTokenOfAnotherKeyThanThatOfTheUpdateIsNotUsed() throws Exception {
    LocalLedger ledger = ledgerWithSlotAfter(0);
    long slot = slot(ledger, 0);
    try (AnonymousReporter reporter = reporter(ledger)) {
      takePart(reporter, 0);
      ModelSnapshot model = snapshot(slot, windowOfAnotherKey(), window(1));
      assertThat(failure(begin(reporter, model).orElseThrow()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("window 0 of model m has another key");
      assertThat(gateway.received("anonymous-reports")).isEmpty();
    }
  }

  @Test
  void closingFailsWhatWaitsAndKeepsIt() throws Exception {
    try (LocalLedger ledger = open()) {
      long slot = slot(ledger, 0);
      CountDownLatch drawn = new CountDownLatch(1);
      AnonymousReporter reporter =
          reporter(
              ledger,
              Duration.ofHours(1),
              bound -> {
                drawn.countDown();
                return bound - 1;
              });
      takePart(reporter, 0, slot);
      CompletableFuture<Void> report = begin(reporter, model(slot)).orElseThrow();
      drawn.await();
      reporter.close();
      assertThat(failure(report)).hasMessage("the reporter is closed");
      assertThat(gateway.received("anonymous-reports")).isEmpty();
      assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
    }
  }

  /** An interrupt in the middle of a write would close the file, which the ledger's owner needs. */
  @Test
  void closingLeavesTheLedgerUsable() throws Exception {
    try (LocalLedger ledger = open()) {
      long slot = slot(ledger, 0);
      CountDownLatch computing = new CountDownLatch(1);
      CompletableFuture<Void> report;
      try (AnonymousReporter reporter = reporter(ledger)) {
        takePart(reporter, 0, slot);
        report =
            reporter
                .takePart(
                    model(slot),
                    FrequentData.KEY,
                    () -> {
                      computing.countDown();
                      while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                      }
                      return new double[2];
                    })
                .orElseThrow();
        computing.await();
      }
      assertThat(failure(report)).hasMessage("the reporter is closed");
      assertThat(stages(ledger)).containsEntry(0L, Stage.HELD);
      try (AnonymousReporter reporter = reporter(ledger)) {
        assertThat(takePart(reporter, slot)).isTrue();
      }
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      assertThat(gateway.received("anonymous-reports")).hasSize(1);
    }
  }
}
