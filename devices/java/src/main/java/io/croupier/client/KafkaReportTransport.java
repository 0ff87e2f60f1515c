package io.croupier.client;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes reports to Kafka, under the user's key. The caller owns the producer, and creates it with
 * {@link #producerProperties}. Thousands of reporters may share a transport. Within {@code
 * delivery.timeout.ms}, Kafka's idempotent producer repeats a report by itself.
 */
public final class KafkaReportTransport implements ReportTransport {
  private final Producer<byte[], byte[]> producer;
  private final String topic;

  /**
   * Creates a transport.
   *
   * @param gradientsTopic topic of reports with noise from the device; always the same for one
   *     ledger
   */
  public KafkaReportTransport(Producer<byte[], byte[]> producer, String gradientsTopic) {
    this.producer = Objects.requireNonNull(producer, "producer");
    topic = Objects.requireNonNull(gradientsTopic, "gradientsTopic");
  }

  /**
   * The settings that a producer of reports requires, added to the caller's settings. Reports are
   * acknowledged by all replicas in sync, resent without duplicates, and go to the partition that
   * Kafka's built-in partitioner chooses by the murmur2 hash of the key, so that one user's reports
   * keep their order, independent of the client's programming language.
   *
   * @param kafka the caller's settings, not modified
   * @throws IllegalArgumentException if a setting contradicts the required ones
   */
  public static Map<String, Object> producerProperties(Map<String, Object> kafka) {
    if (kafka.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG)) {
      throw new IllegalArgumentException(
          ProducerConfig.PARTITIONER_CLASS_CONFIG
              + " is "
              + kafka.get(ProducerConfig.PARTITIONER_CLASS_CONFIG)
              + "; it must be absent: Kafka's own partitioner keeps a user's reports in order");
    }
    Map<String, Object> properties = new HashMap<>(kafka);
    set(properties, ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, "false");
    if ("-1".equals(String.valueOf(kafka.get(ProducerConfig.ACKS_CONFIG)))) {
      // Kafka accepts both "all" and "-1".
      properties.remove(ProducerConfig.ACKS_CONFIG);
    }
    set(properties, ProducerConfig.ACKS_CONFIG, "all");
    set(properties, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    String serializer = ByteArraySerializer.class.getName();
    set(properties, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, serializer);
    set(properties, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, serializer);
    return properties;
  }

  private static void set(Map<String, Object> properties, String name, String value) {
    Object present = properties.put(name, value);
    if (present == null) {
      return;
    }
    String stated = present instanceof Class<?> type ? type.getName() : present.toString();
    if (!stated.equals(value)) {
      throw new IllegalArgumentException(name + " is " + stated + "; it must be " + value);
    }
  }

  /** The job has no other source for it. */
  @Override
  public boolean namesUser() {
    return true;
  }

  @Override
  public CompletableFuture<Void> send(String userId, byte[] report) {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    byte[] key = userId.getBytes(StandardCharsets.UTF_8);
    try {
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(topic, key, report),
              (metadata, failure) -> {
                if (failure == null && metadata.hasOffset()) {
                  sent.complete(null);
                } else if (failure == null) {
                  // So are duplicates whose first copy Kafka has forgotten: they are sent again.
                  sent.completeExceptionally(
                      new IllegalStateException(
                          "Kafka acknowledged no offset of the report, which may be lost: acks of"
                              + " the producer must be all, as producerProperties sets it"));
                } else {
                  sent.completeExceptionally(reason(failure));
                }
              });
    } catch (RuntimeException e) {
      sent.completeExceptionally(e);
    }
    return sent;
  }

  private static Exception reason(Exception failure) {
    return isRefusal(failure)
        ? new ReportRefusedException(
            "Kafka refuses the report permanently: " + failure.getMessage(), failure)
        : failure;
  }

  /** Whether the failure is caused by this record, so that a retry would fail in the same way. */
  private static boolean isRefusal(Exception failure) {
    return failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidRecordException;
  }
}
