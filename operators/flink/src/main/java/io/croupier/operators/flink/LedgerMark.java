package io.croupier.operators.flink;

/**
 * The progress of one subtask of the ledger at a snapshot. A Flink POJO.
 *
 * <p>Invariant: the arrays have one entry for each source partition, except for {@link
 * #confirmedEnds}, {@link #progressEnds} and those of the sources.
 */
public final class LedgerMark {
  /** Index of the subtask; {@link #parallelism} is the number of subtasks. */
  public int subtask;

  public int parallelism;

  /** When the snapshot was taken, in milliseconds since 1970; 0 up to release 0.2.0. */
  public long takenMs;

  /**
   * Number of the subtask's run, which no other run has; 0 up to release 0.2.0 and in marks of a
   * rebuild, which write no records of progress.
   */
  public long generation;

  /** How many records of progress the run has written, all of them before the snapshot. */
  public long records;

  /** The id of the progress topic, as two numbers. */
  public long progressIdHigh;

  public long progressIdLow;

  /** The end of each partition of the progress topic before the run has written to it. */
  public long[] progressEnds = {};

  /**
   * When the subtask started; up to release 0.2.0, when the newest checkpoint known to be complete
   * was taken, if there was one. Milliseconds since 1970.
   */
  public long confirmedMs;

  /**
   * The id of the accounting topic, as two numbers: up to release 0.2.0, and in marks of a rebuild;
   * otherwise, and if it isn't known, both are 0.
   */
  public long accountingIdHigh;

  public long accountingIdLow;

  /**
   * Up to release 0.2.0, an end of each partition of the accounting topic, before which no report
   * was accounted for that this subtask has judged since {@link #confirmedMs}; in marks of a
   * rebuild, the end up to which it reads; otherwise, and if it isn't known, empty.
   */
  public long[] confirmedEnds = {};

  /** The gradient topics; only in the mark of one subtask, and not up to release 0.2.0. */
  public String[] sources = {};

  /** The ids of {@link #sources}, each as two numbers. */
  public long[] sourceIdsHigh = {};

  public long[] sourceIdsLow = {};

  public String[] topics = {};
  public int[] partitions = {};

  /**
   * The highest judged offset: since the restore by this subtask, before it by any; -1 for none.
   */
  public long[] judged = {};

  /**
   * The highest offset that had been judged at {@link #confirmedMs}, by any subtask; up to release
   * 0.2.0, by this one. -1 for none.
   */
  public long[] confirmed = {};

  /** The highest offset that this subtask has judged since then; -1 for none. */
  public long[] unconfirmed = {};

  /** Whether a rebuild has written this mark, and no job has run on its accounts yet. */
  public boolean rebuilt;

  /** Whether a rebuild has written this mark before all events were in the accounts. */
  public boolean eventsMissing;

  /**
   * Whether no digests are in the state of release 0.2.0; releases up to it didn't have this field.
   */
  public boolean noFormerDigests;

  /** The key of the ledger's digests, as two numbers; both are 0 for none. */
  public long digestKeyFirst;

  public long digestKeySecond;
}
