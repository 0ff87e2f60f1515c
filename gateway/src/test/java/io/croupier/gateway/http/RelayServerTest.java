package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.gateway.LogLines;
import io.croupier.gateway.TestCertificates;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.config.ListenSettings;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a relay lets through, in both directions, between real connections. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RelayServerTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final byte[] BODY = "x".repeat(2615).getBytes(UTF_8);

  /** A request as the gateway gets it; names of the header are in small letters. */
  private record Received(String line, Map<String, List<String>> header, ByteString body) {}

  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private HttpServer gateway;
  private RelayServer relay;

  @BeforeEach
  void start() throws IOException {
    gateway = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
    gateway.setExecutor(threads);
    gateway.createContext("/", this::handle);
    gateway.start();
    relay = new RelayServer(new ListenSettings(LOOPBACK, 0, Optional.empty(), false), gateway());
  }

  private URI gateway() {
    return URI.create("http://127.0.0.1:%d/base/".formatted(gateway.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    relay.close();
    gateway.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, List<String>> header = new TreeMap<>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> header.put(name.toLowerCase(Locale.ROOT), values));
      received.add(
          new Received(
              exchange.getRequestMethod() + " " + exchange.getRequestURI(),
              header,
              ByteString.readFrom(exchange.getRequestBody())));
      byte[] body = "an answer".getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "message/ohttp-res");
      exchange.getResponseHeaders().set("Set-Cookie", "a=b");
      exchange.getResponseHeaders().set("X-Tag", "t");
      exchange.getResponseHeaders().set("Retry-After", "7");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(relay.address())
        .header("Content-Type", "message/ohttp-req")
        .POST(BodyPublishers.ofByteArray(BODY));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void onlyTheBodyReachesTheGateway() throws Exception {
    assertThat(
            send(request()
                    .header("X-Forwarded-For", "203.0.113.9")
                    .header("Forwarded", "for=203.0.113.9")
                    .header("Cookie", "id=adalovelace")
                    .header("Authorization", "Bearer adalovelace")
                    .header("User-Agent", "adasphone")
                    .header("Accept-Language", "en-GB"))
                .statusCode())
        .isEqualTo(200);
    Received request = received.get(0);
    assertThat(request.line).isEqualTo("POST /base/v1/ohttp");
    assertThat(request.body.toByteArray()).isEqualTo(BODY);
    Set<String> names = new TreeSet<>(request.header.keySet());
    // The connection's own, which the relay's client sets.
    names.removeAll(Set.of("host", "content-length", "connection"));
    assertThat(names).containsExactly("content-type", "user-agent");
    assertThat(request.header).containsEntry("content-type", List.of("message/ohttp-req"));
    assertThat(request.header).containsEntry("user-agent", List.of("croupier-relay"));
  }

  @Test
  void onlyTheAnswerComesBack() throws Exception {
    status = 503;
    HttpResponse<String> answered = send(request());
    assertThat(answered.statusCode()).isEqualTo(503);
    assertThat(answered.body()).isEqualTo("an answer");
    assertThat(answered.headers().firstValue("Content-Type")).hasValue("message/ohttp-res");
    assertThat(answered.headers().firstValue("Retry-After")).hasValue("7");
    assertThat(answered.headers().map()).doesNotContainKeys("set-cookie", "x-tag");
  }

  @Test
  void otherRequestsEndHere() throws Exception {
    URI other = relay.address().resolve("/v1/anonymous-reports");
    List<HttpResponse<String>> answers = new ArrayList<>();
    answers.add(send(request().uri(other)));
    answers.add(send(request().uri(relay.address().resolve("/"))));
    answers.add(send(HttpRequest.newBuilder(relay.address())));
    assertThat(answers).allSatisfy(it -> assertThat(it.statusCode()).isEqualTo(404));
    assertThat(answers).allSatisfy(it -> assertThat(it.body()).contains("POST /v1/ohttp alone"));
    for (int length : new int[] {0, 2614, 2616}) {
      HttpResponse<String> answered =
          send(request().POST(BodyPublishers.ofByteArray(new byte[length])));
      assertThat(answered.statusCode()).isEqualTo(400);
      assertThat(answered.body()).contains("must be 2615");
    }
    assertThat(send(request().setHeader("Content-Type", "text/plain")).statusCode()).isEqualTo(415);
    assertThat(received).isEmpty();
  }

  /** The log names what failed, and no sender. */
  @Test
  void aGatewayAwayIsAnErrorOfOneSentence() throws Exception {
    gateway.stop(0);
    try (LogLines log = new LogLines(Level.INFO)) {
      HttpResponse<String> answered = send(request());
      assertThat(answered.statusCode()).isEqualTo(503);
      assertThat(answered.headers().firstValue("Retry-After")).hasValue("5");
      assertThat(answered.body()).contains("\"detail\":\"the gateway did not answer the relay\"");
      assertThat(log.lines())
          .contains(
              "%s The gateway did not answer: %s"
                  .formatted(RelayServer.class.getName(), ConnectException.class.getName()));
    }
  }

  @Test
  void requestsAreNotLogged() throws Exception {
    try (LogLines log = new LogLines(Level.INFO)) {
      assertThat(send(request()).statusCode()).isEqualTo(200);
      assertThat(log.lines()).noneMatch(line -> line.contains("croupier"));
    }
  }

  /** The log would else grow by a line for each request of every device. */
  @Test
  void anOutageIsOneLineAMinute() throws Exception {
    gateway.stop(0);
    AtomicLong nanos = new AtomicLong(-5);
    try (LogLines log = new LogLines(Level.INFO);
        RelayServer own = relay(32, Duration.ofMinutes(1), Duration.ofMinutes(1), nanos::get)) {
      HttpRequest.Builder request = request().uri(own.address());
      for (int second : new int[] {0, 0, 30, 59}) {
        nanos.set(Duration.ofSeconds(second).toNanos());
        assertThat(send(request).statusCode()).isEqualTo(503);
      }
      assertThat(log.count("did not answer")).isEqualTo(1);
      for (int second : new int[] {60, 61}) {
        nanos.set(Duration.ofSeconds(second).toNanos());
        assertThat(send(request).statusCode()).isEqualTo(503);
      }
      assertThat(log.count("did not answer")).isEqualTo(2);
    }
  }

  /** A relay with limits of its own, which takes addresses from X-Forwarded-For. */
  private RelayServer relay(int places, Duration bodyTime, Duration answer, LongSupplier nanos) {
    Rate fast = new Rate(1_000_000, 1_000_000);
    Duration idle = Duration.ofMinutes(1);
    return new RelayServer(
        new ListenSettings(LOOPBACK, 0, Optional.empty(), true),
        gateway(),
        new LimitSettings(
            2615, bodyTime, idle, 1000, places, 0, Duration.ZERO, fast, fast, 0, 1000),
        answer,
        nanos);
  }

  /** Others are served while the requests of an address wait for the gateway. */
  @Test
  void anAddressHasASixteenthOfThePlaces() throws Exception {
    CountDownLatch arrived = new CountDownLatch(2);
    CountDownLatch held = new CountDownLatch(1);
    hold(arrived, held);
    try (RelayServer own =
        relay(32, Duration.ofMinutes(1), Duration.ofMinutes(1), System::nanoTime)) {
      List<CompletableFuture<HttpResponse<String>>> pending = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        pending.add(client.sendAsync(from(own, "203.0.113.9"), BodyHandlers.ofString()));
      }
      arrived.await();
      HttpResponse<String> third = client.send(from(own, "203.0.113.9"), BodyHandlers.ofString());
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("Retry-After")).hasValue("10");
      pending.add(client.sendAsync(from(own, "203.0.113.10"), BodyHandlers.ofString()));
      held.countDown();
      for (CompletableFuture<HttpResponse<String>> answered : pending) {
        assertThat(answered.get().statusCode()).isEqualTo(200);
      }
      assertThat(client.send(from(own, "203.0.113.9"), BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
    }
  }

  private static HttpRequest from(RelayServer own, String address) {
    return HttpRequest.newBuilder(own.address())
        .header("Content-Type", "message/ohttp-req")
        .header("X-Forwarded-For", address)
        .POST(BodyPublishers.ofByteArray(BODY))
        .build();
  }

  @Test
  void aBodyThatStallsIsGivenUp() throws Exception {
    try (RelayServer own =
        relay(32, Duration.ofMillis(200), Duration.ofMinutes(1), System::nanoTime)) {
      assertThat(answerToHalfABody(own)).startsWith("HTTP/1.1 408 ").contains("within 200 ms");
    }
    assertThat(received).isEmpty();
  }

  /** The same with the relay's own limit, 10 s. */
  @Tag("ci")
  @Test
  void aBodyHasTenSeconds() throws Exception {
    long begin = System.nanoTime();
    assertThat(answerToHalfABody(relay)).startsWith("HTTP/1.1 408 ").contains("within 10000 ms");
    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofSeconds(9).toNanos());
    assertThat(received).isEmpty();
  }

  /** What the relay answers to a request that begins and never ends. */
  private static String answerToHalfABody(RelayServer own) throws IOException {
    try (Socket socket = new Socket(LOOPBACK, own.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              ("POST /v1/ohttp HTTP/1.1\r\nHost: a\r\nContent-Type: message/ohttp-req\r\n"
                      + "Content-Length: 2615\r\n\r\nhalf")
                  .getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void anAnswerThatStallsIsGivenUp() throws Exception {
    stallAnswers();
    try (RelayServer own =
        relay(32, Duration.ofMinutes(1), Duration.ofMillis(200), System::nanoTime)) {
      assertStalled(send(request().uri(own.address())));
    }
  }

  /** The same with the relay's own limit, 20 s. */
  @Tag("thorough")
  @Test
  void anAnswerHasTwentySeconds() throws Exception {
    stallAnswers();
    long begin = System.nanoTime();
    assertStalled(send(request()));
    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofSeconds(19).toNanos());
  }

  private static void assertStalled(HttpResponse<String> answered) {
    assertThat(answered.statusCode()).isEqualTo(503);
    assertThat(answered.headers().firstValue("Retry-After")).hasValue("5");
    assertThat(answered.body()).contains("the gateway did not answer the relay");
  }

  /** The gateway sends header and first byte of its answers, and then nothing. */
  private void stallAnswers() {
    gateway.removeContext("/");
    gateway.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write('x');
          exchange.getResponseBody().flush();
        });
  }

  @Test
  void devicesReachARelayWithACertificateThatTheyTrust(@TempDir Path directory) throws Exception {
    TestCertificates.create(directory, "relay", "EC", "-ext", "san=ip:127.0.0.1");
    ListenSettings.Tls tls =
        new ListenSettings.Tls(directory.resolve("relay.pem"), directory.resolve("relay.key"));
    HttpClient trusting =
        HttpClient.newBuilder().sslContext(TestCertificates.trusting(directory, "relay")).build();
    try (RelayServer own =
        new RelayServer(new ListenSettings(LOOPBACK, 0, Optional.of(tls), false), gateway())) {
      assertThat(own.address().getScheme()).isEqualTo("https");
      HttpRequest request = request().uri(own.address()).build();
      HttpResponse<String> answered = trusting.send(request, BodyHandlers.ofString());
      assertThat(answered.statusCode()).isEqualTo(200);
      assertThat(answered.body()).isEqualTo("an answer");
      assertThat(received.get(0).body.toByteArray()).isEqualTo(BODY);
      assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
          .isInstanceOf(SSLException.class);
    }
  }

  /** Pages may send encapsulated requests to a relay of another origin. */
  @Test
  void pagesOfEveryOriginMaySend() throws Exception {
    HttpResponse<String> preflight =
        client.send(
            HttpRequest.newBuilder(relay.address())
                .method("OPTIONS", BodyPublishers.noBody())
                .header("Origin", "https://app.example")
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "content-type")
                .build(),
            BodyHandlers.ofString());
    assertThat(preflight.statusCode()).isEqualTo(204);
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods")).hasValue("POST");
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Headers"))
        .hasValue("Content-Type");
    HttpResponse<String> answered = send(request().header("Origin", "https://app.example"));
    for (HttpResponse<String> response : List.of(preflight, answered)) {
      assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).hasValue("*");
      assertThat(response.headers().map()).doesNotContainKey("access-control-allow-credentials");
    }
    assertThat(answered.headers().firstValue("Access-Control-Expose-Headers"))
        .hasValue("Retry-After");
    assertThat(received).hasSize(1);
    assertThat(received.get(0).header).doesNotContainKey("origin");
  }

  /** What the relay has received is forwarded and answered before it ends. */
  @Test
  void itEndsInOrder() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    hold(arrived, held);
    CompletableFuture<HttpResponse<String>> pending =
        client.sendAsync(request().build(), BodyHandlers.ofString());
    arrived.await();
    int port = relay.address().getPort();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(relay::close, threads);
    awaitRefusal(port);
    assertThat(pending).isNotDone();
    held.countDown();
    assertThat(pending.get().statusCode()).isEqualTo(200);
    closed.get();
  }

  /** The gateway counts what arrives, and answers it later. */
  private void hold(CountDownLatch arrived, CountDownLatch held) {
    gateway.removeContext("/");
    gateway.createContext(
        "/",
        exchange -> {
          arrived.countDown();
          try {
            held.await();
          } catch (InterruptedException e) {
            return;
          }
          handle(exchange);
        });
  }

  /** Waits until the relay takes no new connection; the class has a timeout. */
  private static void awaitRefusal(int port) throws IOException {
    while (true) {
      try (Socket connected = new Socket(LOOPBACK, port)) {
        assertThat(connected.isConnected()).isTrue();
      } catch (ConnectException e) {
        return;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  @Test
  void otherGatewaysAreRefused() {
    assertThatThrownBy(
            () ->
                new RelayServer(
                    new ListenSettings(LOOPBACK, 0, Optional.empty(), false),
                    URI.create("http://gateway.example")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must begin with https");
  }
}
