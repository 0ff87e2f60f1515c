package io.croupier.accounting.tree;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.NeighbouringRelation;
import io.croupier.accounting.ZeroConcentratedDp;
import java.util.List;

/**
 * The guarantee of a release by tree aggregation to each user. All its noisy nodes together are one
 * Gaussian mechanism, with mu^2 = sum zeta_i / sigma_i^2 over its parts, and so are successive
 * trees, chosen adaptively or not. Immutable.
 *
 * <p>Spending is rounded up. The guarantee assumes exact arithmetic; noise in floating point only
 * approximates it.
 *
 * @param parts groups of trees with the same noise; one part unless the noise changes
 * @param relation the neighbouring relation of all results
 */
public record TreeRelease(List<TreePart> parts, NeighbouringRelation relation) {
  /** Largest squared sensitivity, above that of every {@link Schedule}. */
  public static final long MAX_ZETA = (1L << 61) - 1;

  /** Factor that increases the noise if rounding makes epsilon exceed the requested one. */
  private static final double ROUNDING = 1 + 0x1p-40;

  /**
   * Trees with the same noise.
   *
   * @param zeta squared sensitivity in clipping norms, under zero-out, from 0 to {@link #MAX_ZETA}
   * @param noiseMultiplier sigma: standard deviation of a node's noise in clipping norms, positive
   */
  public record TreePart(long zeta, double noiseMultiplier) {
    /**
     * Checks the part.
     *
     * @throws IllegalArgumentException naming the field that is out of range
     */
    public TreePart {
      checkZeta(zeta);
      if (!(noiseMultiplier > 0 && noiseMultiplier <= Double.MAX_VALUE)) {
        throw new IllegalArgumentException(
            "noiseMultiplier is " + noiseMultiplier + "; it must be positive and finite");
      }
    }
  }

  /**
   * Checks the release.
   *
   * @throws IllegalArgumentException if all parts together exceed {@link #MAX_ZETA}
   */
  public TreeRelease {
    parts = List.copyOf(parts);
    long total = 0;
    for (TreePart part : parts) {
      total = checkZeta(total + part.zeta());
    }
  }

  /** Trees with the same noise. */
  public static TreeRelease of(long zeta, double noiseMultiplier, NeighbouringRelation relation) {
    return new TreeRelease(List.of(new TreePart(zeta, noiseMultiplier)), relation);
  }

  /**
   * The least noise multiplier with which trees are (epsilon, delta)-DP by the exact Gaussian
   * trade-off, rounded up by a relative error below 10^-11: {@link #epsilon} of the release is at
   * most the requested one.
   *
   * @param zeta as in {@link TreePart}, at least 1
   * @param epsilon requested epsilon, positive and finite
   * @param delta requested delta, between 0 and 1
   * @throws IllegalArgumentException naming the argument that is out of range
   */
  public static double noiseMultiplier(
      long zeta, double epsilon, double delta, NeighbouringRelation relation) {
    if (checkZeta(zeta) == 0) {
      throw new IllegalArgumentException(
          "zeta is 0; it must be at least 1, since zeta 0 requires no noise");
    }
    if (!(epsilon > 0 && epsilon <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "epsilon is " + epsilon + "; it must be positive and finite");
    }
    double mu = GaussianDp.mu(epsilon, logOf(delta));
    double sigma = GaussianDp.rootQuotient(roundUp(inDistances(zeta, relation)), mu);
    while (of(zeta, sigma, relation).epsilon(delta) > epsilon) {
      sigma *= ROUNDING;
    }
    return sigma;
  }

  /** The squared sensitivity under the relation: that of zero-out, times 4 under replace-one. */
  public long zeta() {
    long zeta = 0;
    for (TreePart part : parts) {
      zeta += inDistances(part.zeta(), relation);
    }
    return zeta;
  }

  /** The mu of Gaussian differential privacy. */
  public double mu() {
    double[] mus = new double[parts.size()];
    for (int i = 0; i < mus.length; i++) {
      TreePart part = parts.get(i);
      double zeta = roundUp(inDistances(part.zeta(), relation));
      mus[i] = GaussianDp.rootQuotient(zeta, part.noiseMultiplier());
    }
    return GaussianDp.compose(mus);
  }

  /**
   * The least epsilon at delta.
   *
   * @param delta between 0 and 1
   * @throws IllegalArgumentException if it is not
   */
  public double epsilon(double delta) {
    return GaussianDp.epsilon(mu(), logOf(delta));
  }

  /**
   * The epsilon at delta by the method of [KMSTTX21], for comparison: Renyi differential privacy of
   * a mu^2 / 2 at order a, turned into (epsilon, delta) at the best of all real orders. It is 3 to
   * 8% above {@link #epsilon} where the paper uses it.
   *
   * @param delta between 0 and 1
   * @throws IllegalArgumentException if it is not
   */
  public double epsilonRenyi(double delta) {
    double mu = mu();
    return ZeroConcentratedDp.epsilon(Math.nextUp(mu * mu / 2), logOf(delta));
  }

  private static double logOf(double delta) {
    if (!(delta > 0 && delta < 1)) {
      throw new IllegalArgumentException("delta is " + delta + "; it must be between 0 and 1");
    }
    return StrictMath.log(delta);
  }

  private static long checkZeta(long zeta) {
    if (zeta < 0 || zeta > MAX_ZETA) {
      throw new IllegalArgumentException(
          "zeta is " + zeta + "; it must be between 0 and " + MAX_ZETA);
    }
    return zeta;
  }

  private static long inDistances(long zeta, NeighbouringRelation relation) {
    return zeta * relation.distances() * relation.distances();
  }

  /** Converts to a double, rounded up. */
  private static double roundUp(long zeta) {
    double rounded = (double) zeta;
    return (long) rounded < zeta ? Math.nextUp(rounded) : rounded;
  }
}
