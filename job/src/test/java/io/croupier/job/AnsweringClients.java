package io.croupier.job;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Users who take turns to answer the local models of {@link LearningScenario}. Of the sent reports,
 * only the counts by model are kept, so their number is unlimited. Not thread-safe.
 */
final class AnsweringClients {
  /** Largest number of unacknowledged reports. */
  private static final int MOST_UNDER_WAY = 10_000;

  private final TestTopics testTopics;
  private final String name;
  private final LogisticAnswers people;
  private final long[] sequences;
  private final Map<String, Long> sent = new HashMap<>();
  private long reports;
  private long bytes;

  /**
   * Clients that have sent no report yet.
   *
   * @param name prefix of all user names
   * @param users how many take turns
   * @param seed of their data and noise
   */
  AnsweringClients(TestTopics testTopics, String name, int users, long seed) {
    this.name = name;
    this.testTopics = testTopics;
    people = new LogisticAnswers(new Random(seed));
    sequences = new long[users];
  }

  /** Sends {@code count} answers to one update. */
  void answer(ModelUpdate at, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      int user = (int) (reports % sequences.length);
      String userId = name + "-" + user;
      byte[] report =
          people
              .noised(at)
              .setUserId(userId)
              .setDeviceId("phone")
              .setSequence(++sequences[user])
              .build()
              .toByteArray();
      testTopics.send(testTopics.topics.gradients(), userId, report);
      bytes += report.length;
      if (++reports % MOST_UNDER_WAY == 0) {
        testTopics.flush();
      }
    }
    sent.merge(at.getModelId(), (long) count, Long::sum);
  }

  /** Number of reports sent to all models so far. */
  long sent() {
    return reports;
  }

  /** Number of reports sent to one model so far. */
  long sentTo(String modelId) {
    return sent.getOrDefault(modelId, 0L);
  }

  /** Size of all reports sent so far, in bytes. */
  long sentBytes() {
    return bytes;
  }

  /** Whether every report to the model is in the counts of this update. */
  boolean isTaken(ModelUpdate update) {
    return LearningScenario.taken(update) == sentTo(update.getModelId());
  }

  /**
   * Waits until every report is accounted for.
   *
   * @return how many were admitted, by model
   */
  Map<String, Long> awaitAdmitted(Duration patience) throws Exception {
    Map<String, Long> admitted = new HashMap<>();
    long deadline = System.nanoTime() + patience.toNanos();
    try (KafkaConsumer<byte[], byte[]> events =
        testTopics.consumer(testTopics.topics.accounting())) {
      for (long seen = 0; seen < reports; ) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("%d of %d events after %s".formatted(seen, reports, patience));
        }
        for (ConsumerRecord<byte[], byte[]> record : events.poll(Duration.ofMillis(50))) {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          seen++;
          if (event.getOutcome() == Outcome.ADMITTED) {
            admitted.merge(event.getModelId(), 1L, Long::sum);
          }
        }
      }
    }
    return admitted;
  }
}
