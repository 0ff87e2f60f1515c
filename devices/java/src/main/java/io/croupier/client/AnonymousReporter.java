package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredToken.Stage;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.view.GradientReportView;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Sends anonymous reports of a person: at most one in each window of a model, and one in all of the
 * same data. The person's {@link LocalLedger} is charged when the device asks for the window's
 * token, and keeps the token, then the report, in its file before they are sent, so a crash spends
 * nothing twice.
 *
 * <p>The device asks for a token when the newest update first contains its window, which is before
 * the window, or as it opens. A token that isn't granted before the window's second publication is
 * given up. The publication at which the device reports follows from the ledger's secret, each with
 * the same probability. Tokens are asked for by a thread that neither waits for a report nor delays
 * one, so the time of a request doesn't depend on that publication. A device that doesn't see that
 * publication while it is the newest sends no report in the window. The report names neither person
 * nor device, has the same length for all devices, and leaves after a uniformly random wait.
 *
 * <p>A report that doesn't arrive is sent again only while its publication is the newest. One that
 * a former process left behind, or that waited in a device that slept, would leave with the
 * requests by which the person returns: it is dropped, and stays charged.
 *
 * <p>The caller owns the ledger, which may also be that of a {@link GradientReporter}, and closes
 * this reporter before it. Safe for use by several threads.
 */
public final class AnonymousReporter implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final LocalLedger ledger;
  private final WindowTokens tokens;
  private final AnonymousGateway collector;
  private final long longestWait;
  private final LongUnaryOperator below;

  /** The time in milliseconds, which goes on while the device sleeps. */
  private final LongSupplier clock;

  /** Computes gradients, draws and sends. */
  private final ScheduledExecutorService sender =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "anonymous-reporter");
            thread.setDaemon(true);
            return thread;
          });

  // Guarded by this.

  /** Reports that wait, are being sent, or arrived, by the numbers of their tokens. */
  private final Map<Long, CompletableFuture<Void>> sending = new HashMap<>();

  private boolean closed;

  /**
   * Creates a reporter; connects to nothing yet.
   *
   * @param ledger the ledger of the person whose privacy is spent
   * @param epsilon the level of the reports, one of the model's levels of priv_unit
   * @param gateway base of the API of the gateway that grants tokens, without /v1: https, or http
   *     on the loopback interface
   * @param bearers returns the person's bearer token for that gateway; a {@link TokenFile} suits it
   * @param collector base of the API to which reports are sent, without /v1: a proxy in front of
   *     the gateway, which then reads them, or the gateway itself, which then sees the device's
   *     address
   * @param longestWait reports wait uniformly between 0 and this: the model's shortest time between
   *     two publications, above 0, and the same in all apps of the model, since a person of another
   *     wait hides less
   * @throws IllegalArgumentException if a URL is another one, or the wait isn't above 0
   */
  public AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      URI gateway,
      Supplier<String> bearers,
      URI collector,
      Duration longestWait) {
    this(ledger, epsilon, gateway, bearers, new AnonymousTransport.Direct(collector), longestWait);
  }

  /**
   * Creates a reporter that sends its reports through a relay, by Oblivious HTTP (RFC 9458): the
   * relay can't read them, and the gateway doesn't see the device's address.
   *
   * @param relay URL of the relay, to which encapsulated requests are sent
   * @param key the gateway's public key, which the app contains: one that the device fetched could
   *     be its own, and the gateway would recognise its requests by it
   * @see #AnonymousReporter(LocalLedger, double, URI, Supplier, URI, Duration) for the other
   *     arguments
   */
  public AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      URI gateway,
      Supplier<String> bearers,
      URI relay,
      ObliviousKey key,
      Duration longestWait) {
    this(ledger, epsilon, gateway, bearers, new RelayTransport(relay, gateway, key), longestWait);
  }

  private AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      URI gateway,
      Supplier<String> bearers,
      AnonymousTransport collector,
      Duration longestWait) {
    this(
        ledger,
        epsilon,
        new TokenGateway(gateway, bearers, PATIENCE),
        new AnonymousGateway(collector, PATIENCE),
        longestWait,
        new SecureRandom()::nextLong,
        System::currentTimeMillis);
  }

  AnonymousReporter(
      LocalLedger ledger,
      double epsilon,
      TokenGateway issuer,
      AnonymousGateway collector,
      Duration longestWait,
      LongUnaryOperator below,
      LongSupplier clock) {
    if (longestWait.isNegative() || longestWait.isZero()) {
      throw new IllegalArgumentException(
          "longestWait is "
              + longestWait
              + "; it must be above 0, and the same in all apps of the model");
    }
    this.ledger = Objects.requireNonNull(ledger, "ledger");
    tokens = new WindowTokens(ledger, epsilon, issuer);
    this.collector = collector;
    this.longestWait = longestWait.toNanos();
    this.below = below;
    this.clock = clock;
  }

  /**
   * Does what a publication asks of this device: asks for the token of a window that begins, and
   * sends the report if this is its publication. Call it with every update. It charges the ledger,
   * and waits for no request and no gradient.
   *
   * @param model the newest publication
   * @param key names the person's data: they are reported in one window, unless the key says
   *     otherwise. A token is charged for each report that the key allows, whether or not one is
   *     drawn with it
   * @param gradient computes the gradient at the publication's weights, shape [d]; called only if
   *     the device reports now, on a thread of this reporter
   * @return the report, if this is its publication or it still waits since an earlier one;
   *     completes when it is accepted, and fails with a {@link ReportRefusedException} if it never
   *     will be, or if the device slept until it was too late, with an {@link
   *     IllegalArgumentException} if the gradient has another shape, and with an {@link
   *     IllegalStateException} if the update, or an answer to a request without identity, has
   *     another window, by which the report would be recognised
   * @throws IllegalStateException if this reporter is closed
   * @throws java.io.UncheckedIOException if the ledger's file can't be written
   */
  public synchronized Optional<CompletableFuture<Void>> takePart(
      ModelSnapshot model, DataKey key, Supplier<double[]> gradient) {
    if (closed) {
      throw closed();
    }
    tokens.follow(model, key);
    sending.keySet().retainAll(tokens.sequences());
    return report(model, key, gradient);
  }

  /**
   * The tokens that the last call of {@link #takePart} asked for. Completes when all are granted.
   * Fails with an {@link AlreadyReportedException} if tokens were charged for the data as often as
   * these may be reported, and the windows of all are over: an earlier failure would reveal the
   * publication of the report. Fails with a {@link LimitReachedException} if a token would exceed
   * the person's limit or the model's, with an {@link IllegalArgumentException} if the model takes
   * no anonymous reports of this level, with a {@link PersonStoppedException} if the person is
   * stopped, which drops all tokens, and with a {@link GatewayException} if the gateway refuses a
   * token, or hasn't granted it for two minutes; the next call asks again, with the same bytes, for
   * what isn't refused for ever.
   */
  public CompletableFuture<Void> tokens() {
    return tokens.asked();
  }

  private Optional<CompletableFuture<Void>> report(
      ModelSnapshot model, DataKey key, Supplier<double[]> gradient) {
    Optional<CompletableFuture<Void>> due = Optional.empty();
    Optional<CompletableFuture<Void>> earlier = Optional.empty();
    for (Held held : tokens.of(model.modelId())) {
      boolean isDue = held.token().slot(ledger) == model.round();
      if (held.stage() == Stage.DRAWN) {
        if (isDue || isUnderWay(held)) {
          earlier = Optional.of(sentOnce(held, () -> send(held)));
        } else {
          tokens.end(held);
        }
      } else if (held.stage() != Stage.ENDED
          && isDue
          // The token may be of other data. An error at this publication would reveal it.
          && ledger.reported(model.modelId(), key) < key.times()) {
        // Not granted yet: the window opens with this publication, which may be the token's.
        CompletableFuture<Void> granted = tokens.grant(held.sequence());
        due =
            Optional.of(
                sentOnce(
                    held,
                    () ->
                        granted.thenComposeAsync(
                            unused -> send(draw(model, held.sequence(), key, gradient)), sender)));
      }
    }
    return due.isPresent() ? due : earlier;
  }

  private boolean isUnderWay(Held drawn) {
    CompletableFuture<Void> sent = sending.get(drawn.sequence());
    return sent != null && !sent.isDone();
  }

  private CompletableFuture<Void> sentOnce(Held held, Supplier<CompletableFuture<Void>> first) {
    CompletableFuture<Void> sent = sending.get(held.sequence());
    if (sent == null || sent.isCompletedExceptionally()) {
      sent = first.get();
      sending.put(held.sequence(), sent);
    }
    return sent;
  }

  private Held draw(ModelSnapshot model, long sequence, DataKey key, Supplier<double[]> gradient) {
    Held held =
        tokens.of(model.modelId()).stream()
            .filter(each -> each.sequence() == sequence && each.stage() == Stage.HELD)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "the token came after round %d of model %s, which is that of its report; no"
                                .formatted(model.round(), model.modelId())
                            + " report is sent in this window"));
    PrivUnit declared = declared(model, held.token());
    double[] evaluated = gradient.get();
    return tokens.draw(
        held, model.modelId(), key, () -> report(model, held.token(), declared, evaluated));
  }

  private static ByteString report(
      ModelSnapshot model, HeldToken token, PrivUnit declared, double[] gradient) {
    GradientReportView.Builder drawn = GradientReportView.newBuilder();
    WindowTokens.randomiser(model, declared).release(gradient, drawn);
    return AnonymousGateway.padded(
        AnonymousReport.newBuilder()
            .setModelId(model.modelId())
            .setRound(model.round())
            .setToken(token.content())
            .setCandidate(drawn.getCandidate())
            .setPrivUnit(drawn.getPrivUnit()));
  }

  /** The token's level in the newest update, whose window must be the same. */
  private static PrivUnit declared(ModelSnapshot model, HeldToken token) {
    if (ServedWindow.of(token, model.windows()) != ServedWindow.SAME) {
      throw otherWindow(token);
    }
    return model.windows().stream()
        .filter(window -> window.getWindow() == token.challenge().window())
        .findFirst()
        .orElseThrow()
        .getLevels(token.level())
        .getPrivUnit();
  }

  private static IllegalStateException otherWindow(HeldToken token) {
    return new IllegalStateException(
        ("window %d of model %s has another key, declaration or rounds than this device's token; no"
                + " report is sent")
            .formatted(token.challenge().window(), token.challenge().modelId()));
  }

  private CompletableFuture<Void> send(Held drawn) {
    long latest =
        clock.getAsLong() + TimeUnit.NANOSECONDS.toMillis(longestWait) + PATIENCE.toMillis();
    CompletableFuture<Void> sent = new CompletableFuture<>();
    try {
      Future<?> unused =
          sender.schedule(
              () -> deliver(drawn, latest, sent),
              below.applyAsLong(longestWait),
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      sent.completeExceptionally(closed());
    }
    return sent;
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the reporter is closed");
  }

  private void deliver(Held drawn, long latest, CompletableFuture<Void> sent) {
    Optional<RuntimeException> refusal = Optional.empty();
    try {
      try {
        if (!tokens.isStored(drawn)) {
          throw new ReportRefusedException(
              "the person is stopped, or the window is over: the report is dropped", null);
        }
        if (collector.serves(drawn.token())) {
          collector.send(drawn.token().content(), () -> clock.getAsLong() > latest);
        } else {
          refusal = Optional.of(otherWindow(drawn.token()));
        }
      } catch (ReportRefusedException e) {
        refusal = Optional.of(e);
      }
      tokens.end(drawn);
    } catch (GatewayException | RuntimeException | Error | InterruptedException e) {
      // A later call sends it again, if its publication is still the newest.
      sent.completeExceptionally(e);
      return;
    }
    refusal.ifPresentOrElse(sent::completeExceptionally, () -> sent.complete(null));
  }

  /**
   * Stops sending. What hasn't arrived stays in the ledger; the next reporter sends it if its
   * publication is still the newest.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    // First: the sender is interrupted only when it writes to the ledger no more.
    tokens.close();
    synchronized (this) {
      sender.shutdownNow();
      sending.values().forEach(report -> report.completeExceptionally(closed()));
    }
    try {
      boolean unused = sender.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      collector.close();
    }
  }
}
