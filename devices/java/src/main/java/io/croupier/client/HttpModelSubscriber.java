package io.croupier.client;

import io.croupier.client.AnonymousTransport.Call;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one model over a gateway, by long polls, and keeps its newest committed update until the
 * model is retired. It needs no token. A round that is superseded between two polls is not read.
 * The newest round is read again when its update changes, as to a larger probability of answers, or
 * to those of a model that starts again.
 *
 * <p>Through a relay, the gateway doesn't see who follows the model: polls don't wait, and the
 * pauses between them are random, so that they don't recognise a device.
 *
 * <p>A subscriber runs its own thread, which waits and tries again while the gateway is
 * unreachable, or can't answer now. If it fails, because of an unreadable update, an exception of
 * the listener or another answer of the server, the next call throws an {@link
 * IllegalStateException} with the cause. Safe for use by several threads.
 */
public final class HttpModelSubscriber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpModelSubscriber.class);

  /** How long a gateway may wait for the next round. */
  private static final Duration WAIT = Duration.ofSeconds(20);

  /** How much longer an answer may take. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** The pause after an answer without a newer update, which a server may give without waiting. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  /**
   * The most bytes of an update: weights and average of the largest dimension, and a mebibyte for
   * everything else.
   */
  private static final long MOST_BODY = 2L * Double.BYTES * ModelSpecs.MAX_DIMENSION + (1 << 20);

  /** How often to ask for a model that is not published. */
  private static final Duration ABSENCE = Duration.ofSeconds(1);

  /** The way through a relay, and the longest pause between two polls, in nanoseconds. */
  private record Relayed(AnonymousTransport gateway, long longestPause) {
    Relayed {
      if (longestPause <= 0) {
        throw new IllegalArgumentException(
            "longestPause is " + Duration.ofNanos(longestPause) + "; it must be above 0");
      }
    }

    Duration pause() {
      return Duration.ofNanos(new SecureRandom().nextLong(longestPause));
    }
  }

  private final GatewayConnection gateway;
  private final Optional<Relayed> relayed;
  private final String modelId;
  private final String path;
  private final Consumer<ModelSnapshot> listener;
  private final Clock clock = Clock.systemUTC();
  private final BackOff backOff = new BackOff();
  private final Thread thread;

  /**
   * The newest round that was read; empty to read any. Accessed only by the subscriber's thread.
   */
  private Optional<Long> after = Optional.empty();

  /** What the gateway calls the update that was read; empty if it has no name. */
  private String tag = "";

  // Guarded by this.
  private Optional<Publications> publications = Optional.empty();
  private boolean closed;
  private Throwable failure;

  /** Why there is no newer update; in words, empty if nothing hinders one. */
  private String obstacle = "; the gateway has not answered yet";

  /**
   * Begins to follow a model.
   *
   * @param gateway base of the gateway's API, without /v1: https, or http on the loopback interface
   * @throws IllegalArgumentException if the URL is another one
   */
  public HttpModelSubscriber(URI gateway, String modelId) {
    this(gateway, modelId, snapshot -> {});
  }

  /**
   * Begins to follow a model, with a listener.
   *
   * @param listener receives every update that is read, on the subscriber's thread, which reads no
   *     further updates meanwhile, and which {@link #close} interrupts
   */
  public HttpModelSubscriber(URI gateway, String modelId, Consumer<ModelSnapshot> listener) {
    this(gateway, modelId, listener, Optional.empty());
  }

  /**
   * Begins to follow a model through a relay (RFC 9458), for anonymous reports.
   *
   * @param relay URL of the relay, to which encapsulated requests are sent
   * @param key the gateway's public key, which the app contains
   * @param longestPause between two polls: uniformly random up to this. The {@code longestWait} of
   *     an {@link AnonymousReporter} suits it; a longer one misses publications
   * @throws IllegalArgumentException if a URL is another one, or the pause isn't above 0
   */
  public HttpModelSubscriber(
      URI gateway,
      String modelId,
      URI relay,
      ObliviousKey key,
      Duration longestPause,
      Consumer<ModelSnapshot> listener) {
    this(
        gateway,
        modelId,
        listener,
        Optional.of(new Relayed(new RelayTransport(relay, gateway, key), longestPause.toNanos())));
  }

  private HttpModelSubscriber(
      URI gateway, String modelId, Consumer<ModelSnapshot> listener, Optional<Relayed> relayed) {
    this.gateway = new GatewayConnection(gateway);
    this.relayed = relayed;
    this.modelId = modelId;
    this.listener = listener;
    path = "/v1/models/" + URLEncoder.encode(modelId, StandardCharsets.UTF_8).replace("+", "%20");
    thread = new Thread(this::follow, "model-subscriber-" + modelId);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * The newest update; empty if there is none, or none has been read yet.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<ModelSnapshot> newest() {
    requireAtWork();
    return publications.map(Publications::newest);
  }

  /**
   * The staleness of a snapshot, as far as this subscriber has read newer ones; empty if the model
   * is retired, or no update has been read yet.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<Staleness> staleness(ModelSnapshot snapshot) {
    requireAtWork();
    long age = Math.max(0, clock.millis() - snapshot.publishedAtMs());
    return publications.map(of -> new Staleness(of.newerThan(snapshot), Duration.ofMillis(age)));
  }

  /**
   * The terms of a round. With a fixed clip, they are known for all rounds up to the newest one;
   * the gateway refuses a report of one that is too old. With a moving clip, only for those among
   * the newest {@value Staleness#MOST_PUBLICATIONS} that this subscriber has read.
   *
   * @return empty, too, if the model is retired, or no update has been read yet
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<RoundTerms> published(long round) {
    requireAtWork();
    return publications.flatMap(
        of -> {
          Optional<RoundTerms> read = of.terms(round);
          RoundTerms newest = of.newest().terms();
          boolean isAlike = !newest.clip().moves() && round >= 0 && round < newest.round();
          return read.isPresent() || !isAlike ? read : Optional.of(newest.at(round));
        });
  }

  /**
   * Waits for the model's first update.
   *
   * @return its newest update
   * @throws TimeoutException if there is none after {@code timeout}
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public ModelSnapshot await(Duration timeout) throws TimeoutException, InterruptedException {
    return await(update -> true, timeout);
  }

  /**
   * Waits for an update of another round than that of an earlier one, or one that asks more devices
   * in that round, as the job does while it lacks answers: a device that has reported the round may
   * report it again, if the key of its data allows that.
   *
   * @return the newest update
   * @throws TimeoutException if there is none after {@code timeout}
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public ModelSnapshot awaitAfter(ModelSnapshot earlier, Duration timeout)
      throws TimeoutException, InterruptedException {
    return await(update -> update.asksOthersThan(earlier), timeout);
  }

  private synchronized ModelSnapshot await(Predicate<ModelSnapshot> isAwaited, Duration timeout)
      throws TimeoutException, InterruptedException {
    long start = System.nanoTime();
    Optional<ModelSnapshot> found = newest().filter(isAwaited);
    while (found.isEmpty()) {
      long left = timeout.toNanos() - (System.nanoTime() - start);
      if (left <= 0) {
        throw Absence.of(modelId, "at " + gateway.base(), timeout, obstacle);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
      found = newest().filter(isAwaited);
    }
    return found.get();
  }

  private synchronized void requireAtWork() {
    if (failure != null) {
      throw new IllegalStateException(
          "following model " + modelId + " failed: " + failure.getMessage(), failure);
    }
    if (closed) {
      throw new IllegalStateException("the subscriber of model " + modelId + " is closed");
    }
  }

  /** Stops the subscriber. Does not rethrow an exception of its thread. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    if (Thread.currentThread() == thread) {
      return;
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void follow() {
    try {
      for (int failures = 0; !isClosed(); ) {
        try {
          poll();
          failures = 0;
        } catch (GatewayException e) {
          if (e.isAbsence()) {
            forget(e);
            TimeUnit.NANOSECONDS.sleep(ABSENCE.toNanos());
          } else if (e.isTemporary()) {
            hindered("; " + e.getMessage());
            LOG.warn("Following model {} failed; trying again: {}", modelId, e.getMessage());
            TimeUnit.NANOSECONDS.sleep(backOff.pause(failures++, e.retryAfter()).toNanos());
          } else {
            throw e;
          }
        }
      }
    } catch (InterruptedException e) {
      if (!isClosed()) {
        fail(e);
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    } finally {
      gateway.close();
      relayed.ifPresent(way -> way.gateway.close());
    }
  }

  private void poll() throws GatewayException, InterruptedException {
    boolean isNew = relayed.isPresent() ? pollThroughRelay(relayed.get()) : pollDirectly();
    Duration pause = relayed.map(Relayed::pause).orElse(isNew ? Duration.ZERO : PAUSE);
    TimeUnit.NANOSECONDS.sleep(pause.toNanos());
  }

  private boolean pollThroughRelay(Relayed way) throws GatewayException, InterruptedException {
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    ProtobufJson.read(way.gateway.send(Call.get(path), Call.OK), update);
    return take(ModelSnapshot.parse(update.build().toByteArray()), "");
  }

  private boolean pollDirectly() throws GatewayException, InterruptedException {
    String query = after.map(round -> "?after=" + round + "&wait=" + WAIT.toSeconds()).orElse("");
    HttpRequest.Builder request =
        gateway.request(path + query).header("Accept", GatewayConnection.PROTOBUF);
    if (after.isPresent() && !tag.isEmpty()) {
      request.header("If-None-Match", tag);
    }
    HttpResponse<byte[]> answer = gateway.send(request.build(), WAIT.plus(ANSWER), MOST_BODY);
    if (answer.statusCode() == 304) {
      hindered("");
      return false;
    }
    if (answer.statusCode() != Call.OK) {
      throw gateway.failure(answer);
    }
    return take(ModelSnapshot.parse(answer.body()), answer.headers().firstValue("ETag").orElse(""));
  }

  /**
   * Keeps an update; returns whether it is one of another round. Gateways that disagree about a
   * round must not be asked in turn without a pause.
   */
  private boolean take(ModelSnapshot snapshot, String newTag) {
    if (!snapshot.modelId().equals(modelId)) {
      throw new IllegalStateException("the gateway answered with another model");
    }
    hindered("");
    if (isOutdated(snapshot)) {
      return false;
    }
    tag = newTag;
    if (isKnown(snapshot)) {
      return false;
    }
    boolean isOther = !after.equals(Optional.of(snapshot.round()));
    after = Optional.of(snapshot.round());
    add(snapshot);
    listener.accept(snapshot);
    return isOther;
  }

  /** Whether it is of the newest round that was read, with the same terms. */
  private synchronized boolean isKnown(ModelSnapshot snapshot) {
    return publications.map(Publications::newest).filter(snapshot::isSameRound).isPresent();
  }

  /** Of a gateway that lags behind another one. A model that starts again publishes later. */
  private synchronized boolean isOutdated(ModelSnapshot snapshot) {
    return publications
        .map(Publications::newest)
        .filter(newest -> snapshot.round() < newest.round())
        .filter(newest -> snapshot.publishedAtMs() < newest.publishedAtMs())
        .isPresent();
  }

  private synchronized void add(ModelSnapshot snapshot) {
    if (publications.isEmpty() || snapshot.round() < publications.get().newest().round()) {
      publications = Optional.of(new Publications());
    }
    publications.get().add(snapshot);
    notifyAll();
  }

  /** The model is retired, or not published yet. */
  private synchronized void forget(GatewayException absence) {
    after = Optional.empty();
    publications = Optional.empty();
    hindered("; " + absence.getMessage());
    notifyAll();
  }

  private synchronized void hindered(String by) {
    obstacle = by;
  }

  private synchronized void fail(Throwable cause) {
    failure = cause;
    notifyAll();
  }
}
