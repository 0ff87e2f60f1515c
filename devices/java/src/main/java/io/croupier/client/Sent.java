package io.croupier.client;

/**
 * What a report that was acknowledged is about, never what it states. The device's secret decides
 * that, not its data.
 *
 * @param about what the round asked for
 * @param sequence the report's number in the ledger, from 0
 */
public record Sent(About about, long sequence) {
  /** What a round may ask for. */
  public enum About {
    /** The gradient of the person's loss. */
    GRADIENT,
    /** Whether the size of the gradient is above the clip. */
    SIZE,
    /** The answer to a question about the average. */
    QUESTION,
    /** The person's category or value in a statistic. */
    STATISTIC
  }
}
