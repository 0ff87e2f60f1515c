package io.croupier.cli.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.cli.InputException;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a gateway's API that a device under test needs, on 127.0.0.1 for programs of this
 * machine: the model, reports, and under {@code /trial/next} the next task. Pages that this machine
 * serves may use it, too. It holds no data of people.
 */
final class TrialServer implements AutoCloseable {
  private static final Pattern LOCAL =
      Pattern.compile("http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?");

  private static final Pattern AFTER = Pattern.compile("(?:^|&)after=(\\d+)");
  private static final int LONGEST_BODY = 1 << 20;

  /** Answers to polls; a device has a few connections. */
  private static final int THREADS = 8;

  private static final int POLL_MS = 20;
  private static final int MOST_POLLS = 250;

  static {
    // Otherwise each answer may wait 40 ms for an acknowledgement. Read when the server's class is
    // loaded.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final DeviceTrial trial;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Starts to serve.
   *
   * @param port 0 for any free one
   */
  TrialServer(DeviceTrial trial, int port) {
    this.trial = trial;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new InputException("Port %d can't be served: %s".formatted(port, e.getMessage()), e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** The base of the API. */
  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Waits until the device has asked for a task after the last one. */
  void await() throws InterruptedException {
    ended.await();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String origin = exchange.getRequestHeaders().getFirst("Origin");
      if (origin != null && LOCAL.matcher(origin).matches()) {
        exchange.getResponseHeaders().set("Access-Control-Allow-Origin", origin);
        exchange.getResponseHeaders().set("Access-Control-Allow-Headers", "*, Authorization");
        exchange.getResponseHeaders().set("Access-Control-Expose-Headers", "*");
      }
      try {
        answer(exchange);
      } catch (ProblemException e) {
        ProblemDocument problem = e.problem();
        problem
            .retryAfter()
            .ifPresent(
                time ->
                    exchange
                        .getResponseHeaders()
                        .set("Retry-After", String.valueOf(time.toSeconds())));
        send(exchange, problem.type().status(), ProblemDocument.MEDIA_TYPE, problem.json());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException, InterruptedException {
    String path = exchange.getRequestURI().getPath();
    String method = exchange.getRequestMethod();
    if (method.equals("OPTIONS")) {
      exchange.sendResponseHeaders(204, -1);
    } else if (path.equals("/trial/next")) {
      String task = task();
      send(exchange, 200, "application/json", task.getBytes(UTF_8));
      exchange.close();
      if (task.contains("\"done\":true")) {
        ended.countDown();
      }
    } else if (path.equals("/v1/reports") && method.equals("POST")) {
      take(exchange);
    } else if (path.equals("/v1/models/" + trial.model().spec().getModelId())) {
      serve(exchange);
    } else {
      throw new ProblemException(
          ProblemType.NOT_FOUND, "a test of devices doesn't serve this path");
    }
  }

  /** The next task, which names everything that the device needs. */
  private String task() {
    JsonObject json = new JsonObject();
    trial
        .next()
        .ifPresentOrElse(
            task -> {
              json.addProperty("done", false);
              json.addProperty("person", task.person());
              json.addProperty("token", task.person());
              json.addProperty("key", task.key());
              json.addProperty("epsilon", trial.epsilon());
              if (task.step() == DeviceTrial.TrialStep.LIMIT) {
                json.addProperty("limit", trial.limit());
              }
              json.addProperty("model", trial.model().spec().getModelId());
              Map<String, Object> row = trial.model().row(task.isFirst());
              json.add("row", new Gson().toJsonTree(row));
              json.add(
                  "categories", new Gson().toJsonTree(trial.model().categories(task.isFirst())));
            },
            () -> json.addProperty("done", true));
    return json.toString();
  }

  private void take(HttpExchange exchange) throws IOException {
    String token = exchange.getRequestHeaders().getFirst("Authorization");
    byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY);
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    String person = token == null ? "" : token.replaceFirst("^Bearer ", "");
    trial.take(person, body, type != null && type.startsWith("application/json"));
    String position = "{\"topic\":\"trial\",\"partition\":0,\"offset\":0}";
    send(exchange, 202, "application/json", position.getBytes(UTF_8));
  }

  private void serve(HttpExchange exchange) throws IOException, InterruptedException {
    String query = exchange.getRequestURI().getQuery();
    Matcher after = AFTER.matcher(query == null ? "" : query);
    ServedModel newest = trial.newest();
    if (after.find()) {
      long known = Long.parseLong(after.group(1));
      for (int polls = 0; newest.round() <= known && polls < MOST_POLLS; polls++) {
        Thread.sleep(POLL_MS);
        newest = trial.newest();
      }
      if (newest.round() <= known) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
    }
    exchange.getResponseHeaders().set("ETag", '"' + newest.tag() + '"');
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    boolean isProtobuf = accept != null && accept.startsWith("application/x-protobuf");
    send(
        exchange,
        200,
        isProtobuf ? "application/x-protobuf" : "application/json",
        isProtobuf ? newest.protobuf() : newest.json());
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
