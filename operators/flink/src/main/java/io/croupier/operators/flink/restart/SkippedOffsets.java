package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.restart.VisibleOutputs.SourceRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offsets of the gradient topics that the job passes over, since the topic no longer has the
 * records that follow the restored state, or is another topic of the same name.
 */
final class SkippedOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(SkippedOffsets.class);

  private SkippedOffsets() {}

  /**
   * Counts the offsets, and logs a warning for each partition with any and each topic that was
   * created again. Partitions of which the state contains no report don't count. The number is an
   * upper bound: the state may have passed records that were no reports.
   *
   * @param marks the restored marks
   * @param now what the topics contain
   */
  static long count(List<LedgerMark> marks, List<SourceRange> now) {
    SourcePositions judged = SourcePositions.judged(marks);
    Map<String, TopicEnd> former = new HashMap<>();
    for (LedgerMark mark : marks) {
      for (int i = 0; i < mark.sources.length; i++) {
        former.put(
            mark.sources[i], TopicEnd.of(mark.sourceIdsHigh[i], mark.sourceIdsLow[i], new long[0]));
      }
    }
    long skipped = 0;
    for (SourceRange source : now) {
      TopicEnd known = former.getOrDefault(source.topic(), source.end());
      boolean isAnother = !known.isOfSameTopic(source.end());
      if (isAnother) {
        LOG.warn(
            "The topic {} was created again since the restored state: where the new topic already has"
                + " the offsets that the state has read, their reports are not read",
            source.topic());
      }
      for (int partition = 0; partition < source.end().offsets().size(); partition++) {
        skipped +=
            skipped(source, partition, judged.highest(source.topic(), partition) + 1, isAnother);
      }
    }
    return skipped;
  }

  private static long skipped(SourceRange source, int partition, long next, boolean isAnother) {
    if (next == 0) {
      return 0;
    }
    long first = source.beginning().offsets().get(partition);
    if (isAnother) {
      // Beyond its end, the source begins at the beginning.
      boolean isRead = next > source.end().offsets().get(partition);
      return isRead ? 0 : Math.max(0, next - first);
    }
    if (first > next) {
      LOG.warn(
          "{}-{} no longer contains the records at offsets {}..{}: the job has not judged the reports"
              + " among them, and no account includes them. Keep reports for longer (retention.ms)",
          source.topic(),
          partition,
          next,
          first - 1);
    }
    return Math.max(0, first - next);
  }
}
