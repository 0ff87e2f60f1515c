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

  /**
   * Adds up all accounts on the accounting topic in a job of its own, then starts from the
   * savepoint that this job leaves, as {@link #REBUILT}.
   */
  REBUILD,

  /**
   * Starts from the savepoint of a rebuild, with the reports behind the last accounted ones.
   * Without this state, it does the same as {@link #REQUIRE_STATE}.
   */
  REBUILT,

  /**
   * Forgets what all users have spent, but continues after the last report on the accounting topic,
   * too.
   */
  NEW
}
