package io.croupier.cli;

import static java.util.Map.entry;

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
      Set.of("gateway", "trusted", "consumer", "auditor", "watcher", "operator", "builder", "job");

  private static final Topics TOPICS = Topics.withPrefix("croupier");

  private static final Map<String, Set<String>> READ =
      Map.ofEntries(
          entry(TOPICS.models(), Set.of("operator", "watcher", "job")),
          entry(TOPICS.gradients(), Set.of("job")),
          entry(TOPICS.rawGradients(), Set.of("job")),
          entry(TOPICS.erasures(), Set.of("job")),
          entry(TOPICS.stops(), Set.of("job")),
          entry(TOPICS.accountRequests(), Set.of("job")),
          entry(TOPICS.accountAnswers(), Set.of("job")),
          entry(
              TOPICS.updates(),
              Set.of("gateway", "trusted", "consumer", "watcher", "operator", "job")),
          entry(TOPICS.accounting(), Set.of("auditor", "watcher", "operator", "job")),
          entry(TOPICS.guarantees(), Set.of("auditor", "watcher", "job")),
          entry(TOPICS.journal(), Set.of("job")),
          entry(TOPICS.deadLetters(), Set.of("watcher", "job")),
          entry(TOPICS.rawDeadLetters(), Set.of("watcher", "job")),
          entry(TOPICS.progress(), Set.of("job")));

  private static final Map<String, Set<String>> WRITE =
      Map.ofEntries(
          entry(TOPICS.models(), Set.of("operator")),
          entry(TOPICS.gradients(), Set.of("gateway")),
          entry(TOPICS.rawGradients(), Set.of("trusted")),
          entry(TOPICS.erasures(), Set.of("operator")),
          entry(TOPICS.stops(), Set.of("operator")),
          // Gateways have rights of their own.
          entry(TOPICS.accountRequests(), Set.of()),
          entry(TOPICS.accountAnswers(), Set.of("job")),
          entry(TOPICS.updates(), Set.of("job")),
          entry(TOPICS.accounting(), Set.of("job")),
          entry(TOPICS.guarantees(), Set.of("job")),
          entry(TOPICS.journal(), Set.of("job")),
          entry(TOPICS.deadLetters(), Set.of("job")),
          entry(TOPICS.rawDeadLetters(), Set.of("job")),
          entry(TOPICS.progress(), Set.of("job")));

  private AccessMatrix() {}

  static boolean read(String user, String topic) {
    return READ.get(topic).contains(user);
  }

  static boolean write(String user, String topic) {
    return WRITE.get(topic).contains(user);
  }
}
