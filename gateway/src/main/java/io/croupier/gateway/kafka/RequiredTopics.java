package io.croupier.gateway.kafka;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.SecurityUtils;

/**
 * The topics without which a gateway could take no reports, or not answer for them. A topic without
 * rights on it may exist or not: the brokers don't reveal that.
 *
 * @param read those that the gateway reads
 * @param written those that it writes
 */
public record RequiredTopics(Set<String> read, Set<String> written) {
  /** Copies the names. */
  public RequiredTopics {
    read = Set.copyOf(read);
    written = Set.copyOf(written);
  }

  /**
   * Checks that the topics exist, and that the brokers grant the rights on them.
   *
   * @param kafka settings of Kafka's clients
   * @throws IllegalStateException if a topic or a right is missing, with the names of all, or the
   *     brokers can't be asked
   */
  public void require(Map<String, String> kafka) {
    Set<String> unknown = new TreeSet<>();
    List<String> missing = new ArrayList<>();
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      Set<String> topics = new TreeSet<>(read);
      topics.addAll(written);
      Map<String, KafkaFuture<TopicDescription>> descriptions =
          admin
              .describeTopics(topics, new DescribeTopicsOptions().includeAuthorizedOperations(true))
              .topicNameValues();
      for (String topic : topics) {
        try {
          addMissing(missing, topic, descriptions.get(topic).get().authorizedOperations());
        } catch (ExecutionException e) {
          if (e.getCause() instanceof UnknownTopicOrPartitionException) {
            unknown.add(topic);
          } else if (e.getCause() instanceof TopicAuthorizationException) {
            addMissing(missing, topic, Set.of());
          } else {
            throw new IllegalStateException(
                "Topic %s at %s can't be used: %s"
                    .formatted(topic, kafka.get("bootstrap.servers"), e.getCause().getMessage()),
                e);
          }
        }
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "These topics don't exist: "
              + String.join(", ", unknown)
              + ". Create them with 'croupier topics create' (anonymous.enabled creates those of"
              + " anonymous reports), or configure others (topics.*)");
    }
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "The gateway lacks rights on the brokers: grant it %s (kafka-acls.sh --add)"
              .formatted(String.join(", ", missing)));
    }
  }

  /** Brokers that don't return the granted rights are taken to grant all. */
  private void addMissing(List<String> missing, String topic, Set<AclOperation> granted) {
    Set<AclOperation> needed = EnumSet.noneOf(AclOperation.class);
    if (read.contains(topic)) {
      needed.add(AclOperation.READ);
    }
    if (written.contains(topic)) {
      needed.add(AclOperation.WRITE);
    }
    if (granted != null) {
      needed.removeAll(granted);
      needed.forEach(
          right -> missing.add(SecurityUtils.operationName(right) + " on topic " + topic));
    }
  }
}
