package io.croupier.operators.report;

/** The format of the bytes of a vector. All values are little-endian. */
public enum VectorForm {
  /** 64-bit floating-point values. */
  DENSE,
  /** 32-bit integers: multiples of the model's grid step. */
  GRID,
  /** 64-bit integers: exact sums, multiples of a grid step. */
  GRID_SUM,
  /** 64-bit floating-point values at the coordinates named by separate indices; zero elsewhere. */
  SPARSE,
  /** 64-bit floating-point features of one observation; its label is a separate field. */
  EXAMPLE,
  /** No values: states number the forms by their places. */
  CANDIDATE,
  /** No values: one randomised bit, the answer to a question. */
  ANSWER,
  /** 64-bit integers at the coordinates named by separate indices: exact sums. */
  SPARSE_SUM,
  /** No values: one randomised group, the vote for a statistic. */
  VOTE,
  /** No values: states name it. */
  TOKEN;

  /** Whether a sum of this form is of gradients, and no answer or vote. */
  public boolean isGradient() {
    return this != ANSWER && this != VOTE;
  }
}
