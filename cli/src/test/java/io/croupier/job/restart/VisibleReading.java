package io.croupier.job.restart;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads visible outputs, as the start of a job does. */
public final class VisibleReading {
  private VisibleReading() {}

  /** Reads an accounting event from its topic. */
  public static void event(byte[] key, byte[] value) {
    KafkaVisibleOutputs.event(new ConsumerRecord<>("accounting", 0, 0, key, value));
  }

  /** Whether the record of the updates topic contains a round. */
  public static boolean round(byte[] key, byte[] value) {
    return KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 0, 0, key, value)).isPresent();
  }
}
