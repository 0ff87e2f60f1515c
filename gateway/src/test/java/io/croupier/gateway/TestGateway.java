package io.croupier.gateway;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A gateway on a free port, with an issuer, and a client. */
public final class TestGateway implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final TestIssuer issuer;
  final Path directory;
  final Map<String, String> settings;
  final Gateway gateway;
  final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  /** Starts a gateway and waits until it is ready. */
  public TestGateway(Path directory, Map<String, String> kafka, Map<String, String> more)
      throws Exception {
    this.directory = Files.createDirectories(directory);
    issuer = TestIssuer.COMMON;
    settings = new LinkedHashMap<>(settings(directory, kafka, issuer));
    settings.putAll(more);
    Pepper.create(directory.resolve("pepper"));
    gateway = new Gateway(GatewayConfig.of(settings, directory));
    awaitReady();
  }

  static Map<String, String> settings(Path directory, Map<String, String> kafka, TestIssuer issuer)
      throws Exception {
    issuer.jwks(directory.resolve("keys.json"));
    Map<String, String> settings = new LinkedHashMap<>();
    kafka.forEach((key, value) -> settings.put("kafka." + key, value));
    settings.put("listen.port", "0");
    settings.put("pepper.file", "pepper");
    settings.put("issuers.main.issuer", issuer.name);
    settings.put("issuers.main.audience", TestIssuer.AUDIENCE);
    settings.put("issuers.main.jwks", "keys.json");
    settings.put("limits.user.burst", "1000000");
    settings.put("limits.user.per-minute", "1000000");
    settings.put("limits.address.burst", "100000000");
    settings.put("limits.address.per-minute", "100000000");
    return settings;
  }

  private void awaitReady() throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (get("/readyz").statusCode() != 200) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the gateway does not become ready: " + get("/readyz").body());
      }
      Thread.sleep(10);
    }
  }

  URI uri(String path) {
    return gateway.address().resolve(path);
  }

  /** A connection without a request; it waits for answers for two minutes. */
  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.address().getPort());
    socket.setSoTimeout(120_000);
    return socket;
  }

  String userId(String subject) {
    return Pepper.read(directory.resolve("pepper")).userId(issuer.name, subject);
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(PATIENCE);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** The status of an answer alone. */
  int status(String path, String... headers) throws Exception {
    return get(path, headers).statusCode();
  }

  /** The answer to a request that may wait. */
  CompletableFuture<HttpResponse<String>> getAsync(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<byte[]> getBytes(String path, String... headers) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri(path)).headers(headers).timeout(PATIENCE).build(),
        BodyHandlers.ofByteArray());
  }

  HttpRequest post(String token, String type, byte[] body) {
    return HttpRequest.newBuilder(uri("/v1/reports"))
        .timeout(PATIENCE)
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", type)
        .POST(BodyPublishers.ofByteArray(body))
        .build();
  }

  HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  HttpResponse<String> protobuf(String token, byte[] body) throws Exception {
    return send(post(token, "application/x-protobuf", body));
  }

  /** The value of a metric, whose name includes its labels; 0 if there is none. */
  double metric(String name) throws Exception {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  static JsonObject json(HttpResponse<String> response) {
    return JsonParser.parseString(response.body()).getAsJsonObject();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
