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
  List<Held> of(String modelId) {
    return ledger.tokens().stream().map(Held::of).filter(held -> held.isOf(modelId)).toList();
  }

  /** The numbers of all tokens in the ledger. */
  Set<Long> sequences() {
    return ledger.tokens().stream().map(StoredToken::sequence).collect(Collectors.toSet());
  }

  /** Tokens are kept until their window is over, so that none is asked for twice. */
  private void endPast(ModelSnapshot model) {
    for (Held held : of(model.modelId())) {
      if (held.token().isOver(model.round())
          || (held.stage() != Stage.DRAWN && held.token().lastRound() < model.round())) {
        ledger.forget(held.stored());
        grants.remove(held.sequence());
      } else if (held.stage() == Stage.ASKED && held.token().firstRound() < model.round()) {
        end(held);
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
      if (of(model.modelId()).isEmpty()) {
        requests.add(CompletableFuture.failedFuture(e));
      }
    } catch (RuntimeException e) {
      // What is charged is asked for, and what is drawn is sent.
      requests.add(CompletableFuture.failedFuture(e));
    }
    for (Held held : of(model.modelId())) {
      if (held.stage() == Stage.ASKED) {
        CompletableFuture<Void> grant = grants.get(held.sequence());
        if (grant == null || grant.isCompletedExceptionally()) {
          grant = CompletableFuture.runAsync(() -> ask(held), asker);
          grants.put(held.sequence(), grant);
        }
        requests.add(grant);
      }
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new));
  }

  private boolean isKnown(ModelSnapshot model, TokenWindow window) {
    return of(model.modelId()).stream().anyMatch(held -> held.window() == window.getWindow());
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
    model.terms().requireWithinLimits(randomiser.cost());
    TokenKey signing = new TokenKey(window.getLevels(level).getModulus());
    TokenChallenge challenge =
        new TokenChallenge(
            model.modelId(), window.getWindow(), AnonymousWindows.bytes(randomiser.mechanism()));
    StoredToken unused =
        ledger.chargeToken(
            model.modelId(),
            key,
            randomiser.cost(),
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

  private void ask(Held asked) {
    try {
      requireTurn(asked);
      finish(asked);
    } catch (GatewayException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  /**
   * The ledger grants no window that precedes one that it has granted, so the tokens of a model are
   * asked for in the order of their windows.
   */
  private void requireTurn(Held asked) throws GatewayException {
    String modelId = asked.token().challenge().modelId();
    for (Held other : of(modelId)) {
      if (other.stage() == Stage.ASKED && other.sequence() < asked.sequence()) {
        throw GatewayException.unanswered(
            "the token of window %d of model %s must be granted before those of later windows"
                .formatted(other.window(), modelId),
            null);
      }
    }
  }

  private void finish(Held asked) throws GatewayException, InterruptedException {
    HeldToken token = asked.token();
    TokenRequest request = new TokenRequest(token.key(), token.challenge(), token.content());
    try {
      ByteString signature =
          issuer.sign(token, ledger.deviceId(), asked.sequence(), request.blinded());
      hold(asked, request.finish(signature).encoded());
    } catch (GatewayException e) {
      if (e.isStop()) {
        endAll();
        throw new PersonStoppedException(e);
      }
      if (e.isFinal()) {
        end(asked);
      }
      throw e;
    } catch (SignatureException e) {
      end(asked);
      throw GatewayException.unanswered(
          "the gateway granted a token whose signature is not that of the window's key", e);
    }
  }

  /**
   * A gateway that grants a token late would choose the publications that are left for the report.
   */
  private synchronized void hold(Held asked, ByteString signed) {
    HeldToken token = asked.token();
    if (newest.get(token.challenge().modelId()) > token.firstRound()) {
      end(asked);
    } else if (!closed && isStored(asked.stored())) {
      StoredToken unused = ledger.advance(asked.stored(), Stage.HELD, token.with(signed).encoded());
    }
  }

  /** Returns whether a token is in the ledger as it was, and no other call has ended it. */
  boolean isStored(Held held) {
    return isStored(held.stored());
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
  synchronized Held draw(Held held, String modelId, DataKey key, Supplier<ByteString> report) {
    if (closed) {
      throw new IllegalStateException("the reporter is closed");
    }
    return Held.of(
        ledger.draw(held.stored(), modelId, key, () -> held.token().with(report.get()).encoded()));
  }

  /** Ends a token, unless another call has. */
  synchronized void end(Held held) {
    if (!closed && isStored(held.stored())) {
      StoredToken unused =
          ledger.advance(held.stored(), Stage.ENDED, held.token().with(ByteString.EMPTY).encoded());
    }
  }

  private synchronized void endAll() {
    if (!closed) {
      ledger.endTokens();
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
