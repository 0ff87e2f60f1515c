package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.config.GatewayConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ConnectionsTest {
  private final AtomicInteger handled = new AtomicInteger();
  private final CountDownLatch passed = new CountDownLatch(1);

  /** Counts the requests that reach it. */
  private Handler counting() {
    return new Handler.Abstract() {
      @Override
      public boolean handle(Request request, Response response, Callback callback) {
        handled.incrementAndGet();
        callback.succeeded();
        return true;
      }
    };
  }

  @Test
  void aPortThatIsInUseIsNamedWithTheReason() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      GatewayConfig config =
          GatewayConfig.of(
              Map.of(
                  "kafka.bootstrap.servers", "127.0.0.1:1",
                  "listen.port", String.valueOf(port),
                  "pepper.file", "pepper",
                  "test-tokens.allowed", "true",
                  "test-tokens.key-file", "test.jwk"),
              Path.of(""));
      HttpListener listener = new HttpListener(config.listen(), config.limits());
      assertThatThrownBy(() -> listener.start(counting()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Can't listen on 127.0.0.1, port %d: Address already in use", port);
    }
  }

  /** Closes idle connections before the request reaches the handler, or after it did. */
  private Server server(boolean before) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    Connections[] swept = new Connections[1];
    Handler handler =
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            handled.incrementAndGet();
            swept[0].sweep(connector, Duration.ZERO);
            callback.succeeded();
            return true;
          }
        };
    swept[0] = new Connections(handler);
    server.setHandler(
        new Handler.Wrapper(swept[0]) {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            if (before) {
              swept[0].sweep(connector, Duration.ofHours(1));
              swept[0].sweep(connector, Duration.ZERO);
              // Forgets what it closed.
              swept[0].sweep(connector, Duration.ZERO);
            }
            try {
              return super.handle(request, response, callback);
            } finally {
              passed.countDown();
            }
          }
        });
    server.start();
    return server;
  }

  private String answer(boolean before) throws Exception {
    Server server = server(before);
    try (Socket socket =
        new Socket(
            InetAddress.getLoopbackAddress(),
            ((ServerConnector) server.getConnectors()[0]).getLocalPort())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
      try {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
      } catch (SocketException e) {
        return "";
      } finally {
        assertThat(passed.await(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      server.stop();
    }
  }

  /** Otherwise a report would be stored, and its sender would not know. */
  @Test
  void aRequestOfAConnectionThatIsBeingClosedHasNoEffect() throws Exception {
    assertThat(answer(true)).isEmpty();
    assertThat(handled).hasValue(0);
  }

  @Test
  void aRequestAtWorkKeepsItsConnection() throws Exception {
    assertThat(answer(false)).startsWith("HTTP/1.1 200");
    assertThat(handled).hasValue(1);
  }

  /** The server lists a connection only some time after it has accepted it. */
  @Test
  void aRequestOfAConnectionThatIsListedAfterTheEndHasNoEffect() throws Exception {
    CountDownLatch accepted = new CountDownLatch(1);
    CountDownLatch drained = new CountDownLatch(1);
    Server server = new Server();
    ServerConnector connector =
        new ServerConnector(server) {
          @Override
          protected SocketChannelEndPoint newEndPoint(
              SocketChannel channel, ManagedSelector selector, SelectionKey key)
              throws IOException {
            accepted.countDown();
            try {
              drained.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw new InterruptedIOException();
            }
            return super.newEndPoint(channel, selector, key);
          }
        };
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    Connections connections = new Connections(counting());
    server.setHandler(connections);
    server.start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
      assertThat(accepted.await(30, TimeUnit.SECONDS)).isTrue();

      assertThat(connections.drain(connector, Duration.ofSeconds(30))).isTrue();
      drained.countDown();

      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 503");
      assertThat(handled).hasValue(0);
    } finally {
      drained.countDown();
      server.stop();
    }
  }

  /**
   * If the server begins to stop between the header of an answer and its end, it shuts down the
   * connection's output, and the client doesn't know. Its next request can't be answered.
   */
  @Test
  void aRequestThatNoAnswerCanReachHasNoEffect() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Server server = new Server();
    ServerConnector connector =
        new ServerConnector(server) {
          @Override
          public boolean isShutdown() {
            return asked.getAndIncrement() > 0;
          }
        };
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    CountDownLatch refused = new CountDownLatch(2);
    server.setHandler(
        new Handler.Wrapper(new Connections(counting())) {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            try {
              return super.handle(request, response, callback);
            } finally {
              refused.countDown();
            }
          }
        });
    server.start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
      byte[] request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
      socket.getOutputStream().write(request);
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain("Connection: close");

      socket.getOutputStream().write(request);

      assertThat(refused.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(handled).hasValue(1);
    } finally {
      server.stop();
    }
  }
}
