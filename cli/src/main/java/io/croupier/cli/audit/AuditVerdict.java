package io.croupier.cli.audit;

/** What an audit of a randomiser that adds no noise to a vector has found. */
interface AuditVerdict {

  /** The findings as text, without a final line separator. */
  String text();

  /** Whether the claim is refuted. */
  boolean refuted();
}
