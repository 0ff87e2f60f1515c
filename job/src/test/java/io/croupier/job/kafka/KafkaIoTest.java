package io.croupier.job.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.job.config.JobConfig;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The topics of the sources, and the properties of the sinks' producers. */
class KafkaIoTest {
  private static final int LARGEST = 20_000_000;

  @Test
  void memoryHoldsFourOfTheLargestRecords() {
    assertThat(producer(Map.of())).containsEntry("buffer.memory", "80000000");
    assertThat(new KafkaIo(config(Map.of()), BrokerLimits.DEFAULTS).producerProperties())
        .containsEntry("buffer.memory", "33554432")
        .containsEntry("compression.zstd.level", "1");
  }

  @Test
  void settingsOfTheUserReplaceMemoryBatchesAndCompression() {
    assertThat(
            producer(
                Map.of(
                    "kafka.buffer.memory", "200000000",
                    "kafka.batch.size", "65536",
                    "kafka.linger.ms", "20",
                    "kafka.compression.type", "lz4",
                    "kafka.compression.zstd.level", "6")))
        .containsEntry("buffer.memory", "200000000")
        .containsEntry("batch.size", "65536")
        .containsEntry("linger.ms", "20")
        .containsEntry("compression.type", "lz4")
        .containsEntry("compression.zstd.level", "6");
  }

  @ParameterizedTest
  @ValueSource(strings = {"19999999", "64mb", ""})
  void refusesMemoryThatNoLargestRecordFits(String memory) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> producer(Map.of("kafka.buffer.memory", memory)))
        .withMessage(
            "kafka.buffer.memory is '%s'; it must be a number of bytes of at least 20000000, the"
                    .formatted(memory)
                + " largest record of the output topics");
  }

  /** An input that is missing here has no metric of unread partitions. */
  @Test
  void inputsAreTheTopicsOfAllSources() {
    Topics topics = config(Map.of()).topics();
    assertThat(KafkaIo.inputs(config(Map.of())).topics())
        .containsExactlyInAnyOrder(
            topics.gradients(),
            topics.rawGradients(),
            topics.erasures(),
            topics.stops(),
            topics.accountRequests(),
            topics.models());
  }

  private static Properties producer(Map<String, String> settings) {
    BrokerLimits limits =
        new BrokerLimits(1000, LARGEST, 1000, 1000, LARGEST, Duration.ofMinutes(15));
    return new KafkaIo(config(settings), limits).producerProperties();
  }

  private static JobConfig config(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("kafka.bootstrap.servers", "nowhere:1");
    return JobConfig.of(all);
  }
}
