package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.config.LimitSettings;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.CrossOriginHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server. */
public final class GatewayServer implements AutoCloseable {
  private static final Logger ACCESS = LoggerFactory.getLogger("io.croupier.gateway.access");

  /** How long a client may take to read the answer to its report while the server stops. */
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private static final double MILLIS = 1e-6;
  private static final String OPENAPI = "/io/croupier/gateway/openapi.json";

  private final HttpListener listener;
  private final Duration longestReport;

  private GatewayServer(HttpListener listener, Duration longestReport) {
    this.listener = listener;
    this.longestReport = longestReport;
  }

  /**
   * Starts a server.
   *
   * @param anonymous empty if the gateway takes no anonymous reports
   * @param reachable whether the brokers answer
   * @throws IllegalArgumentException if certificate or key can't be used
   * @throws IllegalStateException if the server can't listen
   */
  public static GatewayServer start(
      GatewayConfig config,
      ReportParts reports,
      ModelParts models,
      AccountParts accounts,
      Optional<AnonymousParts> anonymous,
      BooleanSupplier reachable) {
    LimitSettings limits = config.limits();
    HttpListener listener = new HttpListener(config.listen(), limits);
    Drain drain = listener.drain();
    ApiEndpoints api =
        ApiEndpoints.of(
            reports,
            models,
            Optional.of(accounts),
            anonymous,
            limits,
            listener.threads(),
            listener.timer(),
            drain);
    GatewayMetrics metrics =
        new GatewayMetrics(api.concurrent(), api.bytes(), api.waiting(), reachable);
    byte[] openApi = Resources.read(OPENAPI);

    Map<Route, Consumer<Exchange>> endpoints = new EnumMap<>(api.endpoints());
    endpoints.put(
        Route.GET_OPENAPI, exchange -> exchange.answer(HttpStatus.OK_200, Exchange.JSON, openApi));
    endpoints.put(Route.GET_METRICS, metrics::handle);
    endpoints.put(
        Route.GET_HEALTH,
        exchange -> exchange.answer(HttpStatus.OK_200, Exchange.JSON, "{}".getBytes(UTF_8)));
    endpoints.put(
        Route.GET_READINESS, exchange -> readiness(exchange, models.caughtUp(), reachable, drain));

    RateLimits addresses = new RateLimits(limits.address().requests());
    Handler router = new Router(endpoints, addresses, config.listen().proxy(), drain);
    Handler gateway = new RefusedOrigins(config.origins(), withOrigins(config.origins(), router));
    listener.server().setRequestLog((request, response) -> log(metrics, request, response));
    listener.start(gateway);
    return new GatewayServer(
        listener, limits.bodyTime().plus(config.reports().timeout()).plus(ANSWER));
  }

  /** The server, to which a test adds a connector without a network. */
  Server server() {
    return listener.server();
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
        Set.of(
            "Authorization",
            "Content-Type",
            "Accept",
            "If-None-Match",
            "Last-Event-ID",
            "Croupier-Client"));
    crossOrigin.setExposedHeaders(Set.of("ETag", "Retry-After"));
    crossOrigin.setAllowCredentials(false);
    crossOrigin.setDeliverPreflightRequests(true);
    crossOrigin.setHandler(new Preflights(handler));
    return crossOrigin;
  }

  private static void readiness(
      Exchange exchange, BooleanSupplier caughtUp, BooleanSupplier reachable, Drain drain) {
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

  /** Logs and counts a request by its route: a path may contain what its sender likes. */
  private static void log(GatewayMetrics metrics, Request request, Response response) {
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
    return listener.address();
  }

  /**
   * Stops the server. It accepts no more connections, ends the requests that wait for updates, and
   * answers those that it has received, before it stops: a report within the times that the
   * configuration allows for its body and for Kafka.
   */
  @Override
  public void close() {
    listener.close(longestReport);
  }
}
