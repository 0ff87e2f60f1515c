package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lines of dependencies the logs leave out, and which they must not. */
class LogsTest {
  private static final String CLUSTER = "deploy/conf/log4j2.properties";
  private static final String COMMANDS = "cli/src/main/resources/log4j2.xml";
  private static final String METRICS = "org.apache.flink.metrics.MetricGroup";
  private static final String KAFKA_SINK = "org.apache.flink.connector.kafka.sink.internal.";
  private static final String SOURCES =
      "org.apache.flink.runtime.source.coordinator.SourceCoordinator";

  @ParameterizedTest
  @ValueSource(strings = {CLUSTER, COMMANDS})
  void namesThatCollideAtEachCheckpointAreLeftOutAndOthersAreNot(String file) {
    assertThat(logs(file, METRICS, Level.WARN, collision("pendingCommittables"))).isFalse();
    assertThat(logs(file, METRICS, Level.WARN, collision("currentSendTime"))).isFalse();
    assertThat(logs(file, METRICS, Level.WARN, collision("lag-ms"))).isTrue();
  }

  private static String collision(String metric) {
    return ("Name collision: Group already contains a Metric with the name '%s'."
            + " Metric will not be reported.[127.0.0.1, taskmanager]")
        .formatted(metric);
  }

  @Test
  void aClusterLeavesOutWhatEachCheckpointRepeats() {
    String producer = KAFKA_SINK + "FlinkKafkaInternalProducer";
    assertThat(logs(CLUSTER, producer, Level.INFO, "Flushing new partitions")).isFalse();
    assertThat(logs(CLUSTER, producer, Level.INFO, "Attempting to resume transaction t")).isTrue();
    assertThat(
            logs(CLUSTER, SOURCES, Level.INFO, "Marking checkpoint 7 as completed for source s."))
        .isFalse();
    assertThat(logs(CLUSTER, SOURCES, Level.INFO, "Marking checkpoint 7 as aborted for source s."))
        .isTrue();
    assertThat(logs(CLUSTER, SOURCES, Level.INFO, "Closing SourceCoordinator for source s."))
        .isTrue();
  }

  /** Mostly harmless, but the only line in the log when a broker has lost a transaction. */
  @ParameterizedTest
  @ValueSource(strings = {CLUSTER, COMMANDS})
  void aTransactionThatCannotBeCommittedIsLogged(String file) {
    assertThat(
            logs(
                file,
                "org.apache.flink.connector.kafka.sink.internal.KafkaCommitter",
                Level.ERROR,
                "Unable to commit transaction t because its producer is already fenced."))
        .isTrue();
  }

  /** The operator of Kubernetes replaces the image's configuration by that of the deployment. */
  @Test
  void kubernetesHasTheSameLogs() throws Exception {
    assertThat(
            Yaml.map(
                Yaml.documents("deploy/kubernetes/flinkdeployment.yaml").get(0),
                "spec",
                "logConfiguration"))
        .containsEntry("log4j-console.properties", Files.readString(Cluster.ROOT.resolve(CLUSTER)));
  }

  private static boolean logs(String file, String logger, Level level, String message) {
    Path path = Cluster.ROOT.resolve(file);
    try (LoggerContext context = new LoggerContext(file)) {
      Configuration configuration =
          ConfigurationFactory.getInstance().getConfiguration(context, file, path.toUri());
      configuration.initialize();
      LoggerConfig config = configuration.getLoggerConfig(logger);
      return level.isMoreSpecificThan(config.getLevel())
          && !config.isFiltered(
              Log4jLogEvent.newBuilder()
                  .setLoggerName(logger)
                  .setLevel(level)
                  .setMessage(new SimpleMessage(message))
                  .build());
    }
  }
}
