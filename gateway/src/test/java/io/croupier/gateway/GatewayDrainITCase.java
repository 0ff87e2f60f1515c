package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.identity.Pepper;
import io.croupier.schemas.GradientReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway process that SIGTERM ends: it answers what it has received, and then ends with 0. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GatewayDrainITCase {
  private static final int DEVICES = 8;
  private static final int DIMENSION = 4;
  private static final int PROBES = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Much longer than a loaded machine needs between the parts of a body. */
  private static final int BODY_SECONDS = 60;

  /** The times for a body, for Kafka, and for the answer, and some for the process itself. */
  private static final int BOUND_SECONDS = BODY_SECONDS + 15 + 2 + 30;

  @TempDir private static Path directory;
  private static TestBroker broker;
  private static GatewayProcess gateway;
  private Process process;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = new TestBroker(directory.resolve("broker"));
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.update("m", DIMENSION, 3);
    gateway =
        new GatewayProcess(
            directory.resolve("gateway"),
            broker.kafka(),
            Map.of("limits.body-time", BODY_SECONDS + " s"));
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  @BeforeEach
  void start() throws Exception {
    process = gateway.start();
    gateway.awaitReady();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static byte[] report(long sequence) {
    return Reports.grid("m", DIMENSION, 3, sequence).build().toByteArray();
  }

  private HttpRequest post(String token, long sequence) {
    return HttpRequest.newBuilder(gateway.address.resolve("/v1/reports"))
        .timeout(PATIENCE)
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/x-protobuf")
        .POST(BodyPublishers.ofByteArray(report(sequence)))
        .build();
  }

  private void assertEndsOrderly() throws Exception {
    assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).as("has ended").isTrue();
    assertThat(process.exitValue()).isZero();
  }

  /**
   * Each report is sent once. Those that have a 202 are on the topic once, where the answer said.
   * Those whose connection failed are not.
   */
  @Tag("thorough")
  @Test
  void underLoadEveryRequestThatWasReadIsAnswered() throws Exception {
    Map<String, String> positions = new ConcurrentHashMap<>();
    Map<String, String> failed = new ConcurrentHashMap<>();
    Map<Integer, AtomicInteger> statuses = new ConcurrentHashMap<>();
    List<Thread> devices = new ArrayList<>();
    for (int i = 0; i < DEVICES; i++) {
      String user = "user" + i;
      String token = gateway.issuer.token(user);
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      devices.add(
          new Thread(
              () -> {
                for (long sequence = 1; ; sequence++) {
                  String name = user + " " + sequence;
                  try {
                    HttpResponse<String> response =
                        client.send(post(token, sequence), BodyHandlers.ofString());
                    statuses
                        .computeIfAbsent(response.statusCode(), status -> new AtomicInteger())
                        .incrementAndGet();
                    if (response.statusCode() == 202) {
                      JsonObject json = JsonParser.parseString(response.body()).getAsJsonObject();
                      positions.put(name, json.get("partition") + " " + json.get("offset"));
                    }
                  } catch (IOException e) {
                    failed.put(name, e.toString());
                    // The port is closed.
                    return;
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                  }
                }
              },
              user));
    }
    devices.forEach(Thread::start);
    await(() -> positions.size() >= 200);
    long begun = System.nanoTime();
    process.destroy();
    assertEndsOrderly();
    double seconds = (System.nanoTime() - begun) * 1e-9;
    // Each device ends when it finds the port closed.
    for (Thread device : devices) {
      device.join(PATIENCE.toMillis());
      assertThat(device.isAlive()).isFalse();
    }
    Map<String, String> stored =
        stored(IntStream.range(0, DEVICES).mapToObj(i -> "user" + i).toList());
    assertThat(stored).as("failures %s", failed).isEqualTo(positions);
    assertThat(statuses.keySet()).isSubsetOf(202, 503);
    // Each device noticed that the port was closed.
    assertThat(failed).hasSize(DEVICES);
    System.out.printf(
        "SIGTERM: %d accepted, other statuses %s, %d connections refused or closed before a request"
            + " was read, ended in %.2f s%n",
        positions.size(), statuses.keySet(), failed.size(), seconds);
  }

  /** The reports of some users on the topic and where they are; each is there once. */
  private static Map<String, String> stored(List<String> users) throws Exception {
    Pepper pepper = gateway.pepper();
    Map<String, String> names = new HashMap<>();
    for (String user : users) {
      names.put(pepper.userId(gateway.issuer.name, user), user);
    }
    Map<String, String> stored = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(broker.topics().gradients())) {
      GradientReport report = GradientReport.parseFrom(record.value());
      if (!names.containsKey(report.getUserId())) {
        continue;
      }
      String name = names.get(report.getUserId()) + " " + report.getSequence();
      assertThat(stored.put(name, record.partition() + " " + record.offset()))
          .as("%s is on the topic before", name)
          .isNull();
    }
    return stored;
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address.getPort());
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static void write(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** A report whose body comes late, a poll, a stream, and connections without a request. */
  @Tag("ci")
  @Test
  void whatIsUnderWayIsAnswered() throws Exception {
    byte[] body = report(1);
    HttpClient client = HttpClient.newHttpClient();
    try (Socket report = connect();
        Socket silent = connect()) {
      write(
          report,
          """
          POST /v1/reports HTTP/1.1\r
          Host: a\r
          Content-Type: application/x-protobuf\r
          Authorization: Bearer %s\r
          Content-Length: %d\r
          \r
          """
              .formatted(gateway.issuer.token("late"), body.length)
              .getBytes(US_ASCII));
      write(report, Arrays.copyOf(body, 5));
      CompletableFuture<HttpResponse<String>> poll = get(client, "/v1/models/m?after=3&wait=60");
      CompletableFuture<HttpResponse<String>> stream = get(client, "/v1/models/m/events");
      awaitMetric("croupier_gateway_body_bytes", 5);
      awaitMetric("croupier_gateway_requests_waiting", 2);
      List<CompletableFuture<Integer>> probes = new ArrayList<>();
      CountDownLatch connected = new CountDownLatch(PROBES);
      for (int i = 0; i < PROBES; i++) {
        CompletableFuture<Integer> probe = new CompletableFuture<>();
        probes.add(probe);
        new Thread(() -> probe.complete(unready(connected))).start();
      }
      assertThat(connected.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

      process.destroy();

      assertThat(poll.get(5, TimeUnit.MINUTES).statusCode()).isEqualTo(304);
      assertThat(poll.get().headers().firstValue("Connection")).hasValue("close");
      HttpResponse<String> streamed = stream.get(5, TimeUnit.MINUTES);
      assertThat(streamed.statusCode()).isEqualTo(200);
      assertThat(streamed.body()).startsWith("event: update\nid: 3\n").doesNotContain("retired");
      List<Integer> statuses = new ArrayList<>();
      for (CompletableFuture<Integer> probe : probes) {
        statuses.add(probe.get(5, TimeUnit.MINUTES));
      }
      // A connection may also be closed between two probes.
      assertThat(statuses).contains(503).isSubsetOf(503, 0);
      // The gateway is unready a moment before its port is closed.
      awaitClosedPort();
      // A connection without a request has no claim.
      assertThat(isClosed(silent)).isTrue();
      assertThat(process.isAlive()).isTrue();

      write(report, Arrays.copyOfRange(body, 5, body.length));
      assertThat(head(new BufferedReader(new InputStreamReader(report.getInputStream(), UTF_8))))
          .startsWith("HTTP/1.1 202")
          .contains("Connection: close");
      assertEndsOrderly();
    }
    assertThat(stored(List.of("late"))).containsOnlyKeys("late 1");
  }

  private CompletableFuture<HttpResponse<String>> get(HttpClient client, String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(gateway.address.resolve(path)).build(), BodyHandlers.ofString());
  }

  private void awaitClosedPort() throws Exception {
    Condition.await(
        () -> {
          try (Socket accepted = connect()) {
            return !accepted.isConnected();
          } catch (IOException e) {
            return true;
          }
        });
  }

  /**
   * Probes readiness over one connection, until another status than 200, or 0 if it ends.
   *
   * @param connected counted down after the first 200
   */
  private int unready(CountDownLatch connected) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest probe = HttpRequest.newBuilder(gateway.address.resolve("/readyz")).build();
    boolean first = true;
    while (true) {
      try {
        int status = client.send(probe, BodyHandlers.ofString()).statusCode();
        if (status != 200) {
          return status;
        }
        if (first) {
          first = false;
          connected.countDown();
        }
      } catch (IOException e) {
        return 0;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return 0;
      }
    }
  }

  private void awaitMetric(String name, int count) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    await(() -> get(client, "/metrics").get().body().contains(name + " " + count + ".0"));
  }

  /** The status line and the headers of an answer; its body is read, too. */
  private static String head(BufferedReader answers) throws IOException {
    StringBuilder head = new StringBuilder();
    int length = 0;
    for (String line = answers.readLine(); line != null && !line.isEmpty(); ) {
      head.append(line).append('\n');
      if (line.startsWith("Content-Length: ")) {
        length = Integer.parseInt(line.substring("Content-Length: ".length()));
      }
      line = answers.readLine();
    }
    for (int i = 0; i < length; i++) {
      answers.read();
    }
    return head.toString();
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }
}
