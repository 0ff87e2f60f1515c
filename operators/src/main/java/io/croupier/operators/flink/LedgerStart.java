package io.croupier.operators.flink;

/**
 * What a job does that starts without state. One that restores its state does none of this,
 * whatever is said.
 */
public enum LedgerStart {
  /** Begins with an empty ledger, but only if the accounting topic holds no account. */
  REQUIRE_STATE,

  /** Adds up all accounts on the accounting topic, and goes on behind the last report on it. */
  REBUILD,

  /** Forgets what everybody has spent, but goes on behind the last report, too. */
  NEW
}
