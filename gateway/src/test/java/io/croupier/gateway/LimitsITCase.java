package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Floods and slow clients. */
@Tag("ci")
class LimitsITCase extends GatewayFixture {
  private static final int DIMENSION = 2;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.update("m", DIMENSION, 0);
  }

  private static TestGateway gateway(Map<String, String> limits) throws Exception {
    return new TestGateway(sharedDirectory.resolve("gateway"), broker.kafka(), limits);
  }

  /** Connections that end with their test. */
  private static final class Sockets implements AutoCloseable {
    private final List<Socket> open = new ArrayList<>();

    Socket add(Socket socket) {
      open.add(socket);
      return socket;
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private static HttpRequest report(TestGateway gateway, String user, long sequence) {
    return gateway.post(
        gateway.issuer.token(user),
        "application/x-protobuf",
        Reports.grid("m", DIMENSION, 0, sequence).build().toByteArray());
  }

  private static void assertAccepted(TestGateway gateway) throws Exception {
    HttpResponse<String> response = gateway.send(report(gateway, "ada", 1));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
  }

  @Test
  void aFloodOfOneUserStopsAtItsLimitAndDelaysNoOther() throws Exception {
    int burst = 20;
    int flood = 300;
    try (TestGateway gateway =
        gateway(
            Map.of("limits.user.burst", String.valueOf(burst), "limits.user.per-minute", "1"))) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < flood; i++) {
        answers.add(
            gateway.client.sendAsync(report(gateway, "mallory", i), BodyHandlers.ofString()));
      }
      assertAccepted(gateway);
      Map<Integer, Integer> statuses = new TreeMap<>();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        HttpResponse<String> response = answer.get(120, TimeUnit.SECONDS);
        statuses.merge(response.statusCode(), 1, Integer::sum);
        if (response.statusCode() == 429) {
          assertThat(response.headers().firstValue("Retry-After")).isPresent();
        }
      }
      // More tokens come at one a minute, while the test runs.
      assertThat(statuses.get(202)).isBetween(burst, burst + 5);
      assertThat(statuses.keySet()).containsExactly(202, 429);
      String flooder = gateway.userId("mallory");
      assertThat(broker.reports().stream().filter(r -> r.getUserId().equals(flooder)))
          .hasSize(statuses.get(202));
    }
  }

  @Tag("thorough")
  @Test
  void aFloodOfOneAddressStopsAtItsLimit() throws Exception {
    try (TestGateway gateway =
        gateway(Map.of("limits.address.burst", "30", "limits.address.per-minute", "1"))) {
      Map<Integer, Integer> statuses = new TreeMap<>();
      for (int i = 0; i < 60; i++) {
        statuses.merge(gateway.status("/v1/models"), 1, Integer::sum);
      }
      assertThat(statuses.keySet()).containsExactly(200, 429);
      assertThat(statuses.get(200)).isBetween(30, 32);
      // Nor may it try other paths, such as those with a token to guess.
      assertThat(gateway.status("/none")).isEqualTo(429);
      // Load balancers ask for these.
      assertThat(gateway.status("/readyz")).isEqualTo(200);
    }
  }

  /** A refused request whose body doesn't come has its answer, and takes no place any more. */
  @Tag("thorough")
  @Test
  void anAnsweredRequestTakesNoPlace() throws Exception {
    try (TestGateway gateway = gateway(Map.of("limits.concurrent", "1"));
        Socket refused = gateway.connect()) {
      String request =
          """
          POST /v1/reports HTTP/1.1\r
          Host: a\r
          Content-Type: application/x-protobuf\r
          Content-Length: 8\r
          \r
          """;
      refused.getOutputStream().write(request.getBytes(US_ASCII));
      assertThat(status(refused)).isEqualTo("HTTP/1.1 401");
      assertAccepted(gateway);
    }
  }

  /** The server accepts no connection above its limit, so those that come then must wait. */
  @Tag("thorough")
  @Test
  void manyConnectionsMayWaitToBeAccepted() throws Exception {
    try (TestGateway gateway = gateway(Map.of("limits.connections", "2"));
        Sockets connections = new Sockets()) {
      URI address = gateway.uri("/");
      for (int i = 0; i < 500; i++) {
        Socket connection = connections.add(new Socket());
        // The operating system repeats an attempt that it dropped after a second.
        connection.connect(new InetSocketAddress(address.getHost(), address.getPort()), 900);
      }
      assertThat(connections.open).allMatch(Socket::isConnected);
    }
  }

  /** A connection above the limit is closed; one that ends makes room. */
  @Test
  void anAddressHasALimitedNumberOfConnections() throws Exception {
    int most = 4;
    try (TestGateway gateway = gateway(Map.of("limits.address.connections", String.valueOf(most)));
        Sockets sockets = new Sockets()) {
      List<Socket> open = sockets.open;
      boolean isServed = true;
      while (isServed && open.size() <= most) {
        isServed = isServed(sockets.add(gateway.connect()));
      }
      assertThat(isServed).isFalse();
      // The client that asked whether the gateway is ready may have kept its connection.
      assertThat(open.size() - 1).isBetween(most - 1, most);
      open.remove(0).close();
      await(
          () -> {
            try (Socket next = gateway.connect()) {
              return isServed(next);
            }
          });
    }
  }

  private static boolean isServed(Socket socket) throws IOException {
    try {
      socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
      return status(socket).equals("HTTP/1.1 200");
    } catch (SocketException e) {
      // The gateway has closed it.
      return false;
    }
  }

  /** Behind a proxy the last address of X-Forwarded-For counts, not what the client wrote there. */
  @Tag("thorough")
  @Test
  void aProxysClientsAreLimitedOneByOne() throws Exception {
    try (TestGateway gateway =
        gateway(
            Map.of(
                "listen.proxy",
                "true",
                "limits.address.burst",
                "5",
                "limits.address.per-minute",
                "1"))) {
      for (int i = 0; i < 5; i++) {
        String invented = "10.0.0.%d, 192.0.2.1".formatted(i);
        assertThat(gateway.status("/v1/models", "X-Forwarded-For", invented)).isEqualTo(200);
      }
      assertThat(gateway.status("/v1/models", "X-Forwarded-For", "10.0.0.9, 192.0.2.1"))
          .isEqualTo(429);
      assertThat(gateway.status("/v1/models", "X-Forwarded-For", "192.0.2.2")).isEqualTo(200);
    }
  }

  @Test
  void slowBodiesEndAndOccupyNoThread() throws Exception {
    try (TestGateway gateway =
            gateway(Map.of("limits.body-time", "3 s", "limits.concurrent", "250"));
        Sockets slow = new Sockets()) {
      // Three times as many as there are threads.
      for (int i = 0; i < 200; i++) {
        Socket socket = slow.add(gateway.connect());
        write(socket, gateway, "mallory", 1000, "x");
      }
      assertAccepted(gateway);
      for (Socket socket : slow.open) {
        assertThat(status(socket)).isEqualTo("HTTP/1.1 408");
      }
    }
  }

  private static String status(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), US_ASCII);
  }

  /** Long polls and streams of one address leave places for others. */
  @Tag("thorough")
  @Test
  void oneAddressHasOnlyItsShareOfWaitingPlaces() throws Exception {
    int share = 3;
    try (TestGateway gateway =
        gateway(Map.of("listen.proxy", "true", "limits.address.waiting", String.valueOf(share)))) {
      List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
      for (int i = 0; i < share; i++) {
        String path = i == 0 ? "/v1/models/m/events" : "/v1/models/m?after=0&wait=60";
        held.add(gateway.getAsync(path, "X-Forwarded-For", "192.0.2.1"));
      }
      await(() -> gateway.metric("croupier_gateway_requests_waiting") == share);
      for (String path : List.of("/v1/models/m/events", "/v1/models/m?after=0&wait=60")) {
        HttpResponse<String> refused = gateway.get(path, "X-Forwarded-For", "192.0.2.1");
        assertThat(refused.statusCode()).as(path).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("10");
      }
      // The address may do anything that doesn't wait, and another one may wait.
      assertThat(gateway.status("/v1/models/m", "X-Forwarded-For", "192.0.2.1")).isEqualTo(200);
      assertThat(gateway.status("/v1/models/m?after=0&wait=1", "X-Forwarded-For", "192.0.2.2"))
          .isEqualTo(304);
      assertThat(held).noneMatch(CompletableFuture::isDone);
    }
  }

  private static boolean writes(Socket socket) {
    try {
      socket.getOutputStream().write('x');
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Each byte is a sign of life to the server; the header as a whole has a limit, too. */
  @Tag("thorough")
  @Test
  void headersThatTrickleEndTheirConnection() throws Exception {
    int slow = 100;
    try (TestGateway gateway = gateway(Map.of("limits.idle", "5 s"));
        Sockets sockets = new Sockets()) {
      for (int i = 0; i < slow; i++) {
        Socket socket = sockets.add(gateway.connect());
        if (i % 2 == 0) {
          // Half of them trickle their second request.
          socket
              .getOutputStream()
              .write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
          assertThat(status(socket)).isEqualTo("HTTP/1.1 200");
        }
        socket.getOutputStream().write("GET /v1/models HTTP/1.1\r\nX-Slow: ".getBytes(US_ASCII));
      }
      int open = slow;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (open > 0) {
        assertThat(System.nanoTime()).as("%d are open", open).isLessThan(deadline);
        open = 0;
        for (Socket socket : sockets.open) {
          open += writes(socket) ? 1 : 0;
        }
        assertAccepted(gateway);
        // Much more often than the limit.
        Thread.sleep(100);
      }
    }
  }

  /** Headers alone, of a few users, as many as there are places. */
  @Tag("thorough")
  @Test
  void reportsThatDoNotArriveTakeNoPlaces() throws Exception {
    try (TestGateway gateway =
            gateway(Map.of("limits.concurrent", "4", "limits.body-time", "60 s"));
        Sockets slow = new Sockets()) {
      for (int i = 0; i < 20; i++) {
        Socket socket = slow.add(gateway.connect());
        write(socket, gateway, "mallory", 100, "x");
      }
      await(() -> gateway.metric("croupier_gateway_body_bytes") == 20);
      assertAccepted(gateway);
    }
  }

  private static void write(
      Socket socket, TestGateway gateway, String user, int length, String part) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-protobuf\r\n"
                    + "Authorization: Bearer "
                    + gateway.issuer.token(user)
                    + "\r\nContent-Length: "
                    + length
                    + "\r\n\r\n"
                    + part)
                .getBytes(US_ASCII));
  }

  /** 1 MB of values that the parser reads slowly, many times, of one account. */
  @Tag("thorough")
  @Test
  void aFloodOfLargeJsonDelaysNoOtherUser() throws Exception {
    int flood = 60;
    byte[] large =
        ("{\"modelId\":\"m\",\"round\":\"0\",\"sequence\":\"1\",\"grid\":{\"values\":[1"
                + ",1".repeat(450_000)
                + "]},\"l2Laplace\":{\"epsilon\":1}}")
            .getBytes(US_ASCII);
    try (TestGateway gateway =
        gateway(Map.of("limits.user.burst", "60", "limits.user.per-minute", "60"))) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      String mallory = gateway.issuer.token("mallory");
      for (int i = 0; i < flood; i++) {
        answers.add(
            gateway.client.sendAsync(
                gateway.post(mallory, "application/json", large), BodyHandlers.ofString()));
      }
      byte[] small =
          JsonFormat.printer().print(Reports.grid("m", DIMENSION, 0, 1)).getBytes(US_ASCII);
      HttpResponse<String> other =
          gateway.client.send(
              HttpRequest.newBuilder(gateway.uri("/v1/reports"))
                  .timeout(Duration.ofSeconds(20))
                  .header("Authorization", "Bearer " + gateway.issuer.token("ada"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofByteArray(small))
                  .build(),
              BodyHandlers.ofString());
      assertThat(other.statusCode()).as(other.body()).isEqualTo(202);
      Map<Integer, Integer> statuses = new TreeMap<>();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        statuses.merge(answer.get(120, TimeUnit.SECONDS).statusCode(), 1, Integer::sum);
      }
      // Each counts as 14 reports; those that aren't refused for that have another dimension.
      assertThat(statuses.get(422)).isBetween(1, 6);
      assertThat(statuses.keySet()).containsExactly(422, 429);
    }
  }

  @Tag("thorough")
  @Test
  void tooManyReportsAtTheSameTimeAreRefused() throws Exception {
    try (TestGateway gateway =
        gateway(
            Map.of("limits.concurrent", "1", "limits.body", "1024", "limits.body-time", "60 s"))) {
      Socket held = hold(gateway);
      try {
        HttpResponse<String> response;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        do {
          if (held.getInputStream().available() > 0) {
            // It was refused, since it came while the other report had the place.
            held.close();
            held = hold(gateway);
          }
          response = gateway.send(report(gateway, "ada", 2));
        } while (response.statusCode() == 202 && System.nanoTime() < deadline);
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        // Reading models needs no such place.
        assertThat(gateway.status("/v1/models/m")).isEqualTo(200);
      } finally {
        held.close();
      }
    }
  }

  /** A report whose last byte doesn't come. */
  private static Socket hold(TestGateway gateway) throws IOException {
    Socket held = gateway.connect();
    write(held, gateway, "mallory", 1024, "x".repeat(1023));
    return held;
  }
}
