package io.croupier.job;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** Makes a job read gradients slowly, so that a few thousand reports take many checkpoints. */
public final class SlowReading extends ReadInterceptor {
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
}
