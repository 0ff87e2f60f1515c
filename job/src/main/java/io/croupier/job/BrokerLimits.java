package io.croupier.job;

import java.io.Serializable;
import java.time.Duration;

/**
 * What the brokers allow, as far as the job must know before it starts.
 *
 * @param reportBytes largest record of the gradient topics
 * @param updateBytes largest record of the updates topic
 * @param deadLetterBytes largest record of both dead-letter topics
 * @param journalBytes largest record of the journal topic; 0 if no journal is kept
 * @param largestRecord largest record of any output topic
 * @param transactionTimeout longest that a transaction may stay open
 */
record BrokerLimits(
    int reportBytes,
    int updateBytes,
    int deadLetterBytes,
    int journalBytes,
    int largestRecord,
    Duration transactionTimeout)
    implements Serializable {

  /** Kafka's defaults, for a plan that is printed without asking a broker. */
  static final BrokerLimits DEFAULTS =
      new BrokerLimits(1048588, 1048588, 1048588, 1048588, 1048588, Duration.ofMinutes(15));
}
