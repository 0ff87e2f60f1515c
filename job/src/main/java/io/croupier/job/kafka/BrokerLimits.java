package io.croupier.job.kafka;

import java.io.Serializable;
import java.time.Duration;

/**
 * The limits of the brokers that the job needs before it starts.
 *
 * @param reportBytes largest record of the gradient topics, in bytes
 * @param updateBytes largest record of the updates topic, in bytes
 * @param deadLetterBytes largest record of both dead-letter topics, in bytes
 * @param journalBytes largest record of the journal topic, in bytes; 0 without a journal
 * @param largestRecord largest record of any output topic, in bytes
 * @param transactionTimeout longest time that a transaction may stay open
 */
public record BrokerLimits(
    int reportBytes,
    int updateBytes,
    int deadLetterBytes,
    int journalBytes,
    int largestRecord,
    Duration transactionTimeout)
    implements Serializable {

  /** Kafka's defaults, for a plan that is printed without a connection to a broker. */
  public static final BrokerLimits DEFAULTS =
      new BrokerLimits(1048588, 1048588, 1048588, 1048588, 1048588, Duration.ofMinutes(15));
}
