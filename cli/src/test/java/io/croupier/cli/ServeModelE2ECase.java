package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.TextFormat;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.schemas.ModelUpdate;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example that serves a model, run with the documented command. */
class ServeModelE2ECase {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final String TOPIC = "croupier.updates";
  private static final String WALKED =
      "features { name: 'one' intercept {} } features { name: 'walked' range { to: 180 } } ";

  @TempDir private Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private URI address;

  @Tag("ci")
  @Test
  void servesTheNewestCommittedUpdate() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("kafka"))) {
      String kafka = broker.bootstrapServers();
      Process process = start(kafka);
      try (BufferedReader output = process.inputReader(UTF_8);
          Producer<byte[], byte[]> job = transactional(kafka)) {
        address = addressIn(output);
        // The topic is missing.
        assertThat(get().statusCode()).isEqualTo(503);
        assertThat(get().headers().firstValue("Retry-After")).contains("1");
        CommandRun.croupier("topics create --kafka " + kafka).succeeded();
        HttpResponse<String> missing = await(response -> response.statusCode() != 503);
        assertThat(missing.statusCode()).isEqualTo(404);

        String tag = publish(job, 3, 0.25);
        job.commitTransaction();
        HttpResponse<String> third = await(response -> response.statusCode() == 200);
        assertThat(third.body())
            .startsWith("{\"ageMs\":")
            .contains("\"average\":[0.25,-0.5],\"model\":\"demo\"", "\"round\":3,\"used\":3}");
        assertThat(third.headers().firstValue("ETag")).contains(tag);
        assertThat(third.headers().firstValue("Cache-Control")).contains("no-cache");
        assertThat(send(request().header("If-None-Match", tag).GET()).statusCode()).isEqualTo(304);
        assertAnswersHead(tag, third);
        assertPredicts();

        String aborted = publish(job, 4, 7);
        job.abortTransaction();
        publish(job, 5, 1);
        job.commitTransaction();
        List<String> seen = new ArrayList<>();
        await(
            response -> {
              seen.add(response.headers().firstValue("ETag").orElseThrow());
              return response.body().contains("\"round\":5");
            });
        assertThat(seen).doesNotContain(aborted);

        // The model is retired and created again: the round is the same, but the weights differ.
        publish(job, 3, 0.75);
        job.commitTransaction();
        await(response -> response.body().contains("\"average\":[0.75,-0.5]"));
        assertThat(send(request().header("If-None-Match", tag).GET()).statusCode()).isEqualTo(200);

        publish(job, 6, 0.75, WALKED);
        job.commitTransaction();
        await(response -> response.body().contains("\"round\":6"));
        assertPredictsByName();

        publish(job, 7, 0.75, WALKED + "predicts { label: 'fit' hinge {} }");
        job.commitTransaction();
        await(response -> response.body().contains("\"round\":7"));
        assertPredictsTheLabel();

        HttpResponse<String> post = send(request().POST(BodyPublishers.noBody()));
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("Allow")).contains("GET, HEAD");
        address = address.resolve("/models/other");
        assertThat(get().statusCode()).isEqualTo(404);
        assertThat(send(head()).statusCode()).isEqualTo(404);
      } finally {
        process.destroy();
      }
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    }
  }

  private void assertPredicts() throws Exception {
    assertThat(get("?features=2,-1").body()).contains("\"prediction\":1.0,");
    for (String wrong : List.of("1", "1,2,3", "1,a", "1,NaN", "1,")) {
      assertThat(refusal("?features=" + wrong)).contains("features= and 2 finite numbers");
    }
    assertThat(refusal("?x=1,2")).isNotEmpty();
  }

  private void assertPredictsByName() throws Exception {
    for (String right : List.of("walked=45", "name=Ada&walked=45", "features=1,-0.5")) {
      // 0.75 + 0.5 * 0.5
      assertThat(get("?" + right).body()).as(right).contains("\"prediction\":1.0,");
    }
    assertThat(refusal("?wlaked=4567"))
        .contains("feature 'walked' is missing", "no feature's: 1")
        .doesNotContain("4567");
    assertThat(refusal("?walked=far")).contains("'walked' is of another type; it must be a number");
  }

  private void assertPredictsTheLabel() throws Exception {
    assertThat(get("?walked=45").body()).contains("\"prediction\":true,");
    assertThat(refusal("?features=1,-0.5"))
        .contains("the model predicts fit, true or false, by the hinge loss; the query must have");
  }

  private HttpResponse<String> get(String query) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(address + query)));
  }

  private String refusal(String query) throws Exception {
    assertThat(get(query).statusCode()).as(query).isEqualTo(400);
    return get(query).body();
  }

  private void assertAnswersHead(String tag, HttpResponse<String> get) throws Exception {
    HttpResponse<String> head = send(head());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("ETag")).contains(tag);
    assertThat(head.headers().firstValue("Content-Type"))
        .isEqualTo(get.headers().firstValue("Content-Type"));
    // Equal except for the digits of the age.
    assertThat(head.headers().firstValueAsLong("Content-Length").orElseThrow())
        .isCloseTo(get.body().length(), within(4L));
    assertThat(send(head().header("If-None-Match", tag)).statusCode()).isEqualTo(304);
  }

  private Process start(String kafka) throws IOException {
    List<String> commands =
        Files.readAllLines(HOME.resolve("docs/build/serve.md")).stream()
            .filter(line -> line.contains("examples/java/ServeModel.java "))
            .toList();
    assertThat(commands).hasSize(1);
    List<String> command = new ArrayList<>();
    for (String word : commands.get(0).split(" ", -1)) {
      command.add(word.replace("'", "").replace("localhost:9092", kafka));
    }
    assertThat(command.get(0)).isEqualTo("java");
    command.set(0, JAVA);
    assertThat(command).endsWith("--port", "8090");
    command.set(command.size() - 1, "0");
    return new ProcessBuilder(command).directory(HOME.toFile()).redirectErrorStream(true).start();
  }

  private static URI addressIn(BufferedReader output) throws IOException {
    List<String> lines = new ArrayList<>();
    String line = output.readLine();
    while (line != null && !line.startsWith("Serving ")) {
      lines.add(line);
      line = output.readLine();
    }
    assertThat(line).as(String.join("\n", lines)).isNotNull();
    assertThat(line).startsWith("Serving http://127.0.0.1:").endsWith("/models/demo");
    return URI.create(line.substring("Serving ".length()));
  }

  private static Producer<byte[], byte[]> transactional(String kafka) {
    Producer<byte[], byte[]> producer =
        SecuredBroker.producer(Map.of("bootstrap.servers", kafka, "transactional.id", "job"));
    producer.initTransactions();
    return producer;
  }

  private static String publish(Producer<byte[], byte[]> job, long round, double average)
      throws Exception {
    return publish(job, round, average, "");
  }

  /** The ETag that the update should get. */
  private static String publish(
      Producer<byte[], byte[]> job, long round, double average, String description)
      throws Exception {
    ModelUpdate update =
        TextFormat.parse(
            """
            model_id: 'demo' round: %1$d used: %1$d weights: [0, 0] average: [%2$s, -0.5]
            grid_exponent: -16 gradient_bound: 1 published_at_ms: %3$d %4$s
            """
                .formatted(round, average, Instant.now().toEpochMilli(), description),
            ModelUpdate.class);
    job.beginTransaction();
    job.send(new ProducerRecord<>(TOPIC, "demo".getBytes(UTF_8), update.toByteArray())).get();
    return "W/\"" + round + "-" + update.getPublishedAtMs() + "\"";
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(address).timeout(Duration.ofMinutes(1));
  }

  private HttpRequest.Builder head() {
    return request().method("HEAD", BodyPublishers.noBody());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get() throws Exception {
    return send(request().GET());
  }

  /** Repeats the request until the response is as expected, for at most 30 s. */
  private HttpResponse<String> await(Predicate<HttpResponse<String>> isWanted) throws Exception {
    Instant end = Instant.now().plusSeconds(30);
    HttpResponse<String> response = get();
    while (!isWanted.test(response)) {
      assertThat(Instant.now()).as(response.body()).isBefore(end);
      response = get();
    }
    return response;
  }
}
