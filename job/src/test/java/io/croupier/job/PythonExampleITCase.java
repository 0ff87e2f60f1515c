package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.core.execution.JobClient;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python examples report to a real job, answer where the job finds the clip, follow a model and
 * serve it. The tests are skipped, with a message, where Debian's python3-protobuf or
 * python3-confluent-kafka isn't installed.
 */
class PythonExampleITCase {
  private static final String PYTHON = "/usr/bin/python3";
  private static final int REPORTS = 2;
  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void reportsAndFollows() throws Exception {
    Path root = prepare();
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"));
        TestTopics testTopics = new TestTopics(broker, "croupier")) {
      JobClient job = TestJobs.submit(testTopics.settings());
      testTopics.publish(
          ModelSpec.newBuilder()
              .setModelId("demo")
              .setDimension(3)
              .setGradientBound(1)
              .setBlackBox(BlackBox.getDefaultInstance())
              .build());
      testTopics.flush();
      testTopics.awaitUpdate("demo", update -> update.getRound() == 0);

      String address = broker.bootstrapServers();
      run(
          PYTHON,
          root.resolve("examples/python/report.py").toString(),
          "--broker=" + address,
          "--model=demo",
          "--person=ada",
          "--reports=" + REPORTS,
          "--ledger=" + directory.resolve("ada.ledger"));
      testTopics.awaitUpdate("demo", update -> update.getUsed() == REPORTS);
      List<AccountingEvent> events = testTopics.awaitEvents("demo", REPORTS);
      String printed =
          run(
              PYTHON,
              root.resolve("examples/python/follow.py").toString(),
              "--broker=" + address,
              "--model=demo",
              "--updates=1");
      testTopics.publish(
          ModelSpec.newBuilder()
              .setModelId("finds")
              .setDimension(3)
              .setAdaptiveClip(AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.FEATURES))
              .setBlackBox(BlackBox.getDefaultInstance())
              .build());
      testTopics.flush();
      testTopics.awaitUpdate("finds", update -> update.getQuestionProbability() == 1);
      String answered =
          run(
              PYTHON,
              root.resolve("examples/python/report.py").toString(),
              "--broker=" + address,
              "--model=finds",
              "--person=ada",
              "--reports=" + REPORTS,
              "--ledger=" + directory.resolve("ada.ledger"));
      testTopics.awaitUpdate("finds", update -> update.getAnswers() == REPORTS);
      TestJobs.cancel(job);

      assertThat(events).hasSize(REPORTS).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);
      assertThat(events.get(REPORTS - 1).getUserTotals().getEpsilon()).isEqualTo(2.0 * REPORTS);
      assertThat(printed).contains("round 0: 0 reports used");
      assertThat(answered)
          .contains("ada sent report 2 (size) in round 0 of finds, and has spent epsilon 6");
    }
  }

  @Test
  void servesPredictions() throws Exception {
    Path root = prepare();
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"));
        TestTopics testTopics = new TestTopics(broker, "croupier");
        KafkaProducer<byte[], byte[]> job = testTopics.transaction("job")) {
      Process server = serve(root, broker);
      try {
        String predict = awaitAddress(server);
        assertThat(predict).matches("http://127\\.0\\.0\\.1:\\d+/predict");
        String query = predict + "?x=1,2";
        assertThat(await(query, r -> r.statusCode() != 503).statusCode()).isEqualTo(404);

        send(job, testTopics, update(3, 0.25, -0.5));
        job.commitTransaction();
        assertThat(await(query, r -> r.statusCode() == 200).body())
            .isEqualTo("{\"model\": \"demo\", \"round\": 3, \"score\": -0.75}\n");

        job.beginTransaction();
        send(job, testTopics, update(4, 7, 7));
        job.abortTransaction();
        assertThat(firstAnswer(root, broker)).contains("\"round\": 3");

        job.beginTransaction();
        send(job, testTopics, update(5, 1, 1));
        job.commitTransaction();
        await(query, r -> r.body().contains("\"round\": 5, \"score\": 3.0"));

        for (String wrong : List.of("", "?x=", "?x=1", "?x=1,2,3", "?x=1,a", "?x=1,nan")) {
          assertThat(get(predict + wrong).statusCode()).as(wrong).isEqualTo(400);
        }
        assertThat(get(predict + "ion").statusCode()).isEqualTo(404);

        job.beginTransaction();
        send(job, testTopics, described(update(6, 0.75, -0.5)));
        job.commitTransaction();
        String byName = predict + "?name=Ada&walked=45";
        await(byName, r -> r.body().contains("\"round\": 6, \"score\": 1.0"));
        assertThat(get(predict + "?wlaked=4567").body())
            .contains("feature 'walked' is missing", "no feature's: 1")
            .doesNotContain("4567");
        assertThat(get(predict + "?walked=far").body()).contains("'walked' is of another type");

        job.beginTransaction();
        send(job, testTopics, null);
        job.commitTransaction();
        assertThat(await(query, r -> r.statusCode() != 200).body()).contains("not published");
      } finally {
        server.destroy();
      }
      assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private Process serve(Path root, EmbeddedBroker broker) throws IOException {
    return process(
        PYTHON,
        root.resolve("examples/python/serve.py").toString(),
        "--broker=" + broker.bootstrapServers(),
        "--model=demo",
        "--port=0");
  }

  /** What another server answers as soon as it has read the topic to its end. */
  private String firstAnswer(Path root, EmbeddedBroker broker) throws Exception {
    Process server = serve(root, broker);
    try {
      return await(awaitAddress(server) + "?x=1,2", r -> r.statusCode() != 503).body();
    } finally {
      server.destroy();
    }
  }

  private static ModelUpdate update(long round, double... average) {
    ModelUpdate.Builder update = ModelUpdate.newBuilder().setModelId("demo").setRound(round);
    Arrays.stream(average).forEach(update::addAverage);
    return update.build();
  }

  private static ModelUpdate described(ModelUpdate update) {
    ModelUpdate.Builder described = update.toBuilder();
    described.addFeaturesBuilder().setName("one").getInterceptBuilder();
    described.addFeaturesBuilder().setName("walked").getRangeBuilder().setTo(180);
    return described.build();
  }

  private static void send(
      KafkaProducer<byte[], byte[]> job, TestTopics testTopics, ModelUpdate update)
      throws Exception {
    job.send(
            new ProducerRecord<>(
                testTopics.topics.updates(),
                "demo".getBytes(UTF_8),
                update == null ? null : update.toByteArray()))
        .get();
  }

  private HttpResponse<String> get(String address) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(10)).build(),
        BodyHandlers.ofString());
  }

  /** Repeats the request until the response is as expected, for at most 30 s. */
  private HttpResponse<String> await(String address, Predicate<HttpResponse<String>> isWanted)
      throws Exception {
    Instant end = Instant.now().plusSeconds(30);
    HttpResponse<String> response = get(address);
    while (!isWanted.test(response)) {
      assertThat(Instant.now()).as(response.body()).isBefore(end);
      response = get(address);
    }
    return response;
  }

  /** Waits until the server prints its address, for at most 30 s. */
  private String awaitAddress(Process server) throws Exception {
    Instant end = Instant.now().plusSeconds(30);
    String output = "";
    while (!output.endsWith("\n")) {
      assertThat(server.isAlive() && Instant.now().isBefore(end)).as(output).isTrue();
      output = Files.readString(directory.resolve("output"));
    }
    assertThat(output).startsWith("Serving ");
    return output.substring("Serving ".length()).strip();
  }

  /** The root of the project, if Python has what the examples need. */
  private Path prepare() throws Exception {
    assumeTrue(
        isInstalled(PYTHON, "-c", "import google.protobuf, confluent_kafka"),
        "Skipped: python3-protobuf or python3-confluent-kafka isn't installed");
    return Path.of("..").toRealPath();
  }

  private boolean isInstalled(String... command) throws Exception {
    try {
      return process(command).waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String run(String... command) throws Exception {
    Process process = process(command);
    assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
    String output = Files.readString(directory.resolve("output"));
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  private Process process(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .merge(
            "PYTHONPATH",
            Path.of("../devices/python/src").toAbsolutePath().toString(),
            (others, own) -> own + File.pathSeparator + others);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }
}
