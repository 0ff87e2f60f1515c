package io.croupier.operators.report;

/** The result of decoding one record. */
public sealed interface Decoded {

  /** The record contains a well-formed report. */
  record WellFormed(Report report) implements Decoded {}

  /**
   * The record can't be used and becomes a dead letter.
   *
   * @param reason why; never quotes a value of the gradient, and follows from no other field if
   *     {@code withheld}
   * @param withheld whether the dead letter must contain neither the record's key nor its value,
   *     nor anything derived from them: it is or may be a raw gradient outside the topic for raw
   *     gradients, or names a user to be erased
   */
  record Malformed(String reason, boolean withheld) implements Decoded {}
}
