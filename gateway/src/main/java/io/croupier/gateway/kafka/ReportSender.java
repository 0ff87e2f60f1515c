package io.croupier.gateway.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Writes reports to Kafka as {@link GradientReporter} does: keyed by the user id, idempotently, and
 * acknowledged by all replicas in sync. Safe for use by several threads.
 */
public final class ReportSender implements ReportStore, AutoCloseable {
  /** Longest time that a request may occupy a thread until the brokers' addresses are known. */
  private static final Duration LONGEST_BLOCK = Duration.ofSeconds(1);

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

  /**
   * Some six reports of 10,000 coordinates. A partition has at most two batches, so 64 of them fill
   * the producer's usual memory.
   */
  private static final int BATCH_BYTES = 256 << 10;

  private final KafkaProducer<byte[], byte[]> producer;

  /**
   * Creates a sender.
   *
   * @param kafka settings of Kafka's clients
   * @param timeout after which a report that isn't acknowledged has failed
   * @throws IllegalArgumentException if a setting contradicts the required ones
   */
  public ReportSender(Map<String, String> kafka, Duration timeout) {
    Map<String, Object> properties =
        new HashMap<>(KafkaReportTransport.producerProperties(Map.copyOf(kafka)));
    long millis = timeout.toMillis();
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, String.valueOf(millis));
    properties.put(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, String.valueOf(Math.max(1, millis / 2)));
    // Reports that come while one is under way then share the next request, without a delay.
    properties.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    properties.putIfAbsent(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    // A request takes one batch of each partition; several large reports must fit into it.
    properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, String.valueOf(BATCH_BYTES));
    properties.put(
        ProducerConfig.MAX_BLOCK_MS_CONFIG,
        String.valueOf(Math.min(millis, LONGEST_BLOCK.toMillis())));
    producer = new KafkaProducer<>(properties);
  }

  /**
   * Learns where a topic's partitions are, so that the first report needn't wait for that.
   *
   * @throws org.apache.kafka.common.KafkaException if the brokers can't be asked
   */
  public void locate(String topic) {
    int partitions = producer.partitionsFor(topic).size();
    if (partitions == 0) {
      throw new KafkaException("Topic " + topic + " has no partition");
    }
  }

  /**
   * Sends a report.
   *
   * @return its position, once all replicas in sync have it; fails after the timeout. A report that
   *     failed is not sent later, but may be on the topic if its acknowledgement was lost
   */
  @Override
  public CompletableFuture<RecordMetadata> send(String topic, String userId, byte[] report) {
    return send(topic, userId.getBytes(UTF_8), report);
  }

  /** The same with any key. */
  public CompletableFuture<RecordMetadata> send(String topic, byte[] key, byte[] report) {
    CompletableFuture<RecordMetadata> result = new CompletableFuture<>();
    try {
      // The callback receives the same result.
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(topic, key, report),
              (position, failure) -> {
                if (failure == null) {
                  result.complete(position);
                } else {
                  result.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  @Override
  public void close() {
    producer.close(LONGEST_CLOSE);
  }
}
