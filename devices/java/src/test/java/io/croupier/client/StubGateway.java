package io.croupier.client;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server on the loopback interface that answers as a test wants. */
final class StubGateway implements AutoCloseable {
  static final Answer ACCEPTED = new Answer(202, Map.of(), ByteString.EMPTY);

  /** Closes the connection instead of an answer. */
  static final Answer NONE = new Answer(0, Map.of(), ByteString.EMPTY);

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Answer account = Answer.of(404);

  /** What to answer; may wait. */
  @FunctionalInterface
  interface Answers {
    Answer to(Received request) throws InterruptedException;
  }

  /** A request; its place counts from 0. */
  record Received(int place, String target, Map<String, List<String>> headers, ByteString body) {
    Optional<String> header(String name) {
      return headers.getOrDefault(name, List.of()).stream().findFirst();
    }
  }

  record Answer(int status, Map<String, String> headers, ByteString body) {
    static Answer of(int status) {
      return new Answer(status, Map.of(), ByteString.copyFromUtf8("no gateway"));
    }

    /** A problem document about the field dimension. */
    static Answer problem(int status) {
      String document =
          """
          {"type": "urn:croupier:problem:x", "title": "t", "status": %d,
           "detail": "dimension is 3; it must be 2",
           "errors": [{"field": "dimension", "detail": "dimension is 3"},
                      {"field": "gradient", "detail": "it must be 2"}]}
          """
              .formatted(status);
      return new Answer(
          status,
          Map.of("Content-Type", GatewayProblem.MEDIA_TYPE),
          ByteString.copyFromUtf8(document));
    }

    /** That the person is stopped. */
    static Answer stopped() {
      return new Answer(
          403,
          Map.of("Content-Type", GatewayProblem.MEDIA_TYPE),
          ByteString.copyFromUtf8(
              "{\"type\": \"urn:croupier:problem:stopped\", \"detail\": \"the person is stopped\"}"));
    }

    Answer with(String header, String value) {
      Map<String, String> more = new HashMap<>(headers);
      more.put(header, value);
      return new Answer(status, more, body);
    }
  }

  StubGateway(Answers answers) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> handle(exchange, answers));
    server.start();
  }

  private void handle(HttpExchange exchange, Answers answers) throws IOException {
    try (exchange) {
      if (exchange.getRequestURI().getPath().equals("/v1/account")) {
        asked.incrementAndGet();
        write(exchange, account);
        return;
      }
      Received request;
      synchronized (received) {
        request =
            new Received(
                received.size(),
                exchange.getRequestURI().toString(),
                exchange.getRequestHeaders(),
                ByteString.readFrom(exchange.getRequestBody()));
        received.add(request);
      }
      Answer answer;
      try {
        answer = answers.to(request);
      } catch (InterruptedException e) {
        return;
      }
      if (answer.equals(NONE)) {
        return;
      }
      write(exchange, answer);
    }
  }

  private static void write(HttpExchange exchange, Answer answer) throws IOException {
    answer.headers.forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(answer.status, answer.body.isEmpty() ? -1 : answer.body.size());
    answer.body.writeTo(exchange.getResponseBody());
  }

  /** How often an account was asked for; such requests are not among those received. */
  int asked() {
    return asked.get();
  }

  /** Answers requests for an account from now on; before, as an old gateway does. */
  void answerAccounts(Answer answer) {
    account = answer;
  }

  /** What arrived so far, in order. */
  List<Received> received() {
    return received;
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
