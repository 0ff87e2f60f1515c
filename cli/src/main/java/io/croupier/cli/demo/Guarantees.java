package io.croupier.cli.demo;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.CommittedRecords;
import io.croupier.schemas.GuaranteeEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the job says that its releases of raw reports guarantee. */
final class Guarantees {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_MS = 100;

  private Guarantees() {}

  /**
   * The newest of every model. They are committed with the publication that they are of, but the
   * brokers may show that a moment sooner.
   *
   * @param rounds of what models has last been published
   * @throws IllegalStateException if they don't come within 10 s
   */
  static Map<String, GuaranteeEvent> await(
      Map<String, ?> kafka, String topic, Map<String, Long> rounds) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<String, GuaranteeEvent> newest = new HashMap<>();
    while (!rounds.entrySet().stream()
        .allMatch(
            published ->
                newest.containsKey(published.getKey())
                    && newest.get(published.getKey()).getRound() >= published.getValue())) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "%s doesn't tell what the rounds %s guarantee".formatted(topic, rounds));
      }
      TimeUnit.MILLISECONDS.sleep(newest.isEmpty() ? 0 : PAUSE_MS);
      CommittedRecords.forEach(
          kafka,
          topic,
          record -> {
            GuaranteeEvent event = parse(topic, record.value());
            newest.put(event.getModelId(), event);
          });
    }
    return newest;
  }

  private static GuaranteeEvent parse(String topic, byte[] value) {
    try {
      return GuaranteeEvent.parseFrom(value);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(topic + " holds what nobody here has written", e);
    }
  }
}
