package io.croupier.job;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads what is visible, as a start does. */
public final class VisibleReading {
  private VisibleReading() {}

  /** Reads an accounting event off its topic. */
  public static void event(byte[] key, byte[] value) {
    KafkaVisibleOutputs.event(new ConsumerRecord<>("accounting", 0, 0, key, value));
  }

  /** Whether there is a round to be read off the updates topic. */
  public static boolean round(byte[] key, byte[] value) {
    return KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 0, 0, key, value)).isPresent();
  }
}
