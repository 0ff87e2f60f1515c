package io.croupier.cli;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A proxy in front of a gateway that keeps the bodies of requests, and answers all but the first.
 */
final class RecordingProxy implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI gateway;
  private final List<ByteString> bodies = new CopyOnWriteArrayList<>();

  RecordingProxy(URI gateway) throws IOException {
    this.gateway = gateway.resolve("/v1/ohttp");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/v1/ohttp", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      ByteString body = ByteString.readFrom(exchange.getRequestBody());
      synchronized (bodies) {
        bodies.add(body);
        if (bodies.size() == 1) {
          return;
        }
      }
      HttpResponse<byte[]> answer = forward(body);
      answer
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
      exchange.getResponseBody().write(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpResponse<byte[]> forward(ByteString body) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(gateway)
            .header("Content-Type", "message/ohttp-req")
            .POST(BodyPublishers.ofByteArray(body.toByteArray()))
            .build(),
        BodyHandlers.ofByteArray());
  }

  /** Sends the last request again; returns the status. */
  int repeatLast() throws IOException, InterruptedException {
    return forward(bodies.get(bodies.size() - 1)).statusCode();
  }

  /** The bodies so far, in order. */
  List<ByteString> bodies() {
    return bodies;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
