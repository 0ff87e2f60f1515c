package io.croupier.gateway.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.TokenKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Derives the keys of the present window of each model, of the next one, and of the one before,
 * whose last rounds devices may still name, from what all gateways share. Publishes those that no
 * gateway has published yet, but for the window before, and signs with them. All gateways derive
 * the same, so it doesn't matter which one publishes a key, or whether two do.
 *
 * <p>A thread of its own looks at the models. Safe for use by several threads.
 */
public final class TokenIssuers implements WindowIssuers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenIssuers.class);
  private static final Duration PERIOD = Duration.ofMillis(200);

  private final byte[] secret;
  private final Specs specs;
  private final Updates updates;
  private final TokenKeys published;
  private final BooleanSupplier caughtUp;
  private final Publisher publisher;

  /** By the names of their keys. */
  private final Map<String, Issuing> issuers = new ConcurrentHashMap<>();

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread worker = new Thread(task, "token-keys");
            worker.setDaemon(true);
            return worker;
          });

  /** Writes a key to its topic. */
  @FunctionalInterface
  public interface Publisher {
    /** Writes a record. */
    CompletableFuture<?> publish(byte[] name, byte[] key);
  }

  private static final class Issuing {
    private final String modelId;
    private final long window;
    private final TokenIssuer issuer;
    private long publishedAt;
    private boolean isWarned;

    private Issuing(String modelId, long window, TokenIssuer issuer) {
      this.modelId = modelId;
      this.window = window;
      this.issuer = issuer;
    }
  }

  /**
   * Begins to derive keys.
   *
   * @param secret that all gateways of the deployment share
   * @param caughtUp whether all specs, updates and keys have been read; no key is published before
   */
  public TokenIssuers(
      byte[] secret,
      Specs specs,
      Updates updates,
      TokenKeys published,
      BooleanSupplier caughtUp,
      Publisher publisher) {
    this.secret = secret.clone();
    this.specs = specs;
    this.updates = updates;
    this.published = published;
    this.caughtUp = caughtUp;
    this.publisher = publisher;
    // An exception would end the schedule, so none is thrown.
    Future<?> unused =
        thread.scheduleWithFixedDelay(
            this::look, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look() {
    if (!caughtUp.getAsBoolean()) {
      return;
    }
    try {
      for (ServedModel model : updates.all()) {
        Optional<Specs.Judge> judge =
            specs.judge(model.modelId()).filter(of -> of.spec().hasAnonymous());
        if (judge.isPresent()) {
          long window = AnonymousWindows.window(judge.get().spec(), model.round());
          issuers
              .values()
              .removeIf(of -> of.modelId.equals(model.modelId()) && of.window < window - 1);
          derive(model.modelId(), judge.get().levels(), window);
          derive(model.modelId(), judge.get().levels(), window + 1);
          deriveAgain(model.modelId(), judge.get().levels(), window - 1);
        }
      }
    } catch (RuntimeException e) {
      LOG.error("The keys of tokens can't be derived or published; trying again", e);
    }
  }

  private void derive(String modelId, List<Mechanism> levels, long window) {
    if (published.isClosed(modelId, window)) {
      return;
    }
    for (Mechanism level : levels) {
      Issuing of = issuing(modelId, window, level);
      publish(
          WindowKeys.name(modelId, window, level), of, published.modulus(modelId, window, level));
    }
  }

  /** A gateway that started after a window derives only the keys that were published in time. */
  private void deriveAgain(String modelId, List<Mechanism> levels, long window) {
    for (Mechanism level : levels) {
      if (published.modulus(modelId, window, level).isPresent()) {
        Issuing unused = issuing(modelId, window, level);
      }
    }
  }

  private Issuing issuing(String modelId, long window, Mechanism level) {
    return issuers.computeIfAbsent(
        WindowKeys.name(modelId, window, level),
        name -> {
          TokenChallenge challenge =
              new TokenChallenge(modelId, window, AnonymousWindows.bytes(level));
          return new Issuing(modelId, window, TokenIssuer.derive(secret, challenge));
        });
  }

  /** Publishes a key that is on the topic neither from this gateway nor from another one. */
  private void publish(String name, Issuing of, Optional<ByteString> present) {
    if (present.isPresent()) {
      if (!of.isWarned && !isOf(of, present.get())) {
        of.isWarned = true;
        LOG.error(
            "The key {} on the topic is not the one of this gateway, which signs no such token: it"
                + " must have the pepper of the other gateways",
            name);
      }
      return;
    }
    long now = System.nanoTime();
    if (of.publishedAt == 0 || now - of.publishedAt > TimeUnit.SECONDS.toNanos(5)) {
      of.publishedAt = now;
      byte[] key =
          TokenKey.newBuilder().setModulus(of.issuer.key().modulus()).build().toByteArray();
      CompletableFuture<?> unused =
          publisher
              .publish(name.getBytes(UTF_8), key)
              .whenComplete(
                  (position, failure) -> {
                    if (failure != null) {
                      LOG.warn("The key {} can't be published; trying again", name, failure);
                    }
                  });
    }
  }

  private static boolean isOf(Issuing of, ByteString modulus) {
    return of.issuer.key().modulus().equals(modulus);
  }

  @Override
  public Optional<TokenIssuer> issuer(String modelId, long window, Mechanism level) {
    Issuing of = issuers.get(WindowKeys.name(modelId, window, level));
    return Optional.ofNullable(of)
        .filter(
            derived ->
                published
                    .modulus(modelId, window, level)
                    .filter(modulus -> isOf(derived, modulus))
                    .isPresent())
        .map(derived -> derived.issuer);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
