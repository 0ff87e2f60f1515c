package io.croupier.job;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Makes a job read gradients slowly, so that a few thousand reports take many checkpoints. It also
 * implements the interface for producers, since they receive the same settings, but changes none of
 * their records.
 */
public final class SlowReading
    implements ConsumerInterceptor<Object, Object>, ProducerInterceptor<Object, Object> {
  private static final String GRADIENTS = ".gradients";
  private static final int MOST_AT_ONCE = 10;
  private static final long PAUSE_NANOS = 15_000_000;

  /** Settings of a job that reads slowly, and takes a checkpoint every 50 ms. */
  static Map<String, String> settings() {
    return Map.of(
        "checkpoint.interval",
        "50 ms",
        "kafka.max.poll.records",
        String.valueOf(MOST_AT_ONCE),
        "kafka.interceptor.classes",
        SlowReading.class.getName());
  }

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    if (records.partitions().stream().anyMatch(part -> part.topic().endsWith(GRADIENTS))) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
    return record;
  }

  @Override
  public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> settings) {}
}
