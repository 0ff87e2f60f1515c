package io.croupier.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds back what a job's sources read from partition 1 of the accounting topic, until a file
 * exists: the gate. Other readers, and the other partition, are not held back.
 */
public final class GatedReading extends ReadInterceptor {
  private static final String ACCOUNTING = ".accounting";
  private static final int HELD_PARTITION = 1;
  private static final long POLL_NANOS = 10_000_000;

  /** Only the clients of Flink's sources have names that begin with this. */
  private static final String SOURCES = "gated";

  private static final String GATE = "gate";

  private boolean isSource;
  private Path gate;

  /** Settings of a job whose sources wait for the gate. */
  static Map<String, String> settings(Path gate) {
    return Map.of(
        "kafka.client.id.prefix",
        SOURCES,
        "kafka." + GATE,
        gate.toString(),
        "kafka.interceptor.classes",
        GatedReading.class.getName());
  }

  /** The file that exists once a source has read records that it holds back. */
  static Path held(Path gate) {
    return gate.resolveSibling("held");
  }

  @Override
  public void configure(Map<String, ?> settings) {
    isSource = String.valueOf(settings.get("client.id")).startsWith(SOURCES + "-");
    gate = Path.of((String) settings.get(GATE));
  }

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    if (isSource && records.partitions().stream().anyMatch(GatedReading::isHeld)) {
      try {
        Files.writeString(held(gate), "");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      while (!Files.exists(gate) && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    return records;
  }

  private static boolean isHeld(TopicPartition partition) {
    return partition.topic().endsWith(ACCOUNTING) && partition.partition() == HELD_PARTITION;
  }
}
