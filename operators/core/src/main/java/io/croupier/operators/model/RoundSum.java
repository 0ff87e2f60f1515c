package io.croupier.operators.model;

import io.croupier.operators.report.VectorForm;

/**
 * One report, or the sum of several that name the same round: all that a learner receives of users.
 * An answer or a vote is never summed up. {@link LocalModel} and {@link CentralModel} add it.
 *
 * <p>A Flink POJO. It contains no user, and of the declarations only {@link #weightExponent},
 * {@link #directionalVariance}, {@link #response} and, of a vote, {@link #groups} and {@link
 * #level}, and of an anonymous report {@link #anonymousLevel}.
 */
public final class RoundSum {
  public String modelId = "";

  /** The published round at whose weights the gradients were evaluated. */
  public long namedRound;

  /** Number of reports summed up, at least 1. */
  public int count;

  /** k: each of the reports has the weight 2^-k, by the noise that it declares. */
  public int weightExponent;

  /**
   * Sum of the reports' sub-exponential variances along one direction, rounded up so that sums are
   * exact; 0 unless the learner is BANCO.
   */
  public double directionalVariance;

  /**
   * The gradient bound that the reports were made with, if the model's clip moves; 0: that of the
   * spec.
   */
  public double gradientBound;

  public VectorForm form = VectorForm.DENSE;
  public int dimension;

  /** The values are multiples of 2 to this power. */
  public int exponent;

  /** The summed vector in the layout of {@link #form}. */
  public byte[] values = {};

  /** Coordinates of sparse values; otherwise empty. */
  public int[] indices = {};

  /**
   * Of sparse values: how many reports name each coordinate; empty: one report, which names all.
   */
  public int[] touches = {};

  /**
   * Name of the question that is answered, or of the statistic; otherwise empty, in states of
   * earlier releases null.
   */
  public String question = "";

  /**
   * Of an answer, the strength h of its randomised response, negative if the randomised bit is no;
   * otherwise 0.
   */
  public double response;

  /** Of a vote, the seed that assigns categories to groups, if it has one; otherwise 0. */
  public long seed;

  /** Whether a vote has a seed. */
  public boolean isHashed;

  /** Of a vote, the released group, from 0; otherwise 0. */
  public int group;

  /** Of a vote, the declared number of groups; otherwise 0. */
  public int groups;

  /** Of a vote, the declared epsilon; otherwise 0. */
  public double level;

  /**
   * Of a report without identity, the place of its declaration among the levels of the spec, from
   * 1; 0: it has an identity.
   */
  public int anonymousLevel;

  /** When the broker appended the oldest of the reports, ms since 1970; 0 if that is unknown. */
  public long appendedAtMs;

  /** Position on the models topic of the spec under which the reports were admitted. */
  public long specOffset;

  /**
   * Partitions of the gradients topic that the reports came from, in the order in which they were
   * summed up; empty if no journal is kept.
   */
  public int[] partitions = {};

  /** Offsets of the reports, in the same order; empty if no journal is kept. */
  public long[] offsets = {};
}
