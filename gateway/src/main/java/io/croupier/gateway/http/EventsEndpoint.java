package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.util.Callback;

/**
 * Streams the updates of a model as server-sent events. A slow reader misses updates, and receives
 * the newest when it is ready; no thread waits for it.
 */
record EventsEndpoint(
    ModelsEndpoint models,
    Updates updates,
    Places waiting,
    ScheduledExecutorService scheduler,
    Drain drain) {
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final Duration SOON = Duration.ofSeconds(1);

  void handle(Exchange exchange) {
    models.require(exchange.parameter());
    if (drain.hasBegun()) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the gateway is about to stop")
              .retryAfter(SOON));
    }
    Places.Place place = waiting.take(exchange.address());
    if (!exchange.claim()) {
      place.close();
      return;
    }
    exchange.header(HttpHeader.CONTENT_TYPE, "text/event-stream");
    exchange.header(HttpHeader.CACHE_CONTROL, "no-store");
    exchange.response().setStatus(HttpStatus.OK_200);
    exchange.request().addIdleTimeoutListener(timeout -> false);
    if (exchange.request().getMethod().equals("HEAD")) {
      place.close();
      exchange.response().write(true, null, exchange.callback());
      return;
    }
    new Stream(exchange, place).begin();
  }

  /** One response; at most one write is under way. */
  private final class Stream implements Updates.Watcher, Callback {
    private final Exchange exchange;
    private final Places.Place place;
    private final String modelId;
    private final Runnable drained = this::drain;
    private ScheduledFuture<?> heartbeat;

    // Guarded by this.
    private ServedModel sent;
    private boolean writing;
    private boolean changed = true;
    private boolean silent;
    private boolean draining;
    private boolean ended;

    Stream(Exchange exchange, Places.Place place) {
      this.exchange = exchange;
      this.place = place;
      modelId = exchange.parameter();
    }

    void begin() {
      heartbeat =
          scheduler.scheduleWithFixedDelay(
              this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
      exchange.request().addFailureListener(this::failed);
      updates.watch(modelId, this);
      drain.add(drained);
      changed();
    }

    /** Ends the stream without an event: the client finds another gateway. */
    private void drain() {
      synchronized (this) {
        draining = true;
      }
      write();
    }

    @Override
    public void changed() {
      synchronized (this) {
        changed = true;
      }
      write();
    }

    private void beat() {
      synchronized (this) {
        silent = true;
      }
      write();
    }

    /** Writes the next event, if there is one and no write is under way. */
    private void write() {
      byte[] next;
      boolean last = false;
      synchronized (this) {
        if (writing || ended) {
          return;
        }
        Optional<ServedModel> newest = updates.newest(modelId);
        if (draining) {
          next = new byte[0];
          last = true;
        } else if (changed && newest.isEmpty()) {
          next = "event: retired\ndata: {}\n\n".getBytes(UTF_8);
          last = true;
        } else if (changed && newest.get() != sent) {
          sent = newest.get();
          next = sent.event();
        } else if (silent) {
          next = ":\n\n".getBytes(UTF_8);
        } else {
          return;
        }
        changed = false;
        silent = false;
        writing = true;
      }
      if (last) {
        end();
        exchange.response().write(true, ByteBuffer.wrap(next), exchange.callback());
      } else {
        exchange.response().write(false, ByteBuffer.wrap(next), this);
      }
    }

    @Override
    public void succeeded() {
      synchronized (this) {
        writing = false;
      }
      write();
    }

    /** The reader has gone. */
    @Override
    public void failed(Throwable cause) {
      if (end()) {
        exchange.callback().failed(cause);
      }
    }

    private boolean end() {
      synchronized (this) {
        if (ended) {
          return false;
        }
        ended = true;
      }
      updates.unwatch(modelId, this);
      drain.remove(drained);
      heartbeat.cancel(false);
      place.close();
      return true;
    }
  }
}
