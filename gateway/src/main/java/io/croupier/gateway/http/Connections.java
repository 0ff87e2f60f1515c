package io.croupier.gateway.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * Closes connections without a request. The server's own timeout begins again with each byte, so a
 * client that sends a header byte by byte could hold a connection forever; here the time counts
 * from the connection's beginning, or the end of its last answer, to the end of the next header.
 *
 * <p>A request is either handled, and its connection stays open until it is answered, or its
 * connection is closed, and it has no effect.
 */
final class Connections extends Handler.Wrapper {
  private static final Duration SWEEP = Duration.ofMillis(50);

  /** How long a connection without a request lives while the server is about to stop. */
  private static final Duration LAST_REQUEST = Duration.ofMillis(500);

  private final Map<EndPoint, State> states = new ConcurrentHashMap<>();

  /** Of a connection that is about to be closed; its requests are not read. */
  private static final State CLOSED = new State(true);

  /** In place of a number of requests: no request is handled any more. */
  private static final int ENDED = Integer.MIN_VALUE / 2;

  /** The requests that are handled, or a number below zero once there are no more. */
  private final AtomicInteger handled = new AtomicInteger();

  /** What a connection has done since a time; compared by identity. */
  private static final class State {
    private final boolean busy;
    private final long since = System.nanoTime();

    State(boolean busy) {
      this.busy = busy;
    }
  }

  Connections(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    EndPoint connection = connection(request);
    State busy = new State(true);
    State present = states.compute(connection, (unused, state) -> state == CLOSED ? CLOSED : busy);
    // A sweep removes what it has closed.
    if (present == CLOSED
        || !connection.isOpen()
        || cannotBeAnswered(request)
        || handled.getAndIncrement() < 0) {
      refuse(response, callback);
      return true;
    }
    Request.addCompletionListener(
        request,
        failure -> {
          handled.decrementAndGet();
          // A later request of the connection may have begun.
          states.replace(connection, busy, new State(false));
        });
    return super.handle(request, response, callback);
  }

  /** Ends a request that came while its connection or the server ended: it has no effect. */
  private static void refuse(Response response, Callback callback) {
    response.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    response.write(true, null, callback);
  }

  /**
   * Whether the output has ended: if the server's port closes between the header of an earlier
   * answer and its end, the output ends without a word to the client.
   */
  private static boolean cannotBeAnswered(Request request) {
    return request.getConnectionMetaData().getConnection().getEndPoint().isOutputShutdown();
  }

  /** The connection itself, without TLS. */
  private static EndPoint connection(Request request) {
    EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
    while (connection instanceof EndPoint.Wrapper wrapper) {
      connection = wrapper.unwrap();
    }
    return connection;
  }

  /** Closes each connection that has had no request for too long. */
  void sweep(ServerConnector connector, Duration patience) {
    states.keySet().removeIf(connection -> !connection.isOpen());
    for (EndPoint connection : connector.getConnectedEndPoints()) {
      State state = states.computeIfAbsent(connection, unseen -> new State(false));
      // Unless a request has come since; from now on, those that come are refused.
      if (!state.busy
          && System.nanoTime() - state.since > patience.toNanos()
          && states.replace(connection, state, CLOSED)) {
        connection.close();
      }
    }
  }

  /**
   * Closes the connector's port, and waits until the requests of all connections are answered.
   * Connections are closed when they have no request any more. Later requests are refused: the
   * server may have accepted a connection that it does not list yet.
   *
   * @return whether all requests were answered in time
   */
  boolean drain(ServerConnector connector, Duration patience) throws InterruptedException {
    CompletableFuture<Void> closed = connector.shutdown();
    long end = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < end) {
      sweep(connector, LAST_REQUEST);
      try {
        closed.get(SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        if (handled.compareAndSet(0, ENDED)) {
          return true;
        }
        // A connection was listed, and its request handled, after the last one had ended.
        Thread.sleep(SWEEP.toMillis());
      } catch (TimeoutException e) {
        // Some connections are left.
      } catch (ExecutionException e) {
        throw new IllegalStateException("the server's port can't be closed", e.getCause());
      }
    }
    handled.set(ENDED);
    return false;
  }
}
