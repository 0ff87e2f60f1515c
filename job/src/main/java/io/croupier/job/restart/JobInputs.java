package io.croupier.job.restart;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * What the job's sources read.
 *
 * @param topics names of the topics
 * @param group consumer group to which the sources commit their positions
 */
public record JobInputs(Set<String> topics, String group) implements Serializable {
  private static final long serialVersionUID = 1;

  /** Copies the topics. */
  public JobInputs {
    topics = Set.copyOf(topics);
  }

  /**
   * Counts the partitions that have committed records, and of which the job has read none. Each
   * checkpoint commits the positions, so a partition counts until the checkpoint after its first
   * record.
   */
  CompletionStage<Long> unread(Admin admin) {
    return admin
        .describeTopics(topics)
        .allTopicNames()
        .toCompletionStage()
        .thenCompose(
            described -> {
              List<TopicPartition> partitions =
                  described.values().stream()
                      .flatMap(
                          topic ->
                              topic.partitions().stream()
                                  .map(p -> new TopicPartition(topic.name(), p.partition())))
                      .toList();
              return offsets(admin, partitions, OffsetSpec.earliest())
                  .thenCombine(offsets(admin, partitions, OffsetSpec.latest()), JobInputs::filled)
                  .thenCombine(positions(admin), JobInputs::count);
            });
  }

  private static CompletionStage<Map<TopicPartition, ListOffsetsResultInfo>> offsets(
      Admin admin, List<TopicPartition> partitions, OffsetSpec spec) {
    return admin
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(p -> p, p -> spec)),
            new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
        .all()
        .toCompletionStage();
  }

  private CompletionStage<Map<TopicPartition, OffsetAndMetadata>> positions(Admin admin) {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .toCompletionStage();
  }

  private static Set<TopicPartition> filled(
      Map<TopicPartition, ListOffsetsResultInfo> first,
      Map<TopicPartition, ListOffsetsResultInfo> end) {
    return end.keySet().stream()
        .filter(partition -> end.get(partition).offset() > first.get(partition).offset())
        .collect(Collectors.toSet());
  }

  private static long count(
      Set<TopicPartition> filled, Map<TopicPartition, OffsetAndMetadata> positions) {
    return filled.stream().filter(partition -> positions.get(partition) == null).count();
  }
}
