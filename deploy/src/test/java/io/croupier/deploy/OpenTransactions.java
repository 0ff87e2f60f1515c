package io.croupier.deploy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.TopicPartition;

/** Transactions that keep readers from the end of a topic, seen and ended as an operator does. */
final class OpenTransactions {
  private OpenTransactions() {}

  /** Ends every transaction that is open on these topics, and tells of each. */
  static List<String> abort(String bootstrapServers, List<String> topics) throws Exception {
    List<String> aborted = new ArrayList<>();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      Map<Long, TransactionListing> known = new HashMap<>();
      for (TransactionListing listing : admin.listTransactions().all().get()) {
        known.put(listing.producerId(), listing);
      }
      Set<TopicPartition> partitions = new HashSet<>();
      admin
          .describeTopics(topics)
          .allTopicNames()
          .get()
          .forEach(
              (topic, description) ->
                  description
                      .partitions()
                      .forEach(p -> partitions.add(new TopicPartition(topic, p.partition()))));
      for (TopicPartition partition : partitions) {
        for (ProducerState producer :
            admin
                .describeProducers(List.of(partition))
                .partitionResult(partition)
                .get()
                .activeProducers()) {
          if (producer.currentTransactionStartOffset().isPresent()) {
            aborted.add(
                "%s: open from %d by %s; the coordinator knows of %s"
                    .formatted(
                        partition,
                        producer.currentTransactionStartOffset().getAsLong(),
                        producer,
                        known.get(producer.producerId())));
            admin
                .abortTransaction(
                    new AbortTransactionSpec(
                        partition,
                        producer.producerId(),
                        (short) producer.producerEpoch(),
                        producer.coordinatorEpoch().orElse(0)))
                .all()
                .get();
          }
        }
      }
    }
    return aborted;
  }
}
