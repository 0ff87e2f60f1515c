package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * A way of releasing prefix sums with noise. Immutable; {@link #start} gives the state.
 *
 * <p>Variances are per coordinate, in units of (L sigma)^2.
 */
public sealed interface PrefixNoise permits TreeNoise, BltNoise {

  /** The most steps; a {@link PrefixSum} refuses to go on. */
  long maxSteps();

  /**
   * The largest squared sensitivity to one user, in clipping norms, under zero-out, of the first
   * {@code steps} releases.
   *
   * @param steps from 1 to {@link #maxSteps}
   */
  double zeta(long steps, ParticipationLimits limits);

  /**
   * How far the noise is from the law that makes the releases sqrt(zeta) / sigma-GDP: total
   * variation, for one person.
   *
   * @param dimension d
   * @param zeta of the person, each participation weighing 1
   */
  double variation(int dimension, double zeta);

  /**
   * Variance of the noise of a prefix.
   *
   * @param step t, from 1 to {@link #maxSteps}
   */
  double variance(long step);

  /** How many vectors of d numbers the state has after so many steps, the sum included. */
  int vectors(long step);

  /**
   * Begins. The noise comes from a secure generator that is made here, keyed by the operating
   * system, again for every vector of noise, and no part of the state.
   *
   * @param dimension d, at least 1
   * @param after steps that count as taken: they were without data, and leave no noise. A
   *     sensitivity counts them, and the noise stays below {@link #variance}.
   * @throws IllegalArgumentException if the level's noise doesn't fit the grid, or {@code after} is
   *     not between 0 and {@link #maxSteps}
   */
  PrefixSum start(int dimension, NoiseLevel level, long after);

  /**
   * Throws what {@link #start} would, and makes nothing.
   *
   * @throws IllegalArgumentException if the level's noise doesn't fit the grid
   */
  void check(int dimension, NoiseLevel level);

  /** Begins with the first step, or gives what is to be restored: {@code after} is 0. */
  default PrefixSum start(int dimension, NoiseLevel level) {
    return start(dimension, level, 0);
  }
}
