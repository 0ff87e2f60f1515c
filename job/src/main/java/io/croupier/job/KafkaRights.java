package io.croupier.job;

import io.croupier.schemas.Topics;
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
 * Asks the brokers, before there is a job, whether they allow what it will do. Else it would fail
 * when the first record of a kind is to be written, perhaps after days.
 */
final class KafkaRights {
  private static final RemoveMembersFromConsumerGroupOptions NOBODY =
      new RemoveMembersFromConsumerGroupOptions(
          Set.of(new MemberToRemove("croupier-asks-for-its-rights")));

  private KafkaRights() {}

  /**
   * Checks the rights on topics that exist. Brokers that check no rights allow everything.
   *
   * @throws IllegalStateException if rights are missing; the message names all of them
   */
  static void requireTopics(Admin admin, Topics topics, Collection<String> needed)
      throws ExecutionException, InterruptedException {
    Set<String> inputs = Set.of(topics.models(), topics.gradients(), topics.rawGradients());
    Map<String, TopicDescription> descriptions =
        admin
            .describeTopics(needed, new DescribeTopicsOptions().includeAuthorizedOperations(true))
            .allTopicNames()
            .get();
    List<String> missing = new ArrayList<>();
    for (String topic : new TreeSet<>(needed)) {
      // The sink looks for open transactions on what it writes, and may do so only as a reader.
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
   * Checks the right to commit to the consumer group, where the sources tell how far they are. The
   * brokers don't describe a group that has no offsets yet. So somebody is sent away who isn't
   * there, which changes nothing, and takes the same right.
   *
   * @throws IllegalStateException if it is missing
   */
  static void requireGroup(Admin admin, String group)
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
   * Asks for the brokers' own settings by {@code question}.
   *
   * @throws IllegalStateException if the right to ask is missing
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
        "The brokers don't allow the job to do its work: let it have %s (kafka-acls.sh --add)"
            .formatted(rights));
  }

  /** Adds which of {@code rights} are not among those granted; brokers may not tell them (null). */
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

  /** As kafka-acls.sh has it: DescribeConfigs. */
  private static String name(AclOperation right) {
    return List.of(right.name().split("_", -1)).stream()
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }
}
