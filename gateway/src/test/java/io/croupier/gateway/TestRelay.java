package io.croupier.gateway;

import com.sun.net.httpserver.Headers;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpStatus;

/**
 * A relay of Oblivious HTTP (RFC 9458), which another organisation would run: it forwards the
 * bodies of encapsulated requests to one gateway, and nothing else of a request. Pages of every
 * origin may use it.
 */
public final class TestRelay implements AutoCloseable {
  private static final String PATH = "/v1/ohttp";

  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final URI gateway;

  /** Starts a relay in front of the gateway with this base. */
  public TestRelay(URI gateway) throws IOException {
    this.gateway = gateway.resolve(PATH);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(PATH, this::relay);
    server.start();
  }

  /** Where devices send encapsulated requests. */
  public URI address() {
    return URI.create("http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), PATH));
  }

  private void relay(HttpExchange exchange) throws IOException {
    try (exchange) {
      Headers header = exchange.getResponseHeaders();
      header.set("Access-Control-Allow-Origin", "*");
      header.set("Access-Control-Allow-Headers", "Content-Type");
      if (exchange.getRequestMethod().equals("OPTIONS")) {
        exchange.sendResponseHeaders(HttpStatus.NO_CONTENT_204, -1);
        return;
      }
      HttpRequest request =
          HttpRequest.newBuilder(gateway)
              .header("Content-Type", "message/ohttp-req")
              .POST(BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
              .build();
      try {
        HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
        answer
            .headers()
            .firstValue("Content-Type")
            .ifPresent(type -> header.set("Content-Type", type));
        exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
        exchange.getResponseBody().write(answer.body());
      } catch (IOException e) {
        exchange.sendResponseHeaders(HttpStatus.BAD_GATEWAY_502, -1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
