package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The open streams of server-sent events, at most {@value #MOST}. A slow reader misses events; no
 * thread waits for it.
 */
final class WatchStreams {
  static final int MOST = 64;

  private static final Duration LAST_WRITES = Duration.ofMillis(500);
  private static final byte[] BEFORE = "data: ".getBytes(UTF_8);
  private static final byte[] AFTER = "\n\n".getBytes(UTF_8);

  private final Set<WatchStream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  boolean isEmpty() {
    return streams.isEmpty();
  }

  /** Opens a stream with its first event; false if there are too many, or all have been closed. */
  boolean open(Request request, Response response, Callback callback, byte[] json) {
    if (closed || streams.size() >= MOST) {
      return false;
    }
    response.setStatus(HttpStatus.OK_200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
    request.addIdleTimeoutListener(timeout -> false);
    WatchStream stream = new WatchStream(response, callback);
    streams.add(stream);
    request.addFailureListener(stream::failed);
    // The last event, if close() has not seen this stream.
    stream.write(event(json), closed);
    return true;
  }

  /** Sends an event to every stream that is ready. */
  void send(byte[] json) {
    byte[] event = event(json);
    streams.forEach(stream -> stream.write(event, false));
  }

  /** Sends a last event, and ends the streams. */
  void close(byte[] json) {
    closed = true;
    byte[] event = event(json);
    long end = System.nanoTime() + LAST_WRITES.toNanos();
    for (WatchStream stream : streams) {
      stream.write(event, true);
    }
    while (!streams.isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** JSON without line breaks is one line of data. */
  private static byte[] event(byte[] json) {
    byte[] event = new byte[BEFORE.length + json.length + AFTER.length];
    System.arraycopy(BEFORE, 0, event, 0, BEFORE.length);
    System.arraycopy(json, 0, event, BEFORE.length, json.length);
    System.arraycopy(AFTER, 0, event, BEFORE.length + json.length, AFTER.length);
    return event;
  }

  /** One response; at most one write is under way. */
  private final class WatchStream implements Callback {
    private final Response response;
    private final Callback callback;

    // Guarded by this.
    private boolean writing;
    private boolean ended;
    private byte[] last;

    WatchStream(Response response, Callback callback) {
      this.response = response;
      this.callback = callback;
    }

    /** Writes an event, unless a write is under way; the last one waits for it. */
    void write(byte[] event, boolean isLast) {
      synchronized (this) {
        if (ended) {
          return;
        }
        if (writing) {
          last = isLast ? event : last;
          return;
        }
        writing = true;
        ended = isLast;
      }
      if (isLast) {
        streams.remove(this);
      }
      response.write(isLast, ByteBuffer.wrap(event), isLast ? callback : this);
    }

    @Override
    public void succeeded() {
      byte[] waiting;
      synchronized (this) {
        writing = false;
        waiting = last;
      }
      if (waiting != null) {
        write(waiting, true);
      }
    }

    /** The reader has gone. */
    @Override
    public void failed(Throwable cause) {
      synchronized (this) {
        if (ended) {
          return;
        }
        ended = true;
      }
      streams.remove(this);
      callback.failed(cause);
    }
  }
}
