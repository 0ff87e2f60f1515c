package io.croupier.job.kafka;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The job's sinks. Each runs in the tasks of the operator whose outputs it writes, and has
 * transactions of its own. The prefix of their ids is a function of the updates topic, so that two
 * jobs on one topic fence each other. A sink aborts every open transaction whose id begins with its
 * prefix, so no prefix may begin with another one: no topic has the + in its name.
 */
public enum OutputSink {
  /**
   * Accounting events, and dead letters of records that are no reports. Up to release 0.2.0, all
   * outputs had these transactional ids.
   */
  LEDGER("croupier-"),

  /** Updates, guarantees, the journal, and dead letters of specs. */
  LEARNER("croupier+learner-");

  private final String beforeTopic;

  OutputSink(String beforeTopic) {
    this.beforeTopic = beforeTopic;
  }

  /** Prefix of this sink's transactional ids, without the hyphen after it. */
  public String transactions(String updatesTopic) {
    return beforeTopic + updatesTopic;
  }

  /** The prefixes of all sinks of a job. */
  public static Set<String> allTransactions(String updatesTopic) {
    return Stream.of(values())
        .map(sink -> sink.transactions(updatesTopic))
        .collect(Collectors.toUnmodifiableSet());
  }
}
