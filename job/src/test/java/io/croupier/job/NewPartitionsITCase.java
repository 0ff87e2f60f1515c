package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.restart.OutputEnds;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Partitions are added to the topics of reports while the job runs. */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class NewPartitionsITCase extends JobFixture {
  private static final Duration PROMISED = Duration.ofSeconds(30);
  private static final int ADDED = 2;

  private final ModelSpec spec = OneHotReports.spec("m", 4, 1);

  @Test
  void theirReportsAreJudgedWithinHalfAMinute() throws Exception {
    testTopics.publish(spec);
    RestartedJob job = new RestartedJob(directory);
    job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
    send(0, "a");
    testTopics.awaitEvents("m", 1);

    addPartitions();
    long added = System.nanoTime();
    send(ADDED, "b");

    testTopics.awaitEvents("m", 2);
    assertThat(Duration.ofNanos(System.nanoTime() - added)).isLessThan(PROMISED);
    job.cancel();
  }

  /**
   * Without a search for partitions, nothing but this metric shows that the job doesn't read one.
   */
  @Test
  void aMetricShowsThatOneIsNotRead() throws Exception {
    testTopics.publish(spec);
    Map<String, String> settings = testTopics.settings();
    settings.put("kafka.partition.discovery.interval.ms", "-1");
    RestartedJob job = new RestartedJob(directory);
    job.start(settings, LedgerStart.REQUIRE_STATE);
    send(0, "a");
    testTopics.awaitEvents("m", 1);
    try (VisibleOutputs.Readers readers = readers(settings)) {
      await(readers, 0);
      addPartitions();
      send(ADDED, "b");
      await(readers, 1);
    }
    job.cancel();
  }

  /** The job never reads a record of it, so it shows its first position. */
  @Test
  void onlyAnAbortedTransactionIsRead() throws Exception {
    try (KafkaProducer<byte[], byte[]> writer = testTopics.transaction("aborted")) {
      writer.send(new ProducerRecord<>(testTopics.topics.gradients(), 1, new byte[1], new byte[1]));
      writer.flush();
      writer.abortTransaction();
    }
    try (VisibleOutputs.Readers readers = readers(testTopics.settings())) {
      await(readers, 1);
      RestartedJob job = new RestartedJob(directory);
      job.start(testTopics.settings(), LedgerStart.REQUIRE_STATE);
      await(readers, 0);
      job.cancel();
    }
  }

  private static VisibleOutputs.Readers readers(Map<String, String> settings) throws Exception {
    return new KafkaIo(JobConfig.of(settings), BrokerLimits.DEFAULTS)
        .visible(OutputEnds.NONE)
        .readers(0, 1);
  }

  private static void await(VisibleOutputs.Readers readers, long unread) throws Exception {
    do {
      readers.lookUp();
      Thread.sleep(100);
    } while (readers.unreadPartitions() != unread);
  }

  private void addPartitions() throws Exception {
    try (Admin admin = testTopics.admin()) {
      String gradients = testTopics.topics.gradients();
      admin.createPartitions(Map.of(gradients, NewPartitions.increaseTo(ADDED + 1))).all().get();
    }
  }

  private void send(int partition, String user) throws Exception {
    GradientReport report = OneHotReports.report(spec, 0, 0, user, 1, 1);
    try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("added")) {
      producer
          .send(
              new ProducerRecord<>(
                  testTopics.topics.gradients(),
                  partition,
                  user.getBytes(UTF_8),
                  report.toByteArray()))
          .get();
      producer.commitTransaction();
    }
  }
}
