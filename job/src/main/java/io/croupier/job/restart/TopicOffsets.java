package io.croupier.job.restart;

import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Looks up offsets of one topic, regardless of transactions unless stated otherwise. */
final class TopicOffsets {
  private final Admin admin;
  private final TopicDescription topic;

  TopicOffsets(Admin admin, String topic) throws ExecutionException, InterruptedException {
    this.admin = admin;
    this.topic = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
  }

  /** Returns the end of the whole topic. */
  TopicEnd end() throws ExecutionException, InterruptedException {
    return end(ends(partition -> true));
  }

  /** Returns where the first transaction that is still open begins, or else the end. */
  TopicEnd stableEnd() throws ExecutionException, InterruptedException {
    return end(
        offsets(partitions(partition -> true), OffsetSpec.latest(), IsolationLevel.READ_COMMITTED));
  }

  private TopicEnd end(Map<TopicPartition, Long> ends) {
    return new TopicEnd(
        topic.topicId().getMostSignificantBits(),
        topic.topicId().getLeastSignificantBits(),
        topic.partitions().stream()
            .map(p -> ends.get(new TopicPartition(topic.name(), p.partition())))
            .toList());
  }

  /** Returns the end of each partition with a chosen number. */
  Map<TopicPartition, Long> ends(IntPredicate chosen)
      throws ExecutionException, InterruptedException {
    return offsets(partitions(chosen), OffsetSpec.latest());
  }

  /** Returns the partitions with a chosen number. */
  Set<TopicPartition> partitions(IntPredicate chosen) {
    return topic.partitions().stream()
        .filter(p -> chosen.test(p.partition()))
        .map(p -> new TopicPartition(topic.name(), p.partition()))
        .collect(Collectors.toSet());
  }

  /**
   * Returns the first offset to read of each of the partitions; -1 for those without a record that
   * is late enough.
   *
   * @param ends the ends of the partitions
   */
  Map<TopicPartition, Long> starts(Section section, Map<TopicPartition, Long> ends)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, Long> starts =
        offsets(
            ends.keySet(),
            section.sinceMs() == VisibleOutputs.ALL
                ? OffsetSpec.earliest()
                : OffsetSpec.forTimestamp(section.sinceMs()));
    TopicEnd since = section.since();
    if (since.idHigh() != topic.topicId().getMostSignificantBits()
        || since.idLow() != topic.topicId().getLeastSignificantBits()) {
      return starts;
    }
    Map<TopicPartition, Long> first = offsets(ends.keySet(), OffsetSpec.earliest());
    Map<TopicPartition, Long> later = new HashMap<>(starts);
    ends.forEach(
        (partition, end) -> {
          int number = partition.partition();
          long known = number < since.offsets().size() ? since.offsets().get(number) : 0;
          // A partition that ends before the known end has lost records, and has new ones at their
          // offsets: their times decide.
          if (known <= end) {
            later.put(partition, Math.max(known, first.get(partition)));
          }
        });
    return later;
  }

  private Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec)
      throws ExecutionException, InterruptedException {
    return offsets(partitions, spec, IsolationLevel.READ_UNCOMMITTED);
  }

  private Map<TopicPartition, Long> offsets(
      Set<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec)),
            new ListOffsetsOptions(isolation))
        .all()
        .get()
        .entrySet()
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
  }
}
