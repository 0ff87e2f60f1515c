package io.croupier.operators.report;

/**
 * Where a record was read.
 *
 * @param appendedAtMs when the broker appended it, milliseconds since 1970; 0 if that is unknown
 */
public record Source(String topic, int partition, long offset, long appendedAtMs) {

  /** The source of a record whose position is not used. */
  public static Source unknown(long appendedAtMs) {
    return new Source("", 0, 0, appendedAtMs);
  }
}
