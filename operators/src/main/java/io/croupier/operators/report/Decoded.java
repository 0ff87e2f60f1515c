package io.croupier.operators.report;

/** What became of the bytes of one record. */
public sealed interface Decoded {

  /** The record holds a well-formed report. */
  record WellFormed(Report report) implements Decoded {}

  /**
   * The record can't be used and goes to the dead letters.
   *
   * @param reason why, in words; never quotes a value of the gradient
   * @param withheld whether the dead letter must show neither the record's key nor its value, nor
   *     what follows from them, since it is or may be a raw gradient outside the topic for raw
   *     gradients
   */
  record Malformed(String reason, boolean withheld) implements Decoded {}
}
