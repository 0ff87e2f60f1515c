package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * A mechanism that releases prefix sums with noise. Immutable; {@link #start} creates the state.
 *
 * <p>Variances are per coordinate, in units of (L sigma)^2.
 */
public sealed interface PrefixNoise permits TreeNoise, BltNoise {

  /** Returns the most steps; a {@link PrefixSum} refuses further ones. */
  long maxSteps();

  /**
   * Returns the largest squared sensitivity of the first {@code steps} releases to one user, in
   * clipping norms, under zero-out.
   *
   * @param steps from 1 to {@link #maxSteps}
   */
  double zeta(long steps, ParticipationLimits limits);

  /**
   * Returns the total variation between the noise and the law that makes the releases sqrt(zeta) /
   * sigma-GDP, for one user.
   *
   * @param dimension d
   * @param zeta zeta of the user, with weight 1 for each participation
   */
  double variation(int dimension, double zeta);

  /**
   * Returns the variance of the noise of a prefix.
   *
   * @param step t, from 1 to {@link #maxSteps}
   */
  double variance(long step);

  /**
   * Returns how many vectors of d numbers the state has after the given number of steps, including
   * the sum.
   */
  int vectors(long step);

  /**
   * Starts a sum. The noise comes from a new secure generator, which the operating system keys anew
   * for every vector of noise, and which is not part of the state.
   *
   * @param dimension d, at least 1
   * @param after number of steps that count as taken, without data and without noise. The
   *     sensitivity counts them, and the variance of the noise stays below {@link #variance}.
   * @throws IllegalArgumentException if the level's noise doesn't fit the grid, or {@code after} is
   *     not between 0 and {@link #maxSteps}
   */
  PrefixSum start(int dimension, NoiseLevel level, long after);

  /**
   * Throws the exceptions of {@link #start}, without creating a sum.
   *
   * @throws IllegalArgumentException if the level's noise doesn't fit the grid
   */
  void check(int dimension, NoiseLevel level);
}
