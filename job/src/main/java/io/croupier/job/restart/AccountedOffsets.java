package io.croupier.job.restart;

import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.CommittedProgress;
import io.croupier.schemas.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts each source partition right after the last report that an earlier ledger judged, so that a
 * rebuilt or new ledger accounts no report twice: that of the last event on the accounting topic,
 * or, where an erasure has deleted this event, the last one in the records of progress. A partition
 * without accounted reports starts at its beginning. The offsets that the job committed to its
 * consumer group are not used: they may be before or after the accounted ones, since they are
 * committed separately from the outputs. Unreadable records after the last report become dead
 * letters a second time.
 */
public final class AccountedOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(AccountedOffsets.class);

  private final Map<String, String> kafka;
  private final String accountingTopic;
  private final Set<String> ownTransactions;

  /** The offset behind the last judged report of each partition, as far as it is known. */
  private final HashMap<TopicPartition, Long> known;

  /** Whether the accounting topic may have later ones. */
  private final boolean isRead;

  /** Creates offsets from those behind the last accounted reports, which a rebuild has found. */
  public AccountedOffsets(Map<TopicPartition, Long> behind) {
    kafka = Map.of();
    accountingTopic = "";
    ownTransactions = Set.of();
    known = new HashMap<>(behind);
    isRead = false;
  }

  /**
   * Creates offsets that are read from the accounting topic.
   *
   * @param kafka properties of Kafka's clients
   * @param ownTransactions prefixes of the transactional ids whose open transactions may be aborted
   * @param judged what the records of progress contain
   */
  public AccountedOffsets(
      Map<String, String> kafka,
      String accountingTopic,
      Set<String> ownTransactions,
      CommittedProgress judged) {
    this.kafka = Map.copyOf(kafka);
    this.accountingTopic = accountingTopic;
    this.ownTransactions = ownTransactions;
    known = new HashMap<>();
    judged.forEachJudged(
        (topic, partition, offset) ->
            known.merge(new TopicPartition(topic, partition), offset + 1, Math::max));
    isRead = true;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
    Map<TopicPartition, Long> behind = isRead ? read() : known;
    Map<TopicPartition, Long> first = retriever.beginningOffsets(partitions);
    Map<TopicPartition, Long> end = retriever.endOffsets(partitions);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      long judged = behind.getOrDefault(partition, 0L);
      offsets.put(partition, start(partition, judged, first.get(partition), end.get(partition)));
    }
    LOG.info("The ledger continues with the reports from {}", offsets);
    return offsets;
  }

  private Map<TopicPartition, Long> read() {
    Map<TopicPartition, Long> behind = new HashMap<>(known);
    try (CommittedTopic topic =
        CommittedTopic.open(
            kafka, accountingTopic, Section.all(), OpenTransactions.abort(ownTransactions))) {
      topic.forEach(
          record -> {
            if (KafkaVisibleOutputs.isDeletion(record)) {
              return true;
            }
            Position source = KafkaVisibleOutputs.event(record).getSource();
            behind.merge(
                new TopicPartition(source.getTopic(), source.getPartition()),
                source.getOffset() + 1,
                Math::max);
            return true;
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return behind;
  }

  private static long start(TopicPartition partition, long behind, long first, long end) {
    if (behind > 0 && behind < first) {
      LOG.warn(
          "{} no longer contains the records at offsets {}..{}: no account includes what"
              + " reports among them spent",
          partition,
          behind,
          first - 1);
    } else if (behind > end) {
      LOG.warn(
          "{} ends at {}, but reports up to {} were judged: the partition"
              + " was recreated; reading starts at its beginning",
          partition,
          end,
          behind - 1);
      return first;
    }
    return Math.max(behind, first);
  }

  @Override
  @SuppressWarnings("deprecation")
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return earliest();
  }

  /** The connector's interface still uses the class that Kafka has deprecated. */
  @SuppressWarnings("deprecation")
  public static OffsetResetStrategy earliest() {
    return OffsetResetStrategy.EARLIEST;
  }
}
