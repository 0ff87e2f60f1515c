package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first example of docs/clients.md, run against Kafka's own fakes. */
class ReporterExampleTest {

  /** One person follows the model, and reports to it once, privately. */
  static void takePart(Map<String, Object> kafka, Path file)
      throws IOException, TimeoutException, InterruptedException, ExecutionException {
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.ofEpsilon(20));
        ModelSubscriber models = new ModelSubscriber(kafka, "croupier.updates");
        Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(kafka))) {
      reportOnce(models, producer, ledger, new double[] {1, 0.5}, 1);
    }
  }

  /** Least squares on one observation, at epsilon 2. */
  static void reportOnce(
      ModelSubscriber models,
      Producer<byte[], byte[]> producer,
      LocalLedger ledger,
      double[] x,
      double y)
      throws TimeoutException, InterruptedException, ExecutionException {
    ModelSnapshot model = models.await("prices", Duration.ofSeconds(30));

    double[] weights = model.weights();
    double error = -y;
    for (int i = 0; i < x.length; i++) {
      error += weights[i] * x[i];
    }
    double[] gradient = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      gradient[i] = error * x[i];
    }

    Randomiser randomiser =
        new L2LaplaceRandomiser(
            model.gradientBound(), model.dimension(), model.gridExponent(), 2.0);
    GradientReporter reporter =
        new GradientReporter(new KafkaReportTransport(producer, "croupier.gradients"), ledger);
    if (reporter.answers(model)) {
      reporter.report(model, gradient, randomiser).get();
    }
  }

  @Test
  void oneReportAtTheNewestWeights(@TempDir Path folder) throws Exception {
    TopicPartition partition = new TopicPartition("croupier.updates", 0);
    MockConsumer<byte[], byte[]> updates = new MockConsumer<>("earliest");
    updates.updateBeginningOffsets(Map.of(partition, 0L));
    updates.updateEndOffsets(Map.of(partition, 1L));
    updates.updatePartitions(
        partition.topic(),
        List.of(new PartitionInfo(partition.topic(), 0, Node.noNode(), new Node[0], new Node[0])));
    updates.schedulePollTask(
        () ->
            updates.addRecord(
                new ConsumerRecord<>(
                    partition.topic(),
                    0,
                    0,
                    "prices".getBytes(StandardCharsets.UTF_8),
                    Updates.update("prices", 12, 0.25, 0.5).build().toByteArray())));
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    try (LocalLedger ledger =
            LocalLedger.open(folder.resolve("ada.ledger"), "ada", Limit.ofEpsilon(20));
        ModelSubscriber models =
            new ModelSubscriber(updates, partition.topic(), snapshot -> {}, Clock.systemUTC())) {
      reportOnce(models, producer, ledger, new double[] {1, 0.5}, 1);
    }

    GradientReport report = GradientReport.parseFrom(producer.history().get(0).value());
    assertThat(GradientReports.violations(report)).isEmpty();
    assertThat(report.getRound()).isEqualTo(12);
    assertThat(report.getGrid().getValuesCount()).isEqualTo(2);
  }
}
