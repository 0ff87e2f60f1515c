package io.croupier.cli.watch;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * The reports that the job has not judged yet: of each partition of the topics of reports, those
 * from the newest that has a verdict or is a dead letter to the end. Of a partition without either,
 * those that arrived since its end was first known. Not safe for use by several threads.
 */
final class Backlog {
  /** By partition, the first offset after the newest judged report. */
  private final Map<TopicPartition, Long> judged = new HashMap<>();

  private final Map<TopicPartition, Long> ends = new HashMap<>();
  private long progressAtMs;

  /** Records a verdict on the report at an offset, or its dead letter. */
  void judged(TopicPartition partition, long offset, long nowMs) {
    Long before = judged.get(partition);
    if (before == null || before <= offset) {
      judged.put(partition, offset + 1);
      progressAtMs = nowMs;
    }
  }

  /** Records the ends of partitions, the offsets of the next reports. */
  void ends(Map<TopicPartition, Long> newest, long nowMs) {
    ends.putAll(newest);
    newest.forEach(judged::putIfAbsent);
    if (reports().orElse(0) == 0) {
      progressAtMs = nowMs;
    }
  }

  /** How many reports wait for a verdict; empty before their topics could be read. */
  OptionalLong reports() {
    return ends.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(
            ends.entrySet().stream()
                .mapToLong(end -> Math.max(0, end.getValue() - judged.get(end.getKey())))
                .sum());
  }

  /** Since when reports have waited and none was judged. */
  long stuckMs(long nowMs) {
    return Math.max(0, nowMs - progressAtMs);
  }
}
