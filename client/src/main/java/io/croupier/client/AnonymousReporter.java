package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import io.croupier.client.token.TokenRequest;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenWindow;
import io.croupier.schemas.view.GradientReportView;
import java.net.URI;
import java.security.SecureRandom;
import java.security.SignatureException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Sends one anonymous report of a person in each window of a model. The person's {@link
 * LocalLedger} is charged when the device asks for the window's token, and keeps the token, then
 * the report, in its file before they are sent, so a crash spends nothing twice.
 *
 * <p>The device asks for a token when the newest update first contains its window, which is before
 * the window, or as it opens. The publication at which it reports follows from the ledger's secret,
 * each with the same probability; so the time of the request doesn't depend on it. A device that
 * doesn't see that publication while it is the newest sends no report in the window. The report
 * names neither person nor device, has the same length for all devices, and leaves after a
 * uniformly random wait.
 *
 * <p>The caller owns the ledger, which may also be that of a {@link GradientReporter}, and closes
 * this reporter before it. Safe for use by several threads.
 */
public final class AnonymousReporter implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final LocalLedger ledger;
  private final double epsilon;
  private final TokenGateway issuer;
  private final AnonymousGateway collector;
  private final long longestWait;
  private final LongUnaryOperator below;
  private final ScheduledExecutorService sender =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "anonymous-reporter");
            thread.setDaemon(true);
            return thread;
          });

  /** Reports that wait, are being sent, or arrived, by the numbers of their tokens. */
  private final Map<Long, CompletableFuture<Void>> sending = new ConcurrentHashMap<>();

  /**
   * Creates a reporter; connects to nothing yet.
   *
   * @param ledger the ledger of the person whose privacy is spent
   * @param epsilon the level of the reports, one of the model's levels of priv_unit
   * @param gateway base of the API of the gateway that grants tokens, without /v1: https, or http
   *     on the loopback interface
   * @param bearers returns the person's bearer token for that gateway; a {@link TokenFile} suits it
   * @param collector base of the API to which reports are sent, without /v1: a relay in front of
   *     the gateway, or the gateway itself, which then sees the device's address
   * @param longestWait reports wait uniformly between 0 and this; the model's shortest time between
   *     two publications
   * @throws IllegalArgumentException if a URL is another one, or the wait negative
   */
  public AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      URI gateway,
      Supplier<String> bearers,
      URI collector,
      Duration longestWait) {
    this(
        ledger,
        epsilon,
        new TokenGateway(gateway, bearers, PATIENCE),
        new AnonymousGateway(collector, PATIENCE),
        longestWait,
        new SecureRandom()::nextLong);
  }

  AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      TokenGateway issuer,
      AnonymousGateway collector,
      Duration longestWait,
      LongUnaryOperator below) {
    if (longestWait.isNegative()) {
      throw new IllegalArgumentException(
          "longestWait is " + longestWait + "; it must be at least 0");
    }
    this.ledger = Objects.requireNonNull(ledger, "ledger");
    this.epsilon = epsilon;
    this.issuer = issuer;
    this.collector = collector;
    this.longestWait = longestWait.toNanos();
    this.below = below;
  }

  /**
   * Does what a publication asks of this device: asks for the token of a window that begins, and
   * sends the report if this is its publication. Call it with every update. Waits while the gateway
   * can't grant a token now, for up to two minutes; a later call asks again, with the same bytes.
   *
   * @param model the newest publication
   * @param gradient computes the gradient at the publication's weights, shape [d]; called only if
   *     the device reports now
   * @return the report, if this is its publication or an earlier call drew it and it hasn't
   *     arrived; completes when it is accepted, and fails with a {@link ReportRefusedException} if
   *     it never will be
   * @throws LimitReachedException if the token would exceed the person's limit
   * @throws IllegalArgumentException if the model takes no anonymous reports of this level, or the
   *     gradient has another shape
   * @throws IllegalStateException if the key of a window has changed, by which the report would be
   *     recognised
   * @throws GatewayException if the gateway grants no token, or doesn't answer
   * @throws java.io.UncheckedIOException if the ledger's file can't be written
   */
  public synchronized Optional<CompletableFuture<Void>> takePart(
      ModelSnapshot model, Supplier<double[]> gradient)
      throws GatewayException, InterruptedException {
    forgetPast(model);
    // First, so that no failure to get the next token holds the report back.
    Optional<CompletableFuture<Void>> due = report(model, gradient);
    for (StoredToken token : ledger.tokens()) {
      if (token.stage() == Stage.ASKED && isOf(model, token)) {
        finish(token);
      }
    }
    for (TokenWindow window : model.windows()) {
      if (window.getFirstRound() >= model.round() && !isKnown(model, window)) {
        finish(ask(model, window));
      }
    }
    return due.isPresent() ? due : report(model, gradient);
  }

  private static boolean isOf(ModelSnapshot model, StoredToken token) {
    return HeldToken.parse(token.bytes()).challenge().modelId().equals(model.modelId());
  }

  /** Tokens are kept until their window is over, so that none is asked for twice. */
  private void forgetPast(ModelSnapshot model) {
    for (StoredToken token : ledger.tokens()) {
      if (isOf(model, token)
          && token.stage() != Stage.DRAWN
          && HeldToken.parse(token.bytes()).lastRound() < model.round()) {
        ledger.forget(token);
        sending.remove(token.sequence());
      }
    }
  }

  private boolean isKnown(ModelSnapshot model, TokenWindow window) {
    return ledger.tokens().stream()
        .map(token -> HeldToken.parse(token.bytes()).challenge())
        .anyMatch(
            challenge ->
                challenge.modelId().equals(model.modelId())
                    && challenge.window() == window.getWindow());
  }

  private PrivUnitRandomiser randomiser(ModelSnapshot model, PrivUnit declared) {
    PrivUnitRandomiser randomiser =
        new PrivUnitRandomiser(
            model.gradientBound(),
            model.dimension(),
            declared.getEpsilon(),
            declared.getCandidates());
    Mechanism mechanism = Declarations.of(declared, model.dimension());
    if (!randomiser.mechanism().equals(mechanism)) {
      throw new IllegalArgumentException(
          "the level of epsilon %s of model %s has top %d; it must be %d"
              .formatted(
                  declared.getEpsilon(),
                  model.modelId(),
                  declared.getTop(),
                  randomiser.mechanism().top()));
    }
    return randomiser;
  }

  /** The place of this reporter's level in a window. */
  private int level(ModelSnapshot model, TokenWindow window) {
    for (int i = 0; i < window.getLevelsCount(); i++) {
      if (window.getLevels(i).hasPrivUnit()
          && window.getLevels(i).getPrivUnit().getEpsilon() == epsilon) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "epsilon is "
            + epsilon
            + "; it must be that of a level of priv_unit of model "
            + model.modelId());
  }

  private StoredToken ask(ModelSnapshot model, TokenWindow window) {
    int level = level(model, window);
    PrivUnitRandomiser randomiser = randomiser(model, window.getLevels(level).getPrivUnit());
    TokenKey key = new TokenKey(window.getLevels(level).getModulus());
    TokenChallenge challenge =
        new TokenChallenge(
            model.modelId(), window.getWindow(), AnonymousWindows.bytes(randomiser.mechanism()));
    return ledger.chargeToken(
        randomiser,
        sequence ->
            new HeldToken(
                    challenge,
                    window.getFirstRound(),
                    window.getLastRound(),
                    level,
                    key,
                    TokenRequest.draw(key, challenge).secrets())
                .encoded());
  }

  private void finish(StoredToken stored) throws GatewayException, InterruptedException {
    HeldToken asked = HeldToken.parse(stored.bytes());
    TokenRequest request = new TokenRequest(asked.key(), asked.challenge(), asked.content());
    try {
      ByteString signature =
          issuer.sign(asked, ledger.deviceId(), stored.sequence(), request.blinded());
      ByteString token = request.finish(signature).encoded();
      StoredToken unused = ledger.advance(stored, Stage.HELD, asked.with(token).encoded());
    } catch (GatewayException e) {
      if (e.isFinal()) {
        end(stored, asked);
      }
      throw e;
    } catch (SignatureException e) {
      end(stored, asked);
      throw GatewayException.unanswered(
          "the gateway granted a token whose signature is not that of the window's key", e);
    }
  }

  private void end(StoredToken stored, HeldToken token) {
    StoredToken unused =
        ledger.advance(stored, Stage.ENDED, token.with(ByteString.EMPTY).encoded());
  }

  private Optional<CompletableFuture<Void>> report(
      ModelSnapshot model, Supplier<double[]> gradient) {
    Optional<CompletableFuture<Void>> report = Optional.empty();
    for (StoredToken stored : ledger.tokens()) {
      HeldToken token = HeldToken.parse(stored.bytes());
      if (!isOf(model, stored)) {
        continue;
      }
      if (stored.stage() == Stage.HELD && token.slot(ledger) == model.round()) {
        StoredToken drawn = draw(model, stored, token, gradient.get());
        report = Optional.of(sending.computeIfAbsent(drawn.sequence(), s -> send(drawn)));
      } else if (stored.stage() == Stage.DRAWN) {
        report = Optional.of(sending.computeIfAbsent(stored.sequence(), s -> send(stored)));
      }
    }
    return report;
  }

  private StoredToken draw(
      ModelSnapshot model, StoredToken stored, HeldToken token, double[] gradient) {
    PrivUnit declared = declared(model, token);
    GradientReportView.Builder drawn = GradientReportView.newBuilder();
    randomiser(model, declared).release(gradient, drawn);
    ByteString report =
        AnonymousGateway.padded(
            AnonymousReport.newBuilder()
                .setModelId(model.modelId())
                .setRound(model.round())
                .setToken(token.content())
                .setCandidate(drawn.getCandidate())
                .setPrivUnit(drawn.getPrivUnit()));
    return ledger.advance(stored, Stage.DRAWN, token.with(report).encoded());
  }

  /** The token's level in the newest update, which all devices see: its key must be the same. */
  private static PrivUnit declared(ModelSnapshot model, HeldToken token) {
    for (TokenWindow window : model.windows()) {
      if (window.getWindow() == token.challenge().window()
          && token.level() < window.getLevelsCount()
          && window.getLevels(token.level()).getModulus().equals(token.key().modulus())) {
        return window.getLevels(token.level()).getPrivUnit();
      }
    }
    throw new IllegalStateException(
        "window %d of model %s has another key than that of this device's token; no report is sent"
            .formatted(token.challenge().window(), model.modelId()));
  }

  private CompletableFuture<Void> send(StoredToken drawn) {
    HeldToken token = HeldToken.parse(drawn.bytes());
    CompletableFuture<Void> sent = new CompletableFuture<>();
    try {
      Future<?> unused =
          sender.schedule(
              () -> deliver(drawn, token, sent),
              longestWait == 0 ? 0 : below.applyAsLong(longestWait),
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      sent.completeExceptionally(closed());
    }
    return sent;
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the reporter is closed");
  }

  private void deliver(StoredToken drawn, HeldToken token, CompletableFuture<Void> sent) {
    Optional<ReportRefusedException> refusal = Optional.empty();
    try {
      try {
        collector.send(token.content());
      } catch (ReportRefusedException e) {
        refusal = Optional.of(e);
      }
      end(drawn, token);
    } catch (GatewayException | RuntimeException | Error | InterruptedException e) {
      // A later call sends it again.
      sending.remove(drawn.sequence());
      sent.completeExceptionally(e);
      return;
    }
    refusal.ifPresentOrElse(sent::completeExceptionally, () -> sent.complete(null));
  }

  /** Stops sending. What hasn't arrived stays in the ledger, and the next reporter sends it. */
  @Override
  public void close() {
    sender.shutdownNow();
    sending.values().forEach(report -> report.completeExceptionally(closed()));
    try {
      boolean unused = sender.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      issuer.close();
      collector.close();
    }
  }
}
