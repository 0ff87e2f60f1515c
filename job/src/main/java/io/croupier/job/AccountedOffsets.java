package io.croupier.job;

import io.croupier.operators.flink.VisibleOutputs;
import io.croupier.schemas.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts each source partition right behind the last report that the accounting topic tells of, so
 * that a rebuilt or new ledger judges none twice; a partition of which it tells nothing, at its
 * beginning. Offsets that the job has committed to its group may lie before or behind that: they
 * follow the outputs at a distance. What is no report, and lies behind the last one, becomes a dead
 * letter once more.
 */
final class AccountedOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(AccountedOffsets.class);

  private final Map<String, String> kafka;
  private final String accountingTopic;
  private final String ownTransactions;

  AccountedOffsets(Map<String, String> kafka, String accountingTopic, String ownTransactions) {
    this.kafka = Map.copyOf(kafka);
    this.accountingTopic = accountingTopic;
    this.ownTransactions = ownTransactions;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
    Map<TopicPartition, Long> behind = new HashMap<>();
    try (CommittedTopic topic =
        CommittedTopic.open(kafka, accountingTopic, VisibleOutputs.ALL, ownTransactions)) {
      topic.forEach(
          record -> {
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
    Map<TopicPartition, Long> first = retriever.beginningOffsets(partitions);
    Map<TopicPartition, Long> end = retriever.endOffsets(partitions);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      long judged = behind.getOrDefault(partition, 0L);
      offsets.put(partition, start(partition, judged, first.get(partition), end.get(partition)));
    }
    LOG.info("The ledger goes on with the reports from {}", offsets);
    return offsets;
  }

  private static long start(TopicPartition partition, long behind, long first, long end) {
    if (behind > 0 && behind < first) {
      LOG.warn(
          "{} has forgotten the reports at {}..{}: whatever they spent is in no account",
          partition,
          behind,
          first - 1);
    } else if (behind > end) {
      LOG.warn(
          "{} ends at {}, but accounts tell of reports up to {}: it was made anew, and is read from"
              + " its beginning",
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
    return KafkaIo.earliest();
  }
}
