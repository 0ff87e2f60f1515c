package io.croupier.gateway.watch;

import io.croupier.schemas.Topics;
import java.util.List;

/**
 * The topics from which the page takes its numbers.
 *
 * @param models specs
 * @param updates updates of models
 * @param accounting the ledger's events
 * @param guarantees guarantees of central models
 * @param deadLetters unreadable records, one or more topics
 */
public record WatchedTopics(
    String models, String updates, String accounting, String guarantees, List<String> deadLetters) {

  /** Copies the list. */
  public WatchedTopics {
    deadLetters = List.copyOf(deadLetters);
  }

  /** The topics of a deployment, with the dead letters of both kinds of reports. */
  public static WatchedTopics of(Topics topics) {
    return new WatchedTopics(
        topics.models(),
        topics.updates(),
        topics.accounting(),
        topics.guarantees(),
        List.of(topics.deadLetters(), topics.rawDeadLetters()));
  }
}
