package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.job.kafka.CommittedRecords;
import io.croupier.schemas.GuaranteeEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the job's guarantees for its releases from raw reports. */
final class Guarantees {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_MS = 100;

  private Guarantees() {}

  /**
   * Waits for the guarantee of the newest publication of every model. It is committed together with
   * the publication, but may become visible slightly later.
   *
   * @param rounds the last published round, by model id
   * @throws IllegalStateException if a guarantee doesn't become visible within 10 s
   */
  static Map<String, GuaranteeEvent> await(
      Map<String, ?> kafka, String topic, Map<String, Long> rounds)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<String, GuaranteeEvent> newest = new HashMap<>();
    while (!rounds.entrySet().stream()
        .allMatch(
            published ->
                newest.containsKey(published.getKey())
                    && newest.get(published.getKey()).getRound() >= published.getValue())) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "topic %s has no guarantees for rounds %s".formatted(topic, rounds));
      }
      TimeUnit.MILLISECONDS.sleep(newest.isEmpty() ? 0 : PAUSE_MS);
      CommittedRecords.forEach(
          kafka,
          topic,
          record -> {
            GuaranteeEvent event = parse(record);
            newest.put(event.getModelId(), event);
          });
    }
    return newest;
  }

  private static GuaranteeEvent parse(ConsumerRecord<byte[], byte[]> record) {
    try {
      return GuaranteeEvent.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(
          "%s, partition %d, offset %d: the record is not a GuaranteeEvent"
              .formatted(record.topic(), record.partition(), record.offset()),
          e);
    }
  }
}
