package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.gateway.LogLines;
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
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    relay =
        new RelayServer(
            new ListenSettings(LOOPBACK, 0, Optional.empty(), false),
            URI.create("http://127.0.0.1:%d/base/".formatted(gateway.getAddress().getPort())));
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

  /** What the relay has received is forwarded and answered before it ends. */
  @Test
  void itEndsInOrder() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
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
