package io.croupier.operators.flink;

/** The last rounds of one learner subtask's models at a snapshot. A Flink POJO. */
public final class LearnerMark {
  /** When the snapshot was taken. */
  public long takenMs;

  public String[] modelIds = {};

  /** The last round of each model, published at the snapshot or before. */
  public long[] rounds = {};
}
