package io.croupier.bench.speed;

import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records; closing waits until the broker has acknowledged all of them, and fails if a send
 * failed.
 */
final class Sender implements AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  Sender(String bootstrapServers, int mostRecordBytes, String compression) {
    producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                ProducerConfig.BATCH_SIZE_CONFIG,
                1 << 17,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                mostRecordBytes,
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                compression),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  void send(String topic, byte[] key, byte[] value) {
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(topic, key, value),
            (metadata, exception) -> failure.compareAndSet(null, exception));
  }

  @Override
  public void close() {
    producer.close();
    if (failure.get() != null) {
      throw new IllegalStateException("Some records could not be sent", failure.get());
    }
  }
}
