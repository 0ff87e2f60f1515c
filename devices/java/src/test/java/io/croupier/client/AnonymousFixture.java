package io.croupier.client;

import static io.croupier.client.SigningGateway.BEARER;
import static io.croupier.client.SigningGateway.EPSILON;
import static io.croupier.client.SigningGateway.model;
import static io.croupier.client.SigningGateway.slot;

import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken;
import io.croupier.client.ledger.StoredToken.Stage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A device in windows of five publications, and a gateway that signs its tokens. */
@Timeout(300)
abstract class AnonymousFixture {
  private static final Duration PATIENCE = Duration.ofMillis(1);

  @TempDir private Path folder;

  final List<Long> waits = new ArrayList<>();
  SigningGateway gateway;
  volatile long now;

  @BeforeEach
  void start() throws IOException {
    gateway = new SigningGateway();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  LocalLedger open() throws IOException {
    return LocalLedger.open(folder.resolve("ledger"), "ada", Limit.NONE);
  }

  AnonymousReporter reporter(LocalLedger ledger) {
    return reporter(ledger, Duration.ofNanos(1), bound -> 0);
  }

  AnonymousReporter reporter(LocalLedger ledger, Duration longestWait, LongUnaryOperator below) {
    return new AnonymousReporter(
        ledger,
        EPSILON,
        new TokenGateway(gateway.uri(), () -> BEARER, PATIENCE),
        new AnonymousGateway(new AnonymousTransport.Direct(gateway.uri()), PATIENCE),
        longestWait,
        bound -> {
          waits.add(bound);
          return below.applyAsLong(bound);
        },
        () -> now);
  }

  /** Begins to take part, without waiting for tokens or the report. */
  static Optional<CompletableFuture<Void>> begin(AnonymousReporter reporter, ModelSnapshot model) {
    return reporter.takePart(model, FrequentData.KEY, () -> new double[2]);
  }

  /** Takes part in the rounds from one to before another. */
  static void takePart(AnonymousReporter reporter, long from, long to) throws Exception {
    for (long round = from; round < to; round++) {
      takePart(reporter, round);
    }
  }

  static boolean takePart(AnonymousReporter reporter, long round) throws Exception {
    return takePart(reporter, round, FrequentData.KEY);
  }

  static boolean takePart(AnonymousReporter reporter, long round, DataKey key) throws Exception {
    Optional<CompletableFuture<Void>> report =
        reporter.takePart(model(round), key, () -> new double[] {0.6, 0.8});
    awaitTokens(reporter);
    if (report.isPresent()) {
      report.get().get(2, TimeUnit.MINUTES);
    }
    return report.isPresent();
  }

  /** Waits until the tokens are granted; throws what they fail with. */
  static void awaitTokens(AnonymousReporter reporter) throws Exception {
    try {
      reporter.tokens().get(2, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  static Throwable failure(CompletableFuture<Void> report) throws Exception {
    try {
      report.get(2, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      return e.getCause();
    }
    throw new AssertionError("the report was accepted");
  }

  static LocalLedger ledgerWithSlotAfter(long round) {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    while (slot(ledger, 0) <= round) {
      ledger = LocalLedger.inMemory("ada", Limit.NONE);
    }
    return ledger;
  }

  static LocalLedger ledgerWithSlotBefore(long round) {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    while (slot(ledger, 0) >= round) {
      ledger = LocalLedger.inMemory("ada", Limit.NONE);
    }
    return ledger;
  }

  /** The stage of the token of each window. */
  static Map<Long, Stage> stages(LocalLedger ledger) {
    Map<Long, Stage> stages = new HashMap<>();
    for (StoredToken token : ledger.tokens()) {
      stages.put(HeldToken.parse(token.bytes()).challenge().window(), token.stage());
    }
    return stages;
  }
}
