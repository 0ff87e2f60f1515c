package io.croupier.cli;

import io.croupier.schemas.Topics;
import java.util.Map;
import java.util.Set;

/**
 * Who may read and write what, by what is at stake, and not by what is granted: a right that is too
 * wide is seen here only.
 */
final class AccessMatrix {
  /** All principals that have a password. */
  static final Set<String> USERS =
      Set.of("gateway", "trusted", "consumer", "auditor", "operator", "builder", "job");

  private static final Topics TOPICS = Topics.withPrefix("croupier");

  private static final Map<String, Set<String>> READ =
      Map.of(
          TOPICS.models(), Set.of("operator", "job"),
          TOPICS.gradients(), Set.of("job"),
          TOPICS.rawGradients(), Set.of("job"),
          TOPICS.updates(), Set.of("gateway", "trusted", "consumer", "job"),
          TOPICS.accounting(), Set.of("auditor", "job"),
          TOPICS.guarantees(), Set.of("auditor", "job"),
          TOPICS.journal(), Set.of("job"),
          TOPICS.deadLetters(), Set.of("job"),
          TOPICS.rawDeadLetters(), Set.of("job"),
          TOPICS.progress(), Set.of("job"));

  private static final Map<String, Set<String>> WRITE =
      Map.of(
          TOPICS.models(), Set.of("operator"),
          TOPICS.gradients(), Set.of("gateway"),
          TOPICS.rawGradients(), Set.of("trusted"),
          TOPICS.updates(), Set.of("job"),
          TOPICS.accounting(), Set.of("job"),
          TOPICS.guarantees(), Set.of("job"),
          TOPICS.journal(), Set.of("job"),
          TOPICS.deadLetters(), Set.of("job"),
          TOPICS.rawDeadLetters(), Set.of("job"),
          TOPICS.progress(), Set.of("job"));

  private AccessMatrix() {}

  static boolean read(String user, String topic) {
    return READ.get(topic).contains(user);
  }

  static boolean write(String user, String topic) {
    return WRITE.get(topic).contains(user);
  }
}
