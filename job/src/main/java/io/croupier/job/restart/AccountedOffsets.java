package io.croupier.job.restart;

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
 * Starts each source partition of a job without state right after the last report that an earlier
 * ledger judged, so that no report is accounted twice, and none is passed over: that of the last
 * event on the accounting topic, or, where an erasure has deleted this event, the last one in the
 * records of progress. A partition without accounted reports starts at its beginning. The offsets
 * that the job committed to its consumer group are not used: they may be before or after the
 * accounted ones, since they are committed separately from the outputs. Unreadable records after
 * the last report become dead letters a second time.
 */
public final class AccountedOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(AccountedOffsets.class);

  /** The offset behind the last judged report of each partition, if a rebuild has found it. */
  private final HashMap<TopicPartition, Long> known;

  /** Where these offsets are looked up otherwise; null after a rebuild. */
  private final KafkaVisibleOutputs outputs;

  private final boolean hasAccounts;

  /** Creates offsets from those behind the last accounted reports, which a rebuild has found. */
  public AccountedOffsets(Map<TopicPartition, Long> behind) {
    known = new HashMap<>(behind);
    outputs = null;
    hasAccounts = true;
  }

  /**
   * Creates offsets that are looked up once the source begins. At a submission, it isn't known
   * whether Flink restores a state by itself, and a look-up would abort what the state's sinks are
   * about to commit.
   *
   * @param hasAccounts whether the job also starts if the accounting topic has events
   */
  public AccountedOffsets(KafkaVisibleOutputs outputs, boolean hasAccounts) {
    known = new HashMap<>();
    this.outputs = outputs;
    this.hasAccounts = hasAccounts;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever retriever) {
    Map<TopicPartition, Long> behind = outputs == null ? known : read();
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
    try {
      return outputs.behindJudged(hasAccounts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
  @SuppressWarnings("deprecation") // the connector's interface still uses this class
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return OffsetResetStrategy.EARLIEST;
  }
}
