package io.croupier.gateway.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Reads the rest of a body that is answered already, and discards it. If the server closed the
 * connection at once, TCP would reset it under a client that still sends, and the client would lose
 * the answer (RFC 9112, section 9.6).
 */
final class UnreadBody implements Runnable {
  private static final int MOST_BYTES = 1 << 22;
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final Request request;
  private final Callback end;
  private final Scheduler.Task deadline;
  private long bytes;
  private boolean ended;

  private UnreadBody(Request request, Callback end) {
    this.request = request;
    this.end = end;
    deadline =
        request
            .getComponents()
            .getScheduler()
            .schedule(() -> end(new TimeoutException()), LONGEST.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Discards what has arrived of a request's body; returns whether that was all. */
  static boolean discardAvailable(Request request) {
    long bytes = 0;
    while (bytes <= MOST_BYTES) {
      Content.Chunk chunk = request.read();
      if (chunk == null || Content.Chunk.isFailure(chunk)) {
        return false;
      }
      bytes += chunk.remaining();
      chunk.release();
      if (chunk.isLast()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Discards a request's body until its end, 4 MiB or two seconds, whichever is first.
   *
   * @param end completes afterwards
   */
  static void discard(Request request, Callback end) {
    new UnreadBody(request, end).run();
  }

  /** Discards what has arrived. */
  @Override
  public void run() {
    if (isAtEnd()) {
      end(null);
    }
  }

  /** Only one thread may read a request at a time, and none after the exchange has ended. */
  private synchronized boolean isAtEnd() {
    while (!ended && bytes <= MOST_BYTES) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return false;
      }
      bytes += chunk.remaining();
      chunk.release();
      if (chunk.isLast() || Content.Chunk.isFailure(chunk)) {
        return true;
      }
    }
    return !ended;
  }

  private void end(Throwable failure) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    deadline.cancel();
    if (failure == null) {
      end.succeeded();
    } else {
      end.failed(failure);
    }
  }
}
