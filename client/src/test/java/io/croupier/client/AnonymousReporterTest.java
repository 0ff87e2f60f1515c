package io.croupier.client;

import static io.croupier.client.SigningGateway.BEARER;
import static io.croupier.client.SigningGateway.EPSILON;
import static io.croupier.client.SigningGateway.LEVEL;
import static io.croupier.client.SigningGateway.PUBLICATIONS;
import static io.croupier.client.SigningGateway.challenge;
import static io.croupier.client.SigningGateway.issuer;
import static io.croupier.client.SigningGateway.json;
import static io.croupier.client.SigningGateway.model;
import static io.croupier.client.SigningGateway.slot;
import static io.croupier.client.SigningGateway.snapshot;
import static io.croupier.client.SigningGateway.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.StubGateway.Answer;
import io.croupier.client.StubGateway.Received;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.token.Token;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.TokenWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A device in windows of five publications, and a gateway that signs its tokens. */
@Timeout(60)
class AnonymousReporterTest {
  private static final Duration PATIENCE = Duration.ofMillis(1);

  @TempDir private Path folder;

  private final List<Long> waits = new ArrayList<>();
  private SigningGateway gateway;

  @BeforeEach
  void start() throws IOException {
    gateway = new SigningGateway();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private LocalLedger open() throws IOException {
    return LocalLedger.open(folder.resolve("ledger"), "ada", Limit.NONE);
  }

  private AnonymousReporter reporter(LocalLedger ledger) {
    return reporter(ledger, Duration.ofNanos(1), bound -> 0);
  }

  private AnonymousReporter reporter(
      LocalLedger ledger, Duration longestWait, LongUnaryOperator below) {
    return new AnonymousReporter(
        ledger,
        EPSILON,
        new TokenGateway(gateway.uri(), () -> BEARER, PATIENCE),
        new AnonymousGateway(gateway.uri(), PATIENCE),
        longestWait,
        bound -> {
          waits.add(bound);
          return below.applyAsLong(bound);
        });
  }

  private static boolean takePart(AnonymousReporter reporter, long round) throws Exception {
    Optional<CompletableFuture<Void>> report =
        reporter.takePart(model(round), () -> new double[] {0.6, 0.8});
    awaitTokens(reporter);
    if (report.isPresent()) {
      report.get().get(30, TimeUnit.SECONDS);
    }
    return report.isPresent();
  }

  /** Waits until the tokens are granted; throws what they fail with. */
  private static void awaitTokens(AnonymousReporter reporter) throws Exception {
    try {
      reporter.tokens().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static Throwable failure(CompletableFuture<Void> report) throws Exception {
    try {
      report.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    }
    throw new AssertionError("the report was accepted");
  }

  /** The stage of the token of each window. */
  private static Map<Long, Stage> stages(LocalLedger ledger) {
    Map<Long, Stage> stages = new HashMap<>();
    for (StoredToken token : ledger.tokens()) {
      stages.put(HeldToken.parse(token.bytes()).challenge().window(), token.stage());
    }
    return stages;
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
      List<Long> slots = new ArrayList<>();
      for (long window = 0; window < windows; window++) {
        slots.add(slot(ledger, window));
      }
      assertThat(rounds).isEqualTo(slots);
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
        for (long round = 0; round < PUBLICATIONS; round++) {
          takePart(reporter, round);
        }
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

  /** Whatever fails, a new process asks with the same bytes, and nothing is charged twice. */
  @Test
  void aTokenIsAskedForAgainWithTheSameBytes() throws Exception {
    gateway.answerToken(0, StubGateway.NONE);
    gateway.answerToken(2, Answer.problem(503));
    gateway.answerToken(3, Answer.of(404));
    gateway.answerToken(4, new Answer(200, Map.of(), ByteString.copyFromUtf8("{}")));
    for (int attempt = 0; attempt < 4; attempt++) {
      try (LocalLedger ledger = open();
          AnonymousReporter reporter = reporter(ledger)) {
        assertThatThrownBy(() -> takePart(reporter, 0))
            .isInstanceOf(GatewayException.class)
            .hasMessageNotContaining(BEARER);
        assertThat(stages(ledger))
            .isEqualTo(Map.of(0L, attempt < 3 ? Stage.ASKED : Stage.ENDED, 1L, Stage.HELD));
      }
    }
    // The second is that of window 1.
    assertThat(gateway.received("tokens")).hasSize(5);
    assertThat(gateway.bodies("tokens"))
        .filteredOn(body -> !body.equals(gateway.bodies("tokens").get(1)))
        .hasSize(4)
        .containsOnly(gateway.bodies("tokens").get(0));
    try (LocalLedger ledger = open()) {
      assertThat(ledger.spent().reports()).isEqualTo(2);
    }
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
          for (long round = attempt == 0 ? 0 : slot; round < slot; round++) {
            takePart(reporter, round);
          }
          assertThat(failure(reporter.takePart(model(slot), () -> new double[2]).orElseThrow()))
              .isInstanceOf(GatewayException.class);
          assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
        }
      }
    }
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      long later = slot(ledger, 1) == slot + 1 ? slot + 2 : slot + 1;
      assertThat(
              reporter.takePart(
                  model(later),
                  () -> {
                    throw new AssertionError("a second draw");
                  }))
          .isPresent()
          .get()
          .satisfies(report -> report.get(30, TimeUnit.SECONDS));
      assertThat(stages(ledger)).doesNotContainValue(Stage.DRAWN);
    }
    assertThat(gateway.received("anonymous-reports")).hasSize(3);
    assertThat(gateway.received("anonymous-reports"))
        .allSatisfy(
            r ->
                assertThat(r.body())
                    .isEqualTo(gateway.received("anonymous-reports").get(0).body()));
  }

  @Test
  void aRefusalIsFinal() throws Exception {
    gateway.answerReport(0, Answer.problem(403));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = slot(ledger, 0);
      for (long round = 0; round < slot; round++) {
        takePart(reporter, round);
      }
      assertThat(failure(reporter.takePart(model(slot), () -> new double[2]).orElseThrow()))
          .isInstanceOf(ReportRefusedException.class);
      takePart(reporter, slot);
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
      assertThat(gateway.received("anonymous-reports")).hasSize(1);
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
  void theWaitIsDrawnBelowTheLongest() throws Exception {
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger, Duration.ofHours(1), bound -> bound / 3600)) {
      long slot = slot(ledger, 0);
      for (long round = 0; round < slot; round++) {
        takePart(reporter, round);
      }
      long begin = System.nanoTime();
      takePart(reporter, slot);
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(1_000_000_000);
      assertThat(waits).containsExactly(Duration.ofHours(1).toNanos());
    }
  }

  /** With identity, the request for a token must not depend on what the device does at its slot. */
  @Test
  void aTokenIsAskedForBeforeTheGradientAndDelaysNoReport() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(0);
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = slot(ledger, 0);
      gateway.delayTokens(true);
      assertThat(reporter.takePart(snapshot(0, window(0)), () -> new double[2])).isEmpty();
      gateway.delayTokens(false);
      awaitTokens(reporter);
      for (long round = 1; round < slot; round++) {
        assertThat(reporter.takePart(snapshot(round, window(0)), () -> new double[2])).isEmpty();
      }
      // The report waits for no token of the next window.
      gateway.delayTokens(true);
      CountDownLatch asked = new CountDownLatch(1);
      CompletableFuture<Void> report =
          reporter
              .takePart(
                  model(slot),
                  () -> {
                    awaitQuietly(asked);
                    return new double[2];
                  })
              .orElseThrow();
      // The token waits for no gradient.
      gateway.awaitTokens(2);
      assertThat(report).isNotDone();
      asked.countDown();
      report.get(30, TimeUnit.SECONDS);
      assertThat(reporter.tokens()).isNotDone();
      gateway.delayTokens(false);
      awaitTokens(reporter);
    }
  }

  @Test
  void aGradientThatFailsLeavesTheTokenAsItIs() throws Exception {
    try (LocalLedger ledger = ledgerWithSlotAfter(0);
        AnonymousReporter reporter = reporter(ledger)) {
      long slot = slot(ledger, 0);
      for (long round = 0; round < slot; round++) {
        reporter.takePart(snapshot(round, window(0)), () -> new double[2]);
        awaitTokens(reporter);
      }
      CompletableFuture<Void> report =
          reporter
              .takePart(
                  model(slot),
                  () -> {
                    throw new IllegalStateException("no data");
                  })
              .orElseThrow();
      assertThat(failure(report)).hasMessage("no data");
      awaitTokens(reporter);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.HELD, 1L, Stage.HELD));
      assertThat(gateway.received("tokens")).hasSize(2);
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
      assertThat(reporter.takePart(snapshot(0, window(0)), () -> new double[2])).isEmpty();
      CompletableFuture<Void> tokens = reporter.tokens();
      gateway.awaitTokens(1);
      assertThat(reporter.takePart(snapshot(1, window(0)), () -> new double[2])).isEmpty();
      gateway.delayTokens(false);
      tokens.get(30, TimeUnit.SECONDS);
      assertThat(stages(ledger)).isEqualTo(Map.of(0L, Stage.ENDED));
    }
  }

  private static LocalLedger ledgerWithSlotAfter(long round) {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    while (slot(ledger, 0) <= round) {
      ledger = LocalLedger.inMemory("ada", Limit.NONE);
    }
    return ledger;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theLongestWaitIsAboveZero() {
    try (LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE)) {
      for (Duration wait : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
        assertThatThrownBy(() -> reporter(ledger, wait, bound -> 0))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "longestWait is %s; it must be above 0, and the same in all apps of the model",
                wait);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A gateway with a key for one person would recognise that person's report. */
  @Test
  void aTokenOfAnotherKeyThanThatOfTheUpdateIsNotUsed() throws Exception {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    while (slot(ledger, 0) == 0) {
      ledger = LocalLedger.inMemory("ada", Limit.NONE);
    }
    long slot = slot(ledger, 0);
    try (AnonymousReporter reporter = reporter(ledger)) {
      takePart(reporter, 0);
      TokenWindow.Builder other = window(0);
      other.getLevelsBuilder(0).setModulus(issuer(9).key().modulus());
      assertThat(
              failure(
                  reporter
                      .takePart(snapshot(slot, other, window(1)), () -> new double[2])
                      .orElseThrow()))
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
      for (long round = 0; round < slot; round++) {
        takePart(reporter, round);
      }
      CompletableFuture<Void> report =
          reporter.takePart(model(slot), () -> new double[2]).orElseThrow();
      drawn.await();
      reporter.close();
      assertThat(failure(report)).hasMessage("the reporter is closed");
      assertThat(gateway.received("anonymous-reports")).isEmpty();
      assertThat(stages(ledger)).containsEntry(0L, Stage.DRAWN);
    }
  }

  @Test
  void aSignatureOfAnotherKeyIsNoToken() throws Exception {
    gateway.answerToken(
        0,
        new Answer(
            200,
            Map.of(),
            ByteString.copyFromUtf8(
                "{\"blindSignature\": \"%s\"}"
                    .formatted(Base64.getEncoder().encodeToString(new byte[256])))));
    try (LocalLedger ledger = open();
        AnonymousReporter reporter = reporter(ledger)) {
      assertThatThrownBy(() -> takePart(reporter, 0))
          .hasMessageContaining("whose signature is not that of the window's key");
      assertThat(stages(ledger)).containsEntry(0L, Stage.ENDED);
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
      assertThatThrownBy(() -> takePart(reporter, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("epsilon is 3.0; it must be that of a level of priv_unit of model m");
      assertThat(ledger.spent().reports()).isZero();
    }
  }
}
