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
 * @param reports whose ends alone the page takes; topics of both kinds of reports
 */
public record WatchedTopics(
    String models,
    String updates,
    String accounting,
    String guarantees,
    List<String> deadLetters,
    List<String> reports) {

  /** Copies the lists. */
  public WatchedTopics {
    reports = List.copyOf(reports);
    deadLetters = List.copyOf(deadLetters);
  }

  /** The topics of a deployment, with the dead letters of both kinds of reports. */
  public static WatchedTopics of(Topics topics) {
    return new WatchedTopics(
        topics.models(),
        topics.updates(),
        topics.accounting(),
        topics.guarantees(),
        List.of(topics.deadLetters(), topics.rawDeadLetters()),
        List.of(topics.gradients(), topics.rawGradients()));
  }
}
