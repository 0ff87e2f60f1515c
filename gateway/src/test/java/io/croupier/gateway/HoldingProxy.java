package io.croupier.gateway;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A proxy in front of a gateway that doesn't answer the first report, until it is closed. */
final class HoldingProxy implements AutoCloseable {
  private static final List<String> KEPT = List.of("Accept", "Authorization", "Content-Type");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI gateway;
  private final boolean forwards;
  private final List<ByteString> reports = new CopyOnWriteArrayList<>();
  private final CountDownLatch holding = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);

  /**
   * Starts a proxy.
   *
   * @param forwards whether the report that is not answered reaches the gateway
   */
  HoldingProxy(URI gateway, boolean forwards) throws IOException {
    this.gateway = gateway;
    this.forwards = forwards;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      ByteString body = ByteString.readFrom(exchange.getRequestBody());
      boolean isReport = exchange.getRequestMethod().equals("POST");
      boolean isHeld;
      synchronized (this) {
        isHeld = isReport && reports.isEmpty();
        if (isReport) {
          reports.add(body);
        }
      }
      if (isHeld && !forwards) {
        hold();
        return;
      }
      HttpResponse<byte[]> answer = forward(exchange, body);
      if (isHeld) {
        hold();
        return;
      }
      byte[] content = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), content.length == 0 ? -1 : content.length);
      exchange.getResponseBody().write(content);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hold() throws InterruptedException {
    holding.countDown();
    end.await();
  }

  private HttpResponse<byte[]> forward(HttpExchange exchange, ByteString body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(gateway.resolve(exchange.getRequestURI().toString()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body.toByteArray()));
    for (String name : KEPT) {
      String value = exchange.getRequestHeaders().getFirst(name);
      if (value != null) {
        request.header(name, value);
      }
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  /** Waits until the first report has arrived, and reached the gateway if it is forwarded. */
  boolean awaitHold(long seconds) throws InterruptedException {
    return holding.await(seconds, TimeUnit.SECONDS);
  }

  /** The bodies of reports so far, in order. */
  List<ByteString> reports() {
    return reports;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
