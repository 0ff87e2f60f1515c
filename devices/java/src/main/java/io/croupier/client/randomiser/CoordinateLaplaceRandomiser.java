package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.noise.ExactNoise;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;
import java.nio.DoubleBuffer;

/**
 * Discrete Laplace noise on the grid, with a separate level for each coordinate: in coordinate j,
 * the noise is z steps with probability proportional to exp(-|z| / s_j), s_j = 2G / tau_j in grid
 * steps, rounded up to a whole one. The law is exact [CKS20].
 *
 * <p>Gradients are clipped to L2 norm G, which is valid for every learner, or only to |g_j| &lt;= G
 * in every coordinate, which preserves more of the gradient for coordinate-wise learners. In either
 * case |g_j| &lt;= G, so the noise is the same, but the guarantee differs. With D the difference of
 * two clipped gradients, the logarithm of a probability changes by at most the sum of |D_j| / s_j
 * &lt;= tau_j |D_j| / 2G. So the following guarantees hold exactly, under replace-one, and the
 * declaration states which one applies:
 *
 * <ul>
 *   <li>{@link ClippingNorm#L2}: as ||D|| &lt;= 2G, the release is ||tau||-LDP for the whole
 *       gradient (Cauchy and Schwarz; two gradients along tau reach it), and costs that. It
 *       guarantees nothing for a single coordinate: the clip scales all of them by G / ||g||, so a
 *       change of coordinate j changes the others. A coordinate without noise would reveal that
 *       factor, so every tau is finite.
 *   <li>{@link ClippingNorm#COORDINATES}: as |D_j| &lt;= 2G, and D_j depends on coordinate j alone,
 *       the release is tau_j-LDP for coordinate j, and LDP with the sum of the finite taus for all
 *       of those together, which opposite corners of the cube reach, and costs that. A coordinate
 *       of infinite tau is not private: it is released without noise, clipped and rounded.
 * </ul>
 *
 * <p>With S(x) = sinh^2(x / 2), b and s in steps: variance of a coordinate 1 / (2 S(1 / s)), at
 * most 2 s^2; moment generating function 1 / (1 - S(b) / S(1 / s)) for |b| &lt; 1 / s. Both grow
 * with s, so along any direction the coordinate of the smallest tau bounds them. The declared pair
 * uses half of the distance to the pole, b = 1 / (2 s).
 *
 * <p>Overflow is bounded by the tail 2 exp(-x / s) / (1 + exp(-1 / s)) of |z| >= x, for the
 * smallest tau, and the union over the private coordinates.
 *
 * <p>O(d) per release.
 */
public final class CoordinateLaplaceRandomiser extends AdditiveRandomiser {
  private final CoordinateLaplaceMechanism mechanism;
  private final ClippingNorm clip;

  /** Scales in grid steps, rounded up; 0: no noise. */
  private final int[] scales;

  private final int largestScale;
  private final ExactNoise noise;

  /**
   * A randomiser for any model: gradients are clipped to L2 norm G.
   *
   * @param gradientBound G; positive
   * @param gridExponent the model's e
   * @param taus in nats, shape [d], copied; positive and finite
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  public CoordinateLaplaceRandomiser(double gradientBound, int gridExponent, double[] taus) {
    this(gradientBound, gridExponent, taus, ClippingNorm.L2);
  }

  /**
   * A randomiser for a model whose learner is known.
   *
   * @param gradientBound G; positive
   * @param gridExponent the model's e
   * @param taus in nats, shape [d], copied; positive, with {@link ClippingNorm#COORDINATES}
   *     infinite for a coordinate that is not private
   * @param clip {@link ClippingNorm#COORDINATES} only if the model's learner is coordinate-wise
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  public CoordinateLaplaceRandomiser(
      double gradientBound, int gridExponent, double[] taus, ClippingNorm clip) {
    this(new GradientGrid(gradientBound, taus.length, gridExponent), taus, clip, new SecureBits());
  }

  CoordinateLaplaceRandomiser(
      GradientGrid grid, double[] taus, ClippingNorm clip, SecureBits bits) {
    this(grid, clip, bits, mechanism(taus, clip));
  }

  private CoordinateLaplaceRandomiser(
      GradientGrid grid, ClippingNorm clip, SecureBits bits, CoordinateLaplaceMechanism mechanism) {
    this(grid, clip, bits, mechanism, ReleaseCost.of(mechanism));
  }

  private CoordinateLaplaceRandomiser(
      GradientGrid grid,
      ClippingNorm clip,
      SecureBits bits,
      CoordinateLaplaceMechanism mechanism,
      ReleaseCost cost) {
    super(grid, clip, bits, mechanism, cost);
    this.mechanism = mechanism;
    this.clip = clip;
    int d = mechanism.count();
    requireRoom(mechanism.smallestTau(), d - mechanism.openCoordinates());
    scales = new int[d];
    int largest = 0;
    for (int j = 0; j < d; j++) {
      if (mechanism.tau(j) < Double.POSITIVE_INFINITY) {
        scales[j] = (int) grid.noiseSteps(mechanism.tau(j), grid.gridExponent());
        largest = Math.max(largest, scales[j]);
      }
    }
    largestScale = largest;
    noise = new ExactNoise(bits);
  }

  private static CoordinateLaplaceMechanism mechanism(double[] taus, ClippingNorm clip) {
    CoordinateLaplaceMechanism mechanism =
        new CoordinateLaplaceMechanism(
            DoubleBuffer.wrap(taus.clone()), DeclaredClip.valueOf(clip.name()), 0);
    for (int j = 0; clip == ClippingNorm.L2 && j < mechanism.count(); j++) {
      // Not the caller's array, which may have changed since.
      if (mechanism.tau(j) == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "taus["
                + j
                + "] is Infinity; it must be finite with the clip L2, which scales all"
                + " coordinates by the same factor, so that a coordinate without noise reveals"
                + " information about the others; with the clip COORDINATES it may be Infinity");
      }
    }
    return mechanism;
  }

  private void requireRoom(double smallestTau, double privateCoordinates) {
    grid.requireRoom(
        "the smallest tau " + smallestTau,
        (exponent, room) -> {
          if (privateCoordinates == 0) {
            return Double.NEGATIVE_INFINITY;
          }
          double scale = grid.noiseSteps(smallestTau, exponent);
          return Math.log(privateCoordinates * 2 / (1 + Math.exp(-1 / scale))) - (room + 1) / scale;
        });
  }

  /**
   * The tau of a coordinate, in nats: with {@link ClippingNorm#COORDINATES} a release spends it on
   * that coordinate; infinite if the coordinate is not private.
   */
  public double tau(int coordinate) {
    return mechanism.tau(coordinate);
  }

  /** The norm to which gradients are clipped. */
  public ClippingNorm clip() {
    return clip;
  }

  @Override
  CoordinateLaplaceRandomiser on(GradientGrid other, SecureBits bits) {
    return new CoordinateLaplaceRandomiser(other, clip, bits, mechanism, cost());
  }

  @Override
  public double directionalVariance() {
    if (largestScale == 0) {
      return 0;
    }
    double sinh = Math.sinh(0.5 / largestScale);
    return grid.squareOfSteps(1 / (2 * sinh * sinh));
  }

  @Override
  public SubExponential subExponential() {
    if (largestScale == 0) {
      return SubExponential.newBuilder()
          .setVariance(0)
          .setBetaMax(Double.POSITIVE_INFINITY)
          .build();
    }
    // 2 ln M(b) / b^2 at b = 1 / (2 s), where S(b) / S(1 / s) is 1 / (4 cosh^2(1 / (4 s))).
    double scale = largestScale;
    double cosh = Math.cosh(0.25 / scale);
    double variance = -8 * scale * scale * Math.log1p(-0.25 / (cosh * cosh));
    return SubExponential.newBuilder()
        .setVariance(grid.squareOfSteps(variance))
        .setBetaMax(grid.inSteps(0.5) / scale)
        .build();
  }

  @Override
  void addNoise(int[] steps) {
    for (int j = 0; j < steps.length; j++) {
      if (scales[j] > 0) {
        steps[j] = GradientGrid.saturate(steps[j] + noise.laplace(scales[j]));
      }
    }
  }
}
