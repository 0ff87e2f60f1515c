package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.croupier.job.config.JobConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.lang3.ArrayUtils;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the job's main method does without a broker: arguments, settings and graph. */
class CroupierJobTest {
  private static final String SERVERS = "kafka.bootstrap.servers";
  private static final Map<String, String> SETTINGS =
      Map.of(SERVERS, "nowhere:1", "parallelism", "2");

  @TempDir Path directory;

  @Test
  void dryRunPrintsSettingsAndGraphWithoutABroker() throws Exception {
    Path file = directory.resolve("croupier.yaml");
    Files.writeString(
        file, "kafka: {bootstrap.servers: 'nowhere:1', ssl.key.password: hush}\nparallelism: 2\n");

    String text = run("--config", file.toString(), "--dry-run", "--checkpoint.interval", "3 s");

    assertThat(text)
        .containsPattern("kafka\\.bootstrap\\.servers +nowhere:1")
        .containsPattern("checkpoint\\.interval +3000 ms")
        .containsPattern("topics\\.updates +croupier\\.updates")
        .containsPattern("journal\\.enabled +false")
        .doesNotContain("hush")
        .containsPattern("models +uid models-source +parallelism 1")
        .containsPattern("gradients +uid gradients-source +parallelism 2")
        .containsPattern("ledger +uid ledger +parallelism 2 +<- .*gradients.*models")
        .containsPattern("pre-aggregation +uid pre-aggregation +parallelism 2 +<- ledger")
        .containsPattern("learner +uid learner +parallelism 2 +<- .*pre-aggregation.*models");
  }

  /** As {@code flink run -p 3} sets it, or the cluster's parallelism.default. */
  @Test
  void unsetParallelismIsFlinks() {
    Configuration given = new Configuration().set(CoreOptions.DEFAULT_PARALLELISM, 3);
    Map<String, String> unset = Map.of(SERVERS, "nowhere:1");

    assertThat(plan(given, unset))
        .containsPattern("parallelism +\\(Flink's own setting\\)")
        .containsPattern("models +uid models-source +parallelism 1")
        .containsPattern("ledger +uid ledger +parallelism 3")
        .containsPattern("learner +uid learner +parallelism 3");
    assertThat(plan(given, SETTINGS)).containsPattern("learner +uid learner +parallelism 2");
    assertThat(plan(given, Map.of(SERVERS, "nowhere:1", "flink.parallelism.default", "5")))
        .containsPattern("learner +uid learner +parallelism 5");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plan(given, Map.of(SERVERS, "nowhere:1", "max-parallelism", "2")))
        .withMessage(
            "max-parallelism is 2, but the parallelism is 3; set max-parallelism to that or more,"
                + " unless the job has state: then reduce the parallelism");
  }

  private static String plan(Configuration flink, Map<String, String> settings) {
    return CroupierJob.plan(
        StreamExecutionEnvironment.createLocalEnvironment(flink), JobConfig.of(settings));
  }

  @Test
  void ledgerStartIsNoSetting() throws Exception {
    String[] settings = {"--dry-run", "--kafka.bootstrap.servers", "nowhere:1"};

    for (String start : List.of("--rebuild-ledger", "--new-ledger")) {
      String text = run(settings[0], settings[1], settings[2], start);

      assertThat(text).contains("nowhere:1").doesNotContainIgnoringCase("rebuild", "new-ledger");
    }
  }

  @Test
  void everyOperatorHasAUid() {
    StreamExecutionEnvironment env = environment(Map.of());

    StreamGraph graph = env.getStreamGraph(false);

    Set<String> uids =
        graph.getStreamNodes().stream()
            .map(StreamNode::getTransformationUID)
            .collect(Collectors.toSet());
    assertThat(uids)
        .contains(
            Uids.REPORTS_SOURCE,
            Uids.MODELS_SOURCE,
            Uids.STOPS_SOURCE,
            Uids.LEDGER,
            Uids.PRE_AGGREGATION,
            Uids.LEARNER,
            Uids.LEDGER_SINK,
            Uids.LEARNER_SINK)
        // Flink makes the committer's uid from the sink's.
        .allMatch(uid -> uid != null)
        .hasSize(10);
    for (String sink : List.of(Uids.LEDGER_SINK, Uids.LEARNER_SINK)) {
      assertThat(uids).filteredOn(uid -> uid.endsWith(sink)).hasSize(2);
    }
  }

  /** In one vertex, a producer and its sink always have the same parallelism. */
  @Test
  void eachSinkRunsInTheTasksOfItsProducer() {
    StreamExecutionEnvironment env =
        environment(Map.of("flink.pipeline.operator-chaining.enabled", "false"));

    List<String> vertices = new ArrayList<>();
    env.getStreamGraph(false).getJobGraph().getVertices().forEach(v -> vertices.add(v.getName()));

    assertThat(vertices).hasSize(5);
    assertThat(vertices)
        .anyMatch(vertex -> contains(vertex, "ledger", "accounting"))
        .anyMatch(vertex -> contains(vertex, "learner", "updates"));
  }

  private static boolean contains(String vertex, String producer, String sink) {
    return vertex.contains(producer)
        && vertex.contains(sink + ": Writer")
        && vertex.contains(sink + ": Committer");
  }

  @Test
  void optionsThatStateRequiresCannotBeOverridden() {
    StreamExecutionEnvironment env =
        environment(
            Map.of(
                "flink.pipeline.generic-types", "true",
                "flink.pipeline.auto-generate-uids", "true",
                "max-parallelism", "64"));

    assertThat(env.getConfiguration().get(PipelineOptions.GENERIC_TYPES)).isFalse();
    assertThat(env.getConfiguration().get(PipelineOptions.AUTO_GENERATE_UIDS)).isFalse();
    assertThat(env.getMaxParallelism()).isEqualTo(64);
    assertThat(env.getCheckpointConfig().isCheckpointingEnabled()).isTrue();
  }

  @Test
  void snapshotsAreCompressedUnlessASettingSaysOtherwise() {
    String compression = "flink.execution.checkpointing.snapshot-compression";

    assertThat(environment(Map.of()).getConfig().isUseSnapshotCompression()).isTrue();
    assertThat(environment(Map.of(compression, "false")).getConfig().isUseSnapshotCompression())
        .isFalse();
  }

  @Test
  void aChangelogNeedsStateThatTheJobOwns() {
    Map<String, String> settings = new HashMap<>(Map.of("flink.state.changelog.enabled", "true"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> environment(settings))
        .withMessageStartingWith(
            "state.changelog.enabled is true, and execution.state-recovery.claim-mode is NO_CLAIM;"
                + " it must be CLAIM");
    settings.put("flink.execution.state-recovery.claim-mode", "CLAIM");
    environment(settings);
  }

  @Test
  void maxParallelismIsThatOfTheStateUnlessTheSettingsNameOne() {
    String of020 = savepoint("0.2.0");

    assertThat(environment(Map.of()).getMaxParallelism()).isEqualTo(1024);
    assertThat(environment(Map.of(JobFixture.STATE, of020)).getMaxParallelism()).isEqualTo(128);
    assertThat(
            environment(Map.of(JobFixture.STATE, of020, "max-parallelism", "64"))
                .getMaxParallelism())
        .as("which Flink refuses")
        .isEqualTo(64);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> environment(Map.of(JobFixture.STATE, of020, "parallelism", "129")))
        .withMessageContaining("max-parallelism is 128, but the parallelism is 129");
  }

  /** Flink itself, which may have the file systems for it, then finds the state or fails. */
  @Test
  void stateThatCannotBeReadHereIsLeftToFlink() {
    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      assertThat(
              environment(Map.of(JobFixture.STATE, directory.resolve("chk-7").toUri().toString()))
                  .getMaxParallelism())
          .isEqualTo(1024);

      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains("chk-7 can't be read here", "max-parallelism than 1024");
    }
  }

  /** High availability has a newer state than the one with which the application began. */
  @Test
  void aJobManagerThatRunsTheApplicationAgainMayLackItsFirstState() {
    String gone = directory.resolve("chk-7").toUri().toString();
    Configuration application = new Configuration();
    application.set(DeploymentOptions.TARGET, "embedded");

    assertThatIllegalStateException()
        .isThrownBy(() -> JobEnvironment.requireState(environment(application), gone))
        .withMessageStartingWith("There is no savepoint or checkpoint at '" + gone);
    application.set(HighAvailabilityOptions.HA_MODE, "kubernetes");
    JobEnvironment.requireState(environment(application), gone);
    application.set(DeploymentOptions.TARGET, "remote");
    assertThatIllegalStateException()
        .as("a client that submits a new job")
        .isThrownBy(() -> JobEnvironment.requireState(environment(application), gone));
  }

  private static StreamExecutionEnvironment environment(Configuration configuration) {
    return new StreamExecutionEnvironment(configuration);
  }

  private static String savepoint(String release) {
    return Path.of("src", "test", "resources", "savepoints", release).toUri().toString();
  }

  @Test
  void namesTheWrongArgument() {
    refusal("croupier.yaml")
        .withMessageContainingAll("Argument 2, which is not a --key, is unknown", "--config FILE");
    refusal("--parallelism").withMessageContainingAll("'--parallelism'", "--key value");
    refusal("--paralelism", "2").withMessageContaining("'parallelism'");
    refusal("--rebuild-ledger", "--new-ledger")
        .withMessageContaining("Only one of --rebuild-ledger and --new-ledger");
    refusal("--config", "missing.yaml").withMessageContaining("missing.yaml");
  }

  private static ThrowableAssertAlternative<IllegalArgumentException> refusal(String... arguments) {
    return assertThatIllegalArgumentException()
        .isThrownBy(() -> run(ArrayUtils.addFirst(arguments, "--dry-run")));
  }

  @Test
  void quotesNoPossiblePassword() {
    String[][] wrong = {
      {"--kafka.ssl.truststore.password=hunter2"},
      {"--dry-run", "--kafka.ssl.truststore.password=hunter2"},
      {"--kafka.ssl.truststore.password=hunter2", "--dry-run"},
      {"--sasl.password=hunter2", "--dry-run"},
      {"--kafka.ssl.truststore.password", "two", "hunter2"},
    };
    for (String[] args : wrong) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> run(args))
          .withMessageNotContaining("hunter2")
          .withMessageMatching("(?s).*(password'|Argument 3).*");
    }
  }

  private static StreamExecutionEnvironment environment(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.putAll(more);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(new Configuration());
    CroupierJob.plan(env, JobConfig.of(settings));
    return env;
  }

  private static String run(String... args) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, UTF_8));
    try {
      CroupierJob.main(args);
    } finally {
      System.setOut(before);
    }
    return out.toString(UTF_8);
  }
}
