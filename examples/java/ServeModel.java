import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.schemas.Feature;
import io.croupier.schemas.PredictionRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Serves the newest update of a linear model over HTTP, and its predictions; a single file that java
 * runs without a build.
 */
@Command(
    name = "ServeModel",
    mixinStandardHelpOptions = true,
    description = "Serves a model's newest update as JSON, at /models/NAME. With"
        + " ?features=X,Y,..., or the values of the features that the model's spec describes, such as"
        + " ?walked=45&shift=night, it contains the prediction: what the spec's predicts states, or"
        + " without that the features times the average.")
public final class ServeModel implements Runnable {
  private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();
  private static final String PATH = "/models/";
  private static final String VECTOR = "features=";
  private static final List<String> METHODS = List.of("GET", "HEAD");

  @Option(names = "--kafka", required = true, description = "HOST:PORT of a Kafka broker")
  private String kafka;

  @Option(names = "--prefix", defaultValue = "croupier", description = "first part of the topics'"
      + " names")
  private String prefix;

  @Option(names = "--model", required = true, description = "the model's name")
  private String model;

  @Option(names = "--address", defaultValue = "127.0.0.1", description = "address to listen on")
  private InetAddress address;

  @Option(names = "--port", defaultValue = "8090", description = "port to listen on; 0: any free"
      + " port")
  private int port;

  private ModelSubscriber models;

  public static void main(String[] args) {
    int status = new CommandLine(new ServeModel()).execute(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  @Override
  public void run() {
    try {
      // Reads committed records only, since those of an unfinished transaction may be aborted.
      models = new ModelSubscriber(Map.of("bootstrap.servers", kafka), prefix + ".updates");
      HttpServer server = HttpServer.create(new InetSocketAddress(address, port), 0);
      server.setExecutor(Executors.newFixedThreadPool(4));
      server.createContext("/", this::answer);
      server.start();
      System.out.printf(
          "Serving http://%s:%d%s%s%n",
          address.getHostAddress(), server.getAddress().getPort(), PATH, model);
    } catch (IOException e) {
      System.err.printf(
          "Can't listen on %s, port %d: %s%n", address.getHostAddress(), port, e.getMessage());
      System.exit(1);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!METHODS.contains(exchange.getRequestMethod())) {
        exchange.getResponseHeaders().set("Allow", String.join(", ", METHODS));
        fail(exchange, 405, "only GET and HEAD are supported");
      } else if (!exchange.getRequestURI().getPath().equals(PATH + model)) {
        fail(exchange, 404, "not found; the only path is " + PATH + model);
      } else {
        answerWithNewest(exchange);
      }
    }
  }

  private void answerWithNewest(HttpExchange exchange) throws IOException {
    Optional<ModelSnapshot> newest;
    boolean isCaughtUp;
    try {
      newest = models.newest(model);
      isCaughtUp = models.isCaughtUp();
    } catch (IllegalStateException e) {
      Throwable cause = e.getCause();
      fail(exchange, 503, e.getMessage() + (cause == null ? "" : ": " + cause));
      return;
    }
    if (newest.isPresent()) {
      send(exchange, newest.get());
    } else if (isCaughtUp) {
      fail(exchange, 404, "model " + model + " is not published");
    } else {
      exchange.getResponseHeaders().set("Retry-After", "1");
      fail(exchange, 503, "the topic has not been read yet");
    }
  }

  private void send(HttpExchange exchange, ModelSnapshot snapshot) throws IOException {
    // Weak, since the age changes. Includes the time, since a model that was recreated repeats
    // rounds.
    String tag = "W/\"" + snapshot.round() + "-" + snapshot.publishedAtMs() + "\"";
    exchange.getResponseHeaders().set("ETag", tag);
    exchange.getResponseHeaders().set("Cache-Control", "no-cache");
    if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
      exchange.sendResponseHeaders(304, -1);
      return;
    }
    Map<String, Object> body = new TreeMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    if (query != null) {
      try {
        body.put("prediction", prediction(query, snapshot));
      } catch (IllegalArgumentException | IllegalStateException e) {
        fail(exchange, 400, e.getMessage());
        return;
      }
    }
    body.put("model", snapshot.modelId());
    body.put("round", snapshot.round());
    body.put("used", snapshot.used());
    body.put("average", snapshot.average());
    body.put("publishedAtMs", snapshot.publishedAtMs());
    models
        .staleness(snapshot)
        .map(staleness -> staleness.age())
        .map(Duration::toMillis)
        .ifPresent(age -> body.put("ageMs", age));
    send(exchange, 200, body);
  }

  /**
   * A probability, a class or a number, if the spec states what the model predicts. Otherwise the
   * vector times the average: the features themselves, or, if a spec describes them, by name.
   */
  private static Object prediction(String query, ModelSnapshot snapshot) {
    if (snapshot.predicts().isPresent()) {
      if (query.startsWith(VECTOR)) {
        throw new IllegalArgumentException(
            "the model predicts %s; the query must have the values of its features by name"
                .formatted(PredictionRules.inWords(snapshot.predicts().get())));
      }
      return snapshot.predict(row(query, snapshot.features().list()));
    }
    double[] average = snapshot.average();
    double[] x =
        query.startsWith(VECTOR)
            ? vector(query, average.length)
            : snapshot.features().vector(row(query, snapshot.features().list()));
    if (x.length != average.length) {
      throw new IllegalArgumentException(
          "the features make %d values, and the model has %d weights, for several classes"
              .formatted(x.length, average.length));
    }
    double sum = 0;
    for (int j = 0; j < x.length; j++) {
      sum += average[j] * x[j];
    }
    return sum;
  }

  private static double[] vector(String query, int length) {
    double[] x = {};
    try {
      x =
          Stream.of(query.substring(VECTOR.length()).split(",", -1))
              .mapToDouble(Double::parseDouble)
              .filter(Double::isFinite)
              .toArray();
    } catch (NumberFormatException e) {
      // It has too few numbers then.
    }
    if (x.length != length) {
      throw new IllegalArgumentException(
          "the query must be features= and %d finite numbers, separated by commas"
              .formatted(length));
    }
    return x;
  }

  /** The values of a query such as walked=45&shift=night, of the types that the features take. */
  private static Map<String, Object> row(String query, List<Feature> features) {
    Map<String, Object> row = new HashMap<>();
    for (String part : query.split("&")) {
      String[] pair = part.split("=", 2);
      row.put(decoded(pair[0]), pair.length == 2 ? decoded(pair[1]) : "");
    }
    if (features.isEmpty()) {
      throw new IllegalArgumentException(
          "the model's spec describes no features; the query must be features=X,Y,...");
    }
    for (Feature feature : features) {
      row.computeIfPresent(feature.getName(), (name, value) -> typed(feature, (String) value));
    }
    return row;
  }

  /** A text of another kind stays one, which the features refuse. */
  private static Object typed(Feature feature, String text) {
    try {
      return switch (feature.getKindCase()) {
        case RANGE, MOMENTS -> Double.valueOf(text);
        case YES_NO -> Map.<String, Object>of("true", true, "false", false).getOrDefault(text, text);
        default -> text;
      };
    } catch (NumberFormatException e) {
      return text;
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private static void fail(HttpExchange exchange, int status, String why) throws IOException {
    send(exchange, status, Map.of("error", why));
  }

  private static void send(HttpExchange exchange, int status, Map<String, ?> body)
      throws IOException {
    byte[] json = (JSON.toJson(body) + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    if (exchange.getRequestMethod().equals("HEAD")) {
      // Without a body, the server doesn't set the length.
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(json.length));
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, json.length);
      exchange.getResponseBody().write(json);
    }
  }
}
