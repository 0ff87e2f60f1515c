package io.croupier.job.restart;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.schemas.AccountingEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The accounts on a topic that may be compacted. The newest event of each key states what all
 * earlier ones add up to only in version 2; the key of version 1 is the user, whose newest event
 * lacks the other models and devices. No event of version 1 follows one of version 2, so the first
 * event of each partition shows whether there are any.
 */
public final class CompactedAccounts {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Brokers brokers;
  private final String topic;

  /**
   * Creates the check.
   *
   * @param kafka properties of Kafka's clients
   */
  public CompactedAccounts(Map<String, String> kafka, String topic) {
    brokers = new Brokers(kafka);
    this.topic = topic;
  }

  /**
   * Requires that a topic that is compacted contains no event of version 1.
   *
   * @return whether it is compacted
   * @throws RefusedStartException if it is, and contains such an event
   * @throws IOException if the brokers don't answer
   */
  public boolean requireVersion2() throws IOException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Optional<Set<TopicPartition>> compacted =
        brokers.ask(
            "the settings of " + topic,
            admin -> {
              Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
              return config
                      .get(TopicConfig.CLEANUP_POLICY_CONFIG)
                      .value()
                      .contains(TopicConfig.CLEANUP_POLICY_COMPACT)
                  ? Optional.of(new TopicOffsets(admin, topic).partitions())
                  : Optional.empty();
            });
    if (compacted.isPresent()) {
      readFirst(compacted.get());
    }
    return compacted.isPresent();
  }

  private void readFirst(Set<TopicPartition> partitions) throws IOException {
    try (KafkaConsumer<byte[], byte[]> consumer = brokers.consumer(IsolationLevel.READ_COMMITTED)) {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      Set<TopicPartition> unknown =
          new TreeSet<>((a, b) -> Integer.compare(a.partition(), b.partition()));
      unknown.addAll(partitions);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!unknown.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new IOException(
              "The first events of %s could not be read in %d s"
                  .formatted(topic, PATIENCE.toSeconds()));
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          TopicPartition partition = new TopicPartition(record.topic(), record.partition());
          if (record.value() != null && unknown.remove(partition)) {
            consumer.pause(Set.of(partition));
            requireVersion2(record);
          }
        }
        unknown.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
      }
    }
  }

  private void requireVersion2(ConsumerRecord<byte[], byte[]> record) {
    boolean isVersion1;
    try {
      isVersion1 = AccountingEvent.parseFrom(record.value()).hasUserId();
    } catch (InvalidProtocolBufferException e) {
      // A reader of the accounts refuses it with its position.
      return;
    }
    if (isVersion1) {
      throw new RefusedStartException(
          ("The accounting topic %s is compacted, but it has events of release 0.2.0 or earlier,"
                  + " such as at %s-%d@%d: the newest event of a user lacks the other models and"
                  + " devices. Set its %s to %s; what was compacted already can't be rebuilt")
              .formatted(
                  topic,
                  topic,
                  record.partition(),
                  record.offset(),
                  TopicConfig.CLEANUP_POLICY_CONFIG,
                  TopicConfig.CLEANUP_POLICY_DELETE));
    }
  }
}
