package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.config.ListenSettings;
import io.croupier.gateway.config.WatchSettings;
import io.croupier.gateway.identity.AdminToken;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.gateway.watch.WatchAccess;
import io.croupier.gateway.watch.WatchFeed;
import io.croupier.gateway.watch.WatchHandler;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import org.eclipse.jetty.server.handler.CrossOriginHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server. */
public final class GatewayServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GatewayServer.class);
  private static final Logger ACCESS = LoggerFactory.getLogger("io.croupier.gateway.access");
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

  /** How long a client may take to read the answer to its report while the server stops. */
  private static final Duration ANSWER = Duration.ofSeconds(2);

  /** How long browsers remember to use TLS: a year. */
  private static final long STS_SECONDS = 365L * 24 * 60 * 60;

  /** The page to watch. */
  static final String PAGE = "/watch/";

  private static final double MILLIS = 1e-6;
  private static final String OPENAPI = "/io/croupier/gateway/openapi.json";

  private final Server server;
  private final ServerConnector connector;
  private final Connections connections;
  private final Drain drain = new Drain();
  private final Duration longestReport;
  private final Optional<WatchFeed> feed;
  private final Optional<WatchHandler> watch;
  private final boolean secure;
  private final GatewayMetrics metrics;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "gateway-timer");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Starts the server.
   *
   * @param anonymous empty if the gateway takes no anonymous reports
   * @param caughtUp whether all specs and updates have been read
   * @param reachable whether the brokers answer
   * @throws IllegalArgumentException if certificate or key can't be used
   * @throws IllegalStateException if the server can't listen
   */
  public GatewayServer(
      GatewayConfig config,
      TokenVerifier tokens,
      Pepper pepper,
      ReportCheck check,
      ReportStore store,
      Specs specs,
      Updates updates,
      Optional<AnonymousParts> anonymous,
      BooleanSupplier caughtUp,
      BooleanSupplier reachable) {
    LimitSettings limits = config.limits();
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, LEAST_THREADS);
    threads.setName("gateway");
    server = new Server(threads);
    ApiEndpoints api =
        ApiEndpoints.of(
            new ApiEndpoints.ReportParts(tokens, pepper, check, store),
            new ApiEndpoints.Models(specs, updates, caughtUp),
            anonymous,
            limits,
            threads,
            scheduler,
            drain);
    metrics = new GatewayMetrics(api.concurrent(), api.bytes(), api.waiting(), reachable);
    byte[] openApi = Resources.read(OPENAPI);

    Map<Route, Consumer<Exchange>> endpoints = new EnumMap<>(api.endpoints());
    endpoints.put(
        Route.GET_OPENAPI, exchange -> exchange.answer(HttpStatus.OK_200, Exchange.JSON, openApi));
    endpoints.put(Route.GET_METRICS, metrics::handle);
    endpoints.put(
        Route.GET_HEALTH,
        exchange -> exchange.answer(HttpStatus.OK_200, Exchange.JSON, "{}".getBytes(UTF_8)));
    endpoints.put(Route.GET_READINESS, exchange -> readiness(exchange, caughtUp, reachable));

    RateLimits addresses = new RateLimits(limits.address());
    Handler router = new Router(endpoints, addresses, config.listen().proxy(), drain);
    Handler gateway = withOrigins(config.origins(), router);
    Optional<WatchAccess> access = config.watch().map(GatewayServer::access);
    feed = config.watch().map(watch -> feed(config, watch));
    watch = feed.map(read -> new WatchHandler(PAGE, read, access.orElseThrow(), scheduler));
    // No other origin may read the page.
    connections =
        new Connections(
            watch
                .<Handler>map(
                    page ->
                        new Handler.Sequence(
                            new LimitedPage(page, addresses, config.listen().proxy()), gateway))
                .orElse(gateway));
    server.setHandler(connections);
    server.setErrorHandler(GatewayServer::fail);
    server.setRequestLog(this::log);
    secure = config.listen().tls().isPresent();
    connector = connector(config.listen(), limits);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(limits.connections(), connector));
    longestReport = limits.bodyTime().plus(config.timeout()).plus(ANSWER);
    start();
    // Sweeping fails only together with the server.
    Future<?> unused =
        scheduler.scheduleWithFixedDelay(
            () -> connections.sweep(connector, limits.idle()),
            SWEEP.toMillis(),
            SWEEP.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private ServerConnector connector(ListenSettings listen, LimitSettings limits) {
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
          scheduler.scheduleWithFixedDelay(
              files::reload, TLS_RELOAD.toMillis(), TLS_RELOAD.toMillis(), TimeUnit.MILLISECONDS);
    }
    ServerConnector result = new ServerConnector(server, factories);
    result.setHost(listen.address().getHostAddress());
    result.setPort(listen.port());
    result.setAcceptQueueSize(ACCEPT_QUEUE);
    result.setIdleTimeout(limits.idle().toMillis());
    // The server would apply a shorter one to requests at work, too, when it stops.
    result.setShutdownIdleTimeout(limits.idle().toMillis());
    return result;
  }

  /** The server, to which a test adds a connector without a network. */
  Server server() {
    return server;
  }

  private void start() {
    try {
      server.start();
    } catch (Exception e) {
      scheduler.shutdownNow();
      feed.ifPresent(WatchFeed::close);
      throw new IllegalStateException(
          "Can't listen on %s, port %d: %s"
              .formatted(connector.getHost(), connector.getPort(), e.getMessage()),
          e);
    }
  }

  private static WatchFeed feed(GatewayConfig config, WatchSettings watch) {
    WatchFeed feed = new WatchFeed("Croupier", "");
    feed.follow(config.kafka(), watch.topics());
    return feed;
  }

  private static WatchAccess access(WatchSettings watch) {
    return watch
        .token()
        .map(file -> WatchAccess.withToken(AdminToken.read(file)))
        .orElseGet(WatchAccess::loopback);
  }

  private static Handler withOrigins(Set<String> origins, Handler handler) {
    if (origins.isEmpty()) {
      return handler;
    }
    CrossOriginHandler crossOrigin = new CrossOriginHandler();
    crossOrigin.setAllowedOriginPatterns(
        origins.stream().map(Pattern::quote).collect(Collectors.toSet()));
    crossOrigin.setAllowedMethods(Set.of("GET", "HEAD", "POST"));
    crossOrigin.setAllowedHeaders(
        Set.of("Authorization", "Content-Type", "Accept", "If-None-Match", "Last-Event-ID"));
    crossOrigin.setExposedHeaders(Set.of("ETag", "Retry-After"));
    crossOrigin.setAllowCredentials(false);
    crossOrigin.setHandler(handler);
    return crossOrigin;
  }

  private void readiness(Exchange exchange, BooleanSupplier caughtUp, BooleanSupplier reachable) {
    JsonObject state = new JsonObject();
    state.addProperty("kafka", reachable.getAsBoolean());
    state.addProperty("caughtUp", caughtUp.getAsBoolean());
    state.addProperty("stopping", drain.hasBegun());
    boolean ready = reachable.getAsBoolean() && caughtUp.getAsBoolean() && !drain.hasBegun();
    exchange.answer(
        ready ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503,
        Exchange.JSON,
        state.toString().getBytes(UTF_8));
  }

  /** Answers a request that the server itself refuses, such as one that is no HTTP. */
  private static boolean fail(Request request, Response response, Callback callback) {
    Router.HEADERS.forEach(response.getHeaders()::put);
    JsonObject document = new JsonObject();
    document.addProperty("type", "about:blank");
    document.addProperty("title", HttpStatus.getMessage(response.getStatus()));
    document.addProperty("status", response.getStatus());
    new Exchange(
            request, response, callback, new Route.Match(Route.GET_HEALTH, ""), "", () -> false)
        .answer(
            response.getStatus(),
            io.croupier.gateway.problem.ProblemDocument.MEDIA_TYPE,
            document.toString().getBytes(UTF_8));
    return true;
  }

  /** Logs and counts a request by its route: a path may contain what its sender likes. */
  private void log(Request request, Response response) {
    Object route = request.getAttribute(Router.ROUTE);
    String name = route instanceof Route known ? known.template() : GatewayMetrics.OTHER;
    String method = route instanceof Route known ? known.method() : "-";
    long nanos = Exchange.nanos(request);
    metrics.count(name, response.getStatus(), nanos);
    if (ACCESS.isInfoEnabled()) {
      ACCESS.info(
          "{} {} {} {} bytes in {} ms",
          method,
          name,
          response.getStatus(),
          Response.getContentBytesWritten(response),
          Math.round(nanos * MILLIS));
    }
  }

  /** Where the server listens. */
  public URI address() {
    return URI.create(
        "%s://%s:%d"
            .formatted(
                secure ? "https" : "http", host(connector.getHost()), connector.getLocalPort()));
  }

  private static String host(String address) {
    return address.contains(":") ? "[" + address + "]" : address;
  }

  /**
   * Stops the server. It accepts no more connections, ends the requests that wait for updates, and
   * answers those that it has received, before it stops: a report within the times that the
   * configuration allows for its body and for Kafka.
   */
  @Override
  public void close() {
    try {
      drain();
    } finally {
      stop();
    }
  }

  private void drain() {
    drain.begin();
    watch.ifPresent(WatchHandler::endStreams);
    try {
      if (!connections.drain(connector, longestReport)) {
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
      scheduler.shutdownNow();
      feed.ifPresent(WatchFeed::close);
    }
  }
}
