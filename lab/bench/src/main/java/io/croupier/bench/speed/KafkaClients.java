package io.croupier.bench.speed;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The settings of the job's Kafka clients, for those that the job is compared with. */
final class KafkaClients {
  private KafkaClients() {}

  /** Of the source of reports. */
  static Map<String, String> consumer() {
    return Map.of(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        "read_committed",
        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
        "5000");
  }

  /** Of the sinks, without compression. */
  static Map<String, String> producer() {
    return Map.of(
        ProducerConfig.LINGER_MS_CONFIG,
        "1000",
        ProducerConfig.BATCH_SIZE_CONFIG,
        Integer.toString(256 << 10),
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        "600000");
  }
}
