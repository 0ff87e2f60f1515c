package io.croupier.operators.flink;

/**
 * How far one subtask of the ledger had come at a snapshot. A Flink POJO.
 *
 * <p>Invariants: the arrays have one entry for each source partition.
 */
public final class LedgerMark {
  /** Which subtask, of how many. */
  public int subtask;

  public int parallelism;

  /** When the newest checkpoint was taken that was known to be complete; else when it started. */
  public long confirmedMs;

  public String[] topics = {};
  public int[] partitions = {};

  /** The highest offset that was judged, before a restore by any subtask; -1 for none. */
  public long[] judged = {};

  /** The highest that this subtask had judged by {@link #confirmedMs}; -1 for none. */
  public long[] confirmed = {};

  /** The highest that it has judged since then; -1 for none. */
  public long[] unconfirmed = {};
}
