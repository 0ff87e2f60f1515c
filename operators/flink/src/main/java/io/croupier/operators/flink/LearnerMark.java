package io.croupier.operators.flink;

/** The last rounds of one learner subtask's models at a snapshot. A Flink POJO. */
public final class LearnerMark {
  /** When the snapshot was taken. */
  public long takenMs;

  /** Index of the subtask. */
  public int subtask;

  /** Number of the subtask's run, which no other run has; 0 up to release 0.2.0. */
  public long generation;

  /** How many records of progress the run has written for the subtask, as a whole. */
  public long records;

  /** The id of the progress topic, as two numbers. */
  public long progressIdHigh;

  public long progressIdLow;

  public String[] modelIds = {};

  /** The last round of each model, published at the snapshot or before. */
  public long[] rounds = {};
}
