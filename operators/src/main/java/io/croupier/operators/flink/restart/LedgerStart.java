package io.croupier.operators.flink.restart;

/**
 * What a job does with the accounts when it starts without state. A job that restores its state
 * ignores this setting.
 */
public enum LedgerStart {
  /**
   * Begins with an empty ledger, and refuses to start if the accounting topic contains an account.
   */
  REQUIRE_STATE,

  /** Adds up all accounts on the accounting topic, and continues after its last report. */
  REBUILD,

  /**
   * Forgets what all users have spent, but continues after the last report on the accounting topic,
   * too.
   */
  NEW
}
