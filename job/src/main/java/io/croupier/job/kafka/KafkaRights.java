package io.croupier.job.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/**
 * Checks, before the job starts, that the brokers grant the rights that it needs. Without this
 * check the job would fail when it writes the first record to a topic, perhaps after days.
 */
public final class KafkaRights {
  private static final RemoveMembersFromConsumerGroupOptions NOBODY =
      new RemoveMembersFromConsumerGroupOptions(
          Set.of(new MemberToRemove("croupier-asks-for-its-rights")));

  private KafkaRights() {}

  /**
   * Checks the rights on existing topics. Brokers without an authorizer allow everything.
   *
   * @param inputs topics that the job doesn't write
   * @throws IllegalStateException if rights are missing; the message names all of them
   */
  static void requireTopics(Admin admin, Set<String> inputs, Collection<String> needed)
      throws ExecutionException, InterruptedException {
    Map<String, TopicDescription> descriptions =
        admin
            .describeTopics(needed, new DescribeTopicsOptions().includeAuthorizedOperations(true))
            .allTopicNames()
            .get();
    List<String> missing = new ArrayList<>();
    for (String topic : new TreeSet<>(needed)) {
      // The sink lists the open transactions of its topics, which requires the right to read them.
      Set<AclOperation> rights = EnumSet.of(AclOperation.READ, AclOperation.DESCRIBE_CONFIGS);
      if (!inputs.contains(topic)) {
        rights.add(AclOperation.WRITE);
      }
      add(missing, topic, rights, descriptions.get(topic).authorizedOperations());
    }
    if (!missing.isEmpty()) {
      throw missing(String.join(", ", missing));
    }
  }

  /**
   * Checks the right to commit to the consumer group of the sources. The brokers don't describe a
   * group without offsets, so this method removes a member that doesn't exist, which changes
   * nothing and requires the same right.
   *
   * @throws IllegalStateException if it is missing
   */
  public static void requireGroup(Admin admin, String group)
      throws ExecutionException, InterruptedException {
    try {
      admin.removeMembersFromConsumerGroup(group, NOBODY).all().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupAuthorizationException) {
        throw missing("Read on group " + group);
      }
      if (!(e.getCause() instanceof UnknownMemberIdException)) {
        throw e;
      }
    }
  }

  /**
   * Runs {@code question}, a query for the brokers' own settings.
   *
   * @throws IllegalStateException if the right to describe them is missing
   */
  static <T> T askCluster(KafkaFuture<T> question) throws ExecutionException, InterruptedException {
    try {
      return question.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ClusterAuthorizationException) {
        throw missing("DescribeConfigs on the cluster");
      }
      throw e;
    }
  }

  private static IllegalStateException missing(String rights) {
    return new IllegalStateException(
        "The job lacks rights on the brokers: grant it %s (kafka-acls.sh --add)".formatted(rights));
  }

  /**
   * Adds those of {@code rights} that are not granted; null if the brokers don't return the granted
   * ones.
   */
  private static void add(
      List<String> missing, String topic, Set<AclOperation> rights, Set<AclOperation> granted) {
    if (granted == null || granted.containsAll(rights)) {
      return;
    }
    missing.add(
        rights.stream()
            .filter(right -> !granted.contains(right))
            .map(KafkaRights::name)
            .collect(Collectors.joining(" and ", "", " on topic " + topic)));
  }

  /** The name in the style of kafka-acls.sh, such as DescribeConfigs. */
  private static String name(AclOperation right) {
    return List.of(right.name().split("_", -1)).stream()
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }
}
