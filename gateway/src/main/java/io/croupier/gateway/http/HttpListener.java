package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.config.ListenSettings;
import io.croupier.gateway.problem.ProblemDocument;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server on one port, with or without TLS. It limits its connections, and answers the
 * requests that it has received before it stops.
 */
final class HttpListener {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int THREADS = 64;
  private static final int LEAST_THREADS = 4;
  private static final int HEADER_BYTES = 8192;

  /**
   * Connections that may wait until the server accepts them. The operating system drops those above
   * it, and the clients try again after seconds.
   */
  private static final int ACCEPT_QUEUE = 1024;

  private static final Duration TLS_RELOAD = Duration.ofSeconds(2);
  private static final Duration SWEEP = Duration.ofSeconds(1);

  /** How long browsers remember to use TLS: a year. */
  private static final long STS_SECONDS = 365L * 24 * 60 * 60;

  private final QueuedThreadPool threads = new QueuedThreadPool(THREADS, LEAST_THREADS);
  private final Server server = new Server(threads);
  private final ServerConnector connector;
  private final Drain drain = new Drain();
  private final Duration idle;
  private final boolean secure;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "gateway-timer");
            thread.setDaemon(true);
            return thread;
          });

  /** Set once, by {@link #start}. */
  private Connections connections;

  /**
   * Prepares a server.
   *
   * @throws IllegalArgumentException if certificate or key can't be used
   */
  HttpListener(ListenSettings listen, LimitSettings limits) {
    threads.setName("gateway");
    idle = limits.idle();
    secure = listen.tls().isPresent();
    connector = connector(listen);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(limits.connections(), connector));
    if (!listen.proxy()) {
      connector.addBean(new AddressConnections(limits.address().connections()));
    }
    server.setErrorHandler(HttpListener::fail);
  }

  private ServerConnector connector(ListenSettings listen) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    HttpConnectionFactory plain = new HttpConnectionFactory(http);
    ConnectionFactory[] factories = {plain};
    if (listen.tls().isPresent()) {
      TlsFiles files = new TlsFiles(listen.tls().get());
      // Load balancers ask for the health of a gateway by its address, which no certificate names.
      SecureRequestCustomizer secureRequests = new SecureRequestCustomizer(false);
      secureRequests.setStsMaxAge(STS_SECONDS);
      http.addCustomizer(secureRequests);
      factories =
          new ConnectionFactory[] {
            new SslConnectionFactory(files.context(), plain.getProtocol()), plain
          };
      // Reloading catches its errors.
      Future<?> unused =
          timer.scheduleWithFixedDelay(
              files::reload, TLS_RELOAD.toMillis(), TLS_RELOAD.toMillis(), TimeUnit.MILLISECONDS);
    }
    ServerConnector result = new ServerConnector(server, factories);
    result.setHost(listen.address().getHostAddress());
    result.setPort(listen.port());
    result.setAcceptQueueSize(ACCEPT_QUEUE);
    result.setIdleTimeout(idle.toMillis());
    // The server would apply a shorter one to requests at work, too, when it stops.
    result.setShutdownIdleTimeout(idle.toMillis());
    return result;
  }

  /** Answer requests that had to wait. */
  Executor threads() {
    return threads;
  }

  /** Ends what lasts too long. */
  ScheduledExecutorService timer() {
    return timer;
  }

  /** Ends what waits when the server stops. */
  Drain drain() {
    return drain;
  }

  Server server() {
    return server;
  }

  /**
   * Serves requests from now on; call it once.
   *
   * @throws IllegalStateException if the server can't listen
   */
  void start(Handler handler) {
    connections = new Connections(new TransferCodings(handler));
    server.setHandler(connections);
    try {
      server.start();
    } catch (Exception e) {
      timer.shutdownNow();
      // The server's own message is the address alone.
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "Can't listen on %s, port %d: %s"
              .formatted(connector.getHost(), connector.getPort(), reason.getMessage()),
          e);
    }
    // Sweeping fails only together with the server.
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            () -> connections.sweep(connector, idle),
            SWEEP.toMillis(),
            SWEEP.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Answers a request that the server itself refuses, such as one that is no HTTP. */
  private static boolean fail(Request request, Response response, Callback callback) {
    Router.HEADERS.forEach(response.getHeaders()::put);
    JsonObject document = new JsonObject();
    document.addProperty("type", "about:blank");
    document.addProperty("title", HttpStatus.getMessage(response.getStatus()));
    document.addProperty("status", response.getStatus());
    new Exchange(request, response, callback, Optional.empty(), "", () -> false)
        .answer(
            response.getStatus(), ProblemDocument.MEDIA_TYPE, document.toString().getBytes(UTF_8));
    return true;
  }

  /** Where the server listens. */
  URI address() {
    return URI.create(
        "%s://%s:%d"
            .formatted(
                secure ? "https" : "http", host(connector.getHost()), connector.getLocalPort()));
  }

  private static String host(String address) {
    return address.contains(":") ? "[" + address + "]" : address;
  }

  /**
   * Stops the server. It accepts no more connections, ends the requests that wait, and answers
   * those that it has received before it stops. Further calls have no effect.
   *
   * @param longest time that a request may take
   */
  void close(Duration longest) {
    if (!server.isRunning()) {
      return;
    }
    try {
      drain(longest);
    } finally {
      stop();
    }
  }

  private void drain(Duration longest) {
    drain.begin();
    try {
      if (!connections.drain(connector, longest)) {
        LOG.warn("Not all requests have ended in time; their connections are closed now");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the server can't be stopped", e);
    } finally {
      timer.shutdownNow();
    }
  }
}
