package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python example reports to a real job, and answers where the job finds the clip. The test is
 * skipped, with a message, where Debian's protobuf-compiler, python3-protobuf or
 * python3-confluent-kafka isn't installed.
 */
class PythonExampleITCase {
  private static final String PYTHON = "/usr/bin/python3";
  private static final int REPORTS = 2;
  @TempDir Path directory;

  @Test
  void reportsAndFollows() throws Exception {
    assumeTrue(
        isInstalled("protoc", "--version")
            && isInstalled(PYTHON, "-c", "import google.protobuf, confluent_kafka"),
        "Skipped: protobuf-compiler, python3-protobuf or python3-confluent-kafka isn't installed");
    Path root = Path.of("..").toRealPath();
    run(
        "protoc",
        "-I",
        root.resolve("schemas/src/main/protobuf").toString(),
        "--python_out=" + directory,
        "croupier/v1/croupier.proto");

    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"));
        TestTopics testTopics = new TestTopics(broker, "croupier")) {
      JobClient job =
          CroupierJob.submit(
              StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
              JobConfig.of(testTopics.settings()));
      testTopics.publish(
          ModelSpec.newBuilder()
              .setModelId("demo")
              .setDimension(3)
              .setGradientBound(1)
              .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
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
          "--device=" + directory.resolve("device.json"));
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
              .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
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
              "--device=" + directory.resolve("device.json"));
      testTopics.awaitUpdate("finds", update -> update.getAnswers() == REPORTS);
      job.cancel().get(30, TimeUnit.SECONDS);

      assertThat(events).hasSize(REPORTS).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);
      assertThat(events.get(REPORTS - 1).getUserTotals().getEpsilon()).isEqualTo(2.0 * REPORTS);
      assertThat(printed).contains("round 0: 0 reports used");
      assertThat(answered).contains("ada answered clip in round 0 of finds and spent epsilon 2.0");
    }
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
    builder.environment().put("PYTHONPATH", directory.toString());
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }
}
