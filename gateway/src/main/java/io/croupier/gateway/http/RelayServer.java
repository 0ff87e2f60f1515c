package io.croupier.gateway.http;

import io.croupier.client.BoundedBody;
import io.croupier.client.GatewayAddress;
import io.croupier.client.ohttp.ObliviousExchange;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.config.ListenSettings;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay of Oblivious HTTP (RFC 9458): forwards the bodies of encapsulated requests, which it
 * can't read, to one gateway, and nothing else of a request. It logs only that the gateway doesn't
 * answer, and keeps an address for some seconds, to limit its requests.
 */
public final class RelayServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayServer.class);

  /** Those of a gateway by default, but a tenth of the requests of an address. */
  private static final LimitSettings LIMITS =
      new LimitSettings(
          ObliviousEndpoint.REQUEST_BYTES,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          10_000,
          256,
          0,
          Duration.ZERO,
          new Rate(1, 1),
          new Rate(600, 100),
          0,
          1000);

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** Longer than a gateway waits for Kafka, shorter than a device waits for the relay. */
  private static final Duration ANSWER = Duration.ofSeconds(20);

  private static final Duration SOON = Duration.ofSeconds(5);

  /** The log has at most one line about the gateway in this time. */
  private static final Duration SILENCE = Duration.ofMinutes(1);

  /** Pages of every origin may use a relay, as every app may; a request has no credentials. */
  private static final List<HttpField> CROSS_ORIGIN =
      List.of(
          new HttpField(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
          new HttpField(HttpHeader.ACCESS_CONTROL_ALLOW_METHODS, "POST"),
          new HttpField(HttpHeader.ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type"),
          new HttpField(HttpHeader.ACCESS_CONTROL_EXPOSE_HEADERS, "Retry-After"),
          new HttpField(HttpHeader.ACCESS_CONTROL_MAX_AGE, "86400"));

  /** Much more than any answer. */
  private static final int MOST_BYTES = 1 << 16;

  private final HttpListener listener;
  private final RequestBodies bodies;
  private final RateLimits addresses;
  private final boolean proxy;
  private final URI gateway;
  private final Duration answer;
  private final Duration longest;
  private final LongSupplier nanos;

  /** When the log last had a line about the gateway. */
  private final AtomicLong warned;

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT)
          .build();

  /**
   * Starts a relay.
   *
   * @param gateway base of the gateway's API, without /v1
   * @throws IllegalArgumentException if the URL, or certificate or key can't be used
   * @throws IllegalStateException if the relay can't listen
   */
  public RelayServer(ListenSettings listen, URI gateway) {
    this(listen, gateway, LIMITS, ANSWER, System::nanoTime);
  }

  RelayServer(
      ListenSettings listen,
      URI gateway,
      LimitSettings limits,
      Duration answer,
      LongSupplier nanos) {
    String base = GatewayAddress.require(gateway).toString().replaceFirst("/+$", "");
    this.gateway = URI.create(base + Route.POST_ENCAPSULATED.template());
    proxy = listen.proxy();
    this.answer = answer;
    this.nanos = nanos;
    warned = new AtomicLong(nanos.getAsLong() - SILENCE.toNanos());
    longest = limits.bodyTime().plus(CONNECT).plus(answer);
    addresses = new RateLimits(limits.address());
    listener = new HttpListener(listen, limits);
    bodies = ApiEndpoints.ofRelayedDevices(limits, listener.threads());
    listener.start(new Relaying());
  }

  private final class Relaying extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      Router.HEADERS.forEach(response.getHeaders()::put);
      CROSS_ORIGIN.forEach(response.getHeaders()::put);
      Route.Match match = new Route.Match(Route.POST_ENCAPSULATED, "");
      Exchange exchange =
          new Exchange(
              request,
              response,
              callback,
              match,
              Router.address(request, proxy),
              listener.drain()::hasBegun);
      try {
        addresses.require(exchange.address());
        String path = Request.getPathInContext(request);
        if (HttpMethod.OPTIONS.is(request.getMethod()) && path.equals(match.route().template())) {
          exchange.answer(HttpStatus.NO_CONTENT_204);
          return true;
        }
        if (!Route.of(request.getMethod(), path).equals(Optional.of(match))) {
          throw new ProblemException(
              ProblemType.NOT_FOUND,
              "a relay takes %s %s alone"
                  .formatted(match.route().method(), match.route().template()));
        }
        relay(exchange);
      } catch (RuntimeException e) {
        exchange.fail(e);
      }
      return true;
    }
  }

  private void relay(Exchange exchange) {
    ObliviousEndpoint.requireForm(exchange);
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<HttpResponse<byte[]>> unused =
        bodies
            .read(exchange, exchange.address())
            .thenCompose(this::forward)
            .whenCompleteAsync(
                (answer, failure) -> {
                  if (failure == null) {
                    answer(exchange, answer);
                  } else {
                    exchange.fail(failure);
                  }
                },
                listener.threads());
  }

  private CompletableFuture<HttpResponse<byte[]>> forward(byte[] body) {
    HttpRequest request =
        HttpRequest.newBuilder(gateway)
            .header("Content-Type", ObliviousExchange.REQUEST_TYPE)
            .header("User-Agent", "croupier-relay")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request, head -> new BoundedBody(head, MOST_BYTES));
    // The timeout of a request would end at the answer's header.
    return sent.copy()
        .orTimeout(answer.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure -> {
              boolean unused = sent.cancel(true);
              Throwable cause = failure.getCause() == null ? failure : failure.getCause();
              warn(cause);
              return CompletableFuture.failedFuture(
                  new ProblemException(
                      ProblemDocument.of(
                              ProblemType.UNAVAILABLE, "the gateway did not answer the relay")
                          .retryAfter(SOON)));
            });
  }

  private void warn(Throwable cause) {
    long now = nanos.getAsLong();
    long last = warned.get();
    if (now - last >= SILENCE.toNanos() && warned.compareAndSet(last, now)) {
      LOG.warn("The gateway did not answer: {}", cause.getClass().getName());
    }
  }

  /** Of the answer's header, only what describes the body, and when to try again. */
  private static void answer(Exchange exchange, HttpResponse<byte[]> answer) {
    answer
        .headers()
        .firstValue("Retry-After")
        .ifPresent(time -> exchange.header(HttpHeader.RETRY_AFTER, time));
    exchange.answer(
        answer.statusCode(),
        answer.headers().firstValue("Content-Type").orElse("application/octet-stream"),
        answer.body());
  }

  /** Where devices send encapsulated requests. */
  public URI address() {
    return listener.address().resolve(Route.POST_ENCAPSULATED.template());
  }

  /** Where the relay forwards them. */
  public URI gateway() {
    return gateway;
  }

  /** Answers the requests that the relay has received, and stops. */
  @Override
  public void close() {
    listener.close(longest);
  }
}
