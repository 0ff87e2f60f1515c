package io.croupier.operators.flink;

/**
 * The progress of one subtask of the ledger at a snapshot. A Flink POJO.
 *
 * <p>Invariant: the arrays have one entry for each source partition, except for {@link
 * #confirmedEnds}.
 */
public final class LedgerMark {
  /** Index of the subtask; {@link #parallelism} is the number of subtasks. */
  public int subtask;

  public int parallelism;

  /**
   * When the newest checkpoint known to be complete was taken; before the first one, when the
   * subtask started. Milliseconds since 1970.
   */
  public long confirmedMs;

  /** The id of the accounting topic, as two numbers; both 0 if it isn't known. */
  public long accountingIdHigh;

  public long accountingIdLow;

  /**
   * An end of each partition of the accounting topic, before which no report was accounted for that
   * this subtask has judged since {@link #confirmedMs}; empty if it isn't known.
   */
  public long[] confirmedEnds = {};

  public String[] topics = {};
  public int[] partitions = {};

  /**
   * The highest judged offset: since the restore by this subtask, before it by any; -1 for none.
   */
  public long[] judged = {};

  /** The highest offset that this subtask had judged at {@link #confirmedMs}; -1 for none. */
  public long[] confirmed = {};

  /** The highest offset that this subtask has judged since then; -1 for none. */
  public long[] unconfirmed = {};

  /** Whether no account is in the states of release 0.1.0, which didn't have this field. */
  public boolean noFormerAccounts;

  /**
   * Whether a rebuild has written this mark, and no job has run on its accounts yet. Releases up to
   * 0.1.0 didn't have this field, and the next two.
   */
  public boolean rebuilt;

  /** Whether a rebuild has written this mark before all events were in the accounts. */
  public boolean eventsMissing;

  /** The events that a rebuild has added to the accounts; 0 in other marks. */
  public long eventsAdded;

  /**
   * Whether no digests are in the state of release 0.2.0; releases up to it didn't have this field.
   */
  public boolean noFormerDigests;
}
