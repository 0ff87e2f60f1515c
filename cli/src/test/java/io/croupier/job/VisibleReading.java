package io.croupier.job;

import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads what is visible, as a start does. */
public final class VisibleReading {
  private VisibleReading() {}

  /** Reads an accounting event off its topic. */
  public static void event(byte[] key, byte[] value) {
    KafkaVisibleOutputs.event(new ConsumerRecord<>("accounting", 0, 0, key, value));
  }

  /** Reads the round of an update off its topic. */
  public static void round(byte[] key, byte[] value) throws IOException {
    KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 0, 0, key, value));
  }
}
