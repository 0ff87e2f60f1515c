package io.croupier.operators.report;

/** A digest that distinguishes a report that is sent again from another one. */
interface ReportDigest {
  /** Returns 64 bits of the digest of a record's bytes. */
  long of(byte[] bytes);
}
