package io.croupier.gateway.identity;

import static io.croupier.gateway.Condition.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.croupier.gateway.LogLines;
import io.croupier.gateway.config.IssuerSettings.Discovery;
import io.croupier.gateway.config.IssuerSettings.KeyUrl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(600)
class KeyUrlSourceTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final AtomicInteger fetches = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private HttpServer server;
  private volatile HttpHandler answer;
  private KeyUrlSource source;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(executor);
    server.createContext(
        "/",
        exchange -> {
          fetches.incrementAndGet();
          try (exchange) {
            answer.handle(exchange);
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    ended.countDown();
    if (source != null) {
      source.close();
    }
    server.stop(0);
    executor.shutdownNow();
  }

  private static KeyUrlSource.Times times(
      Duration refresh, Duration retry, Duration fresh, Duration keep, Duration patience) {
    return new KeyUrlSource.Times(refresh, retry, fresh, keep, patience);
  }

  private void fetch(KeyUrlSource.Times times) throws Exception {
    source = new KeyUrlSource(KeyUrl.of(address("/")), times);
  }

  private String address(String path) {
    return "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
  }

  private static JWK key(String id) throws Exception {
    return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
  }

  private static HttpHandler keys(JWK... keys) {
    return text(new JWKSet(List.of(keys)).toPublicJWKSet().toString());
  }

  private static HttpHandler text(String text) {
    byte[] body = text.getBytes(UTF_8);
    return exchange -> {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    };
  }

  /** Accepts the request, and never answers. */
  private void hang(HttpExchange exchange) {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a byte now and then, without end. */
  private void trickle(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    try {
      while (!ended.await(20, TimeUnit.MILLISECONDS)) {
        exchange.getResponseBody().write(' ');
        exchange.getResponseBody().flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<JWK> get(String id) throws Exception {
    long begun = System.nanoTime();
    try {
      return source.get(new JWKSelector(new JWKMatcher.Builder().keyID(id).build()), null);
    } finally {
      // Far less than the time of any fetch: nothing waits.
      assertThat(System.nanoTime() - begun).isLessThan(PATIENCE.dividedBy(2).toNanos());
    }
  }

  private boolean has(String id) throws Exception {
    try {
      return !get(id).isEmpty();
    } catch (JWKSetUnavailableException e) {
      return false;
    }
  }

  private boolean isUnavailable(String id) throws Exception {
    try {
      get(id);
      return false;
    } catch (JWKSetUnavailableException e) {
      return true;
    }
  }

  @Test
  void keysAreFetchedOnceForManyRequests() throws Exception {
    answer = keys(key("a"));
    fetch(times(LONG, LONG, LONG, LONG, PATIENCE));
    await(() -> has("a"));
    for (int i = 0; i < 1000; i++) {
      assertThat(get("a")).hasSize(1);
    }
    assertThat(fetches).hasValue(1);
  }

  /** The issuer may have added it since the last fetch, which was a moment ago. */
  @Test
  void anUnknownKeyIsMissingOnlyIfTheKeysWereFetchedSince() throws Exception {
    answer = keys(key("a"));
    Duration fresh = Duration.ofSeconds(1);
    long begun = System.nanoTime();
    fetch(times(LONG, Duration.ofMillis(1), fresh, LONG, PATIENCE));
    await(() -> has("a"));
    answer = keys(key("a"), key("b"));
    assertThatThrownBy(() -> get("b"))
        .isInstanceOfSatisfying(
            KeyUrlSource.UnknownKeyException.class,
            e -> assertThat(e.nextFetch()).isBetween(Duration.ZERO, fresh));
    // Many invented ones don't cause an earlier fetch.
    for (int i = 0; i < 5000; i++) {
      assertThat(has("invented" + i)).isFalse();
    }
    assertThat(isUnavailable("c")).isTrue();
    await(() -> has("b"));
    await(() -> !isUnavailable("c"));
    assertThat(has("c")).isFalse();
    assertThat(isUnavailable("d")).isTrue();
    assertThat((long) fetches.get())
        .isLessThanOrEqualTo(2 + (System.nanoTime() - begun) / fresh.toNanos());
  }

  private void discover(String issuer, String keys) throws Exception {
    HttpHandler ofKeys = keys(key("a"));
    byte[] body =
        "{\"issuer\": \"%s\", \"jwks_uri\": \"%s\"}".formatted(issuer, keys).getBytes(UTF_8);
    answer =
        exchange -> {
          if (exchange.getRequestURI().getPath().equals("/realm/keys")) {
            ofKeys.handle(exchange);
            return;
          }
          assertThat(exchange.getRequestURI().getPath())
              .isEqualTo("/realm/.well-known/openid-configuration");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
        };
    source =
        new KeyUrlSource(
            Discovery.of(address("/realm/")),
            times(LONG, Duration.ofMillis(20), LONG, LONG, PATIENCE));
  }

  @Test
  void anIssuersConfigurationNamesTheUrl() throws Exception {
    discover(address("/realm/"), address("/realm/keys"));
    await(() -> has("a"));
  }

  /** Another issuer, one without a slash, a file, and another scheme. */
  @ParameterizedTest
  @CsvSource({
    "https://other.example/, /realm/keys, issuer must be",
    "/realm, /realm/keys, issuer must be",
    "/realm/, file:///realm/keys, the configuration's jwks_uri must be an https URL",
    "/realm/, https://127.0.0.1/realm/keys, must be an https URL",
  })
  void aConfigurationOfAnotherIssuerOrSchemeIsRefused(String issuer, String keys, String reason)
      throws Exception {
    try (LogLines log = new LogLines(Level.WARN)) {
      discover(
          issuer.startsWith("/") ? address(issuer) : issuer,
          keys.startsWith("/") ? address(keys) : keys);
      await(() -> log.count("can't be fetched") > 0);
      assertThat(log.lines()).anyMatch(line -> line.contains(reason));
      assertThat(isUnavailable("a")).isTrue();
    }
  }

  @Test
  void aServerThatHangsOccupiesNoRequest() throws Exception {
    answer = this::hang;
    fetch(times(LONG, Duration.ofMillis(50), LONG, LONG, Duration.ofMillis(200)));
    for (int i = 0; i < 1000; i++) {
      assertThatThrownBy(() -> get("a")).isInstanceOf(JWKSetUnavailableException.class);
    }
    await(() -> fetches.get() >= 3);
    answer = keys(key("a"));
    await(() -> has("a"));
  }

  @Test
  void aServerThatTricklesIsLeft() throws Exception {
    answer = this::trickle;
    fetch(times(LONG, Duration.ofMillis(50), LONG, LONG, Duration.ofMillis(200)));
    await(() -> fetches.get() >= 3);
    assertThat(isUnavailable("a")).isTrue();
    answer = keys(key("a"));
    await(() -> has("a"));
  }

  @Test
  void wrongAnswersAreNoKeys() throws Exception {
    byte[] large = new byte[1 << 20];
    List<HttpHandler> wrong =
        List.of(
            exchange -> exchange.sendResponseHeaders(500, -1),
            exchange -> exchange.sendResponseHeaders(204, -1),
            text("{}"),
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              exchange.getResponseBody().write(large);
            });
    for (HttpHandler handler : wrong) {
      answer = handler;
      int before = fetches.get();
      fetch(times(LONG, Duration.ofMillis(20), LONG, LONG, PATIENCE));
      await(() -> fetches.get() >= before + 2);
      assertThat(isUnavailable("a")).isTrue();
      source.close();
    }
  }

  /** As while an issuer's server is restored: its tokens are still signed by the former keys. */
  @Test
  void keysOutliveASetWithoutKeys() throws Exception {
    answer = keys(key("a"));
    fetch(times(Duration.ofMillis(20), Duration.ofMillis(20), LONG, LONG, PATIENCE));
    await(() -> has("a"));
    try (LogLines log = new LogLines(Level.WARN)) {
      answer = text("{\"keys\": []}");
      int before = fetches.get();
      await(() -> fetches.get() >= before + 3);
      assertThat(has("a")).isTrue();
      assertThat(log.count("can't be fetched")).isEqualTo(1);
    }
  }

  /** RFC 7517, section 5: keys of kinds that a reader doesn't know are no fault of the set. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"kty\": \"AKP\", \"alg\": \"ML-DSA-44\", \"pub\": \"AAAA\"}",
        "{\"kty\": \"EC\", \"crv\": \"BP-256\", \"x\": \"AAAA\", \"y\": \"AAAA\"}",
        "{\"kty\": \"OKP\", \"crv\": \"another\", \"x\": \"AAAA\"}",
        "{\"kty\": \"RSA\"}",
      })
  void keysOfOtherKindsAreIgnored(String other) throws Exception {
    answer = text("{\"keys\": [%s, %s]}".formatted(other, key("a").toPublicJWK().toJSONString()));
    fetch(times(LONG, Duration.ofMillis(20), LONG, LONG, PATIENCE));
    await(() -> has("a") || fetches.get() > 1);
    assertThat(has("a")).isTrue();
  }

  /** The header of an answer may contain its length, or not. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void longAnswersAreNotReadToTheirEnd(long announced) throws Exception {
    try (LogLines log = new LogLines(Level.WARN)) {
      answer =
          exchange -> {
            exchange.sendResponseHeaders(200, announced);
            exchange.getResponseBody().write(new byte[(1 << 18) + 1]);
            exchange.getResponseBody().flush();
            hang(exchange);
          };
      fetch(times(LONG, LONG, LONG, LONG, PATIENCE));
      await(() -> log.count("can't be fetched") > 0);
      assertThat(log.lines()).anyMatch(line -> line.contains("has more than 262144 bytes"));
    }
  }

  /** The log's reader may use a terminal, which obeys such characters. */
  @Test
  void whatAServerSendsIsEscapedInTheLog() throws Exception {
    try (LogLines log = new LogLines(Level.WARN);
        ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      source =
          new KeyUrlSource(
              KeyUrl.of("http://127.0.0.1:" + other.getLocalPort()),
              times(LONG, LONG, LONG, LONG, PATIENCE));
      try (Socket connection = other.accept()) {
        // A connection that is closed before its request is read is reset.
        assertThat(connection.getInputStream().read(new byte[1 << 16])).isPositive();
        connection.getOutputStream().write("HTTP/1.1 \u001b[31m \u202e\r\n\r\n".getBytes(UTF_8));
        connection.getOutputStream().flush();
      }
      await(() -> log.count("can't be fetched") > 0);
      assertThat(log.lines())
          .noneMatch(line -> line.contains("\u001b") || line.contains("\u202e"))
          .anyMatch(line -> line.contains("u001b"));
    }
  }

  /** The keys outlive an outage, but not for ever; meanwhile no unknown key is refused. */
  @Tag("thorough")
  @Test
  void anOutageEndsWithFormerKeysFirst() throws Exception {
    answer = keys(key("a"));
    Duration keep = Duration.ofSeconds(5);
    fetch(
        times(
            Duration.ofMillis(100), Duration.ofMillis(20), Duration.ofMillis(50), keep, PATIENCE));
    await(() -> has("a"));
    answer = exchange -> exchange.sendResponseHeaders(503, -1);
    int before = fetches.get();
    await(() -> fetches.get() >= before + 3);
    assertThat(has("a")).isTrue();
    assertThat(isUnavailable("b")).isTrue();
    await(() -> !has("a"));
    assertThat(isUnavailable("a")).isTrue();
    answer = keys(key("b"));
    await(() -> has("b"));
    assertThat(has("a")).isFalse();
  }

  /** A token that names a newer key causes a fetch; many such tokens don't cause many. */
  @Test
  void aNewKeyIsFetchedWhenATokenNamesIt() throws Exception {
    answer = keys(key("a"));
    Duration retry = Duration.ofMillis(300);
    long begun = System.nanoTime();
    fetch(times(LONG, retry, Duration.ofMillis(1), LONG, PATIENCE));
    await(() -> has("a"));
    answer = keys(key("a"), key("b"));
    await(() -> has("b"));
    assertThat(has("a")).isTrue();
    for (int i = 0; i < 5000; i++) {
      assertThat(has("invented" + i)).isFalse();
    }
    long most = 2 + (System.nanoTime() - begun) / retry.toNanos();
    assertThat(fetches.get()).isLessThanOrEqualTo((int) most);
  }
}
