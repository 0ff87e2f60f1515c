package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import io.croupier.client.token.TokenRequest;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenWindow;
import java.security.SignatureException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The tokens of a person for the windows of models: charges the ledger when a window is first seen,
 * asks the gateway for the window's token, and keeps each token in its newest stage.
 *
 * <p>Requests carry the person's identity. A thread of its own sends them, so their time depends on
 * no report. Safe for use by several threads: the ledger is written under this object's lock, and
 * not after {@link #close}, which therefore interrupts no write. An interrupt during a write would
 * close the file that the ledger's owner still uses.
 */
final class WindowTokens implements AutoCloseable {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final LocalLedger ledger;
  private final double epsilon;
  private final TokenGateway issuer;
  private final ExecutorService asker =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "anonymous-tokens");
            thread.setDaemon(true);
            return thread;
          });

  // All guarded by this.

  /** The newest round of each model. */
  private final Map<String, Long> newest = new HashMap<>();

  /** By the numbers of tokens. What failed is replaced by the next try. */
  private final Map<Long, CompletableFuture<Void>> grants = new HashMap<>();

  private CompletableFuture<Void> asked = CompletableFuture.completedFuture(null);
  private boolean closed;

  /**
   * Creates the tokens of a ledger; asks for none yet.
   *
   * @param epsilon the level of the reports
   */
  WindowTokens(LocalLedger ledger, double epsilon, TokenGateway issuer) {
    this.ledger = ledger;
    this.epsilon = epsilon;
    this.issuer = issuer;
  }

  /**
   * Gives up what is too late for a publication, and asks for the tokens of windows that begin, as
   * many as the key allows reports.
   */
  synchronized void follow(ModelSnapshot model, DataKey key) {
    newest.put(model.modelId(), model.round());
    endPast(model);
    asked = askAll(model, key);
  }

  /** Completes when the tokens that the last {@link #follow} asked for are granted. */
  synchronized CompletableFuture<Void> asked() {
    return asked.copy();
  }

  /** Completes when a token is granted, and fails if it isn't. */
  synchronized CompletableFuture<Void> grant(long sequence) {
    return grants.getOrDefault(sequence, CompletableFuture.completedFuture(null));
  }

  /** The tokens of a model in the ledger, in order. */
  List<StoredToken> of(ModelSnapshot model) {
    return ledger.tokens().stream().filter(token -> isOf(model, token)).toList();
  }

  private static boolean isOf(ModelSnapshot model, StoredToken token) {
    return HeldToken.parse(token.bytes()).challenge().modelId().equals(model.modelId());
  }

  /** The numbers of all tokens in the ledger. */
  Set<Long> sequences() {
    return ledger.tokens().stream().map(StoredToken::sequence).collect(Collectors.toSet());
  }

  /** Tokens are kept until their window is over, so that none is asked for twice. */
  private void endPast(ModelSnapshot model) {
    for (StoredToken stored : of(model)) {
      HeldToken token = HeldToken.parse(stored.bytes());
      if (token.isOver(model.round())
          || (stored.stage() != Stage.DRAWN && token.lastRound() < model.round())) {
        ledger.forget(stored);
        grants.remove(stored.sequence());
      } else if (stored.stage() == Stage.ASKED && token.firstRound() < model.round()) {
        end(stored, token);
      }
    }
  }

  private CompletableFuture<Void> askAll(ModelSnapshot model, DataKey key) {
    List<CompletableFuture<Void>> requests = new ArrayList<>();
    try {
      for (TokenWindow window : model.windows()) {
        if (window.getFirstRound() >= model.round() && !isKnown(model, window)) {
          charge(model, key, window);
        }
      }
    } catch (AlreadyReportedException e) {
      // While a window of a token lasts, an end would reveal in which publication the device
      // reported.
      if (of(model).isEmpty()) {
        requests.add(CompletableFuture.failedFuture(e));
      }
    } catch (RuntimeException e) {
      // What is charged is asked for, and what is drawn is sent.
      requests.add(CompletableFuture.failedFuture(e));
    }
    for (StoredToken token : of(model)) {
      if (token.stage() == Stage.ASKED) {
        CompletableFuture<Void> grant = grants.get(token.sequence());
        if (grant == null || grant.isCompletedExceptionally()) {
          grant = CompletableFuture.runAsync(() -> ask(token), asker);
          grants.put(token.sequence(), grant);
        }
        requests.add(grant);
      }
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new));
  }

  private boolean isKnown(ModelSnapshot model, TokenWindow window) {
    return of(model).stream()
        .anyMatch(
            token -> HeldToken.parse(token.bytes()).challenge().window() == window.getWindow());
  }

  /**
   * The randomiser of a declared level.
   *
   * @throws IllegalArgumentException if it declares otherwise
   */
  static PrivUnitRandomiser randomiser(ModelSnapshot model, PrivUnit declared) {
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

  /** The place of the level in a window. */
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

  private void charge(ModelSnapshot model, DataKey key, TokenWindow window) {
    int level = level(model, window);
    PrivUnitRandomiser randomiser = randomiser(model, window.getLevels(level).getPrivUnit());
    TokenKey signing = new TokenKey(window.getLevels(level).getModulus());
    TokenChallenge challenge =
        new TokenChallenge(
            model.modelId(), window.getWindow(), AnonymousWindows.bytes(randomiser.mechanism()));
    StoredToken unused =
        ledger.chargeToken(
            model.modelId(),
            key,
            randomiser,
            sequence ->
                new HeldToken(
                        challenge,
                        window.getFirstRound(),
                        window.getLastRound(),
                        level,
                        signing,
                        TokenRequest.draw(signing, challenge).secrets())
                    .encoded());
  }

  private void ask(StoredToken stored) {
    try {
      requireTurn(stored);
      finish(stored);
    } catch (GatewayException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  /**
   * The ledger grants no window that precedes one that it has granted, so the tokens of a model are
   * asked for in the order of their windows.
   */
  private void requireTurn(StoredToken stored) throws GatewayException {
    String modelId = HeldToken.parse(stored.bytes()).challenge().modelId();
    for (StoredToken other : ledger.tokens()) {
      HeldToken token = HeldToken.parse(other.bytes());
      if (other.stage() == Stage.ASKED
          && other.sequence() < stored.sequence()
          && token.challenge().modelId().equals(modelId)) {
        throw GatewayException.unanswered(
            "the token of window %d of model %s must be granted before those of later windows"
                .formatted(token.challenge().window(), modelId),
            null);
      }
    }
  }

  private void finish(StoredToken stored) throws GatewayException, InterruptedException {
    HeldToken token = HeldToken.parse(stored.bytes());
    TokenRequest request = new TokenRequest(token.key(), token.challenge(), token.content());
    try {
      ByteString signature =
          issuer.sign(token, ledger.deviceId(), stored.sequence(), request.blinded());
      hold(stored, token, request.finish(signature).encoded());
    } catch (GatewayException e) {
      if (e.isFinal()) {
        end(stored, token);
      }
      throw e;
    } catch (SignatureException e) {
      end(stored, token);
      throw GatewayException.unanswered(
          "the gateway granted a token whose signature is not that of the window's key", e);
    }
  }

  /**
   * A gateway that grants a token late would choose the publications that are left for the report.
   */
  private synchronized void hold(StoredToken stored, HeldToken token, ByteString signed) {
    if (newest.get(token.challenge().modelId()) > token.firstRound()) {
      end(stored, token);
    } else if (!closed && isStored(stored)) {
      StoredToken unused = ledger.advance(stored, Stage.HELD, token.with(signed).encoded());
    }
  }

  private boolean isStored(StoredToken stored) {
    return ledger.tokens().stream()
        .anyMatch(t -> t.sequence() == stored.sequence() && t.stage() == stored.stage());
  }

  /**
   * Replaces a held token by its report, which is sent from then on.
   *
   * @throws AlreadyReportedException if the data were reported as often as they may be
   * @throws IllegalStateException if this is closed
   */
  synchronized StoredToken draw(
      StoredToken held, String modelId, DataKey key, Supplier<ByteString> report) {
    if (closed) {
      throw new IllegalStateException("the reporter is closed");
    }
    return ledger.draw(
        held, modelId, key, () -> HeldToken.parse(held.bytes()).with(report.get()).encoded());
  }

  /** Ends a token, unless another call has. */
  synchronized void end(StoredToken stored, HeldToken token) {
    if (!closed && isStored(stored)) {
      StoredToken unused =
          ledger.advance(stored, Stage.ENDED, token.with(ByteString.EMPTY).encoded());
    }
  }

  /** Writes nothing to the ledger from now on, and stops asking. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      asker.shutdownNow();
      grants
          .values()
          .forEach(
              grant ->
                  grant.completeExceptionally(new IllegalStateException("the reporter is closed")));
    }
    try {
      boolean unused = asker.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      issuer.close();
    }
  }
}
