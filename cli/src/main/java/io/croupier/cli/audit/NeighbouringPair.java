package io.croupier.cli.audit;

import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import java.util.Arrays;

/**
 * Two neighbouring gradients, g and h, at the largest distance that a guarantee covers.
 *
 * <p>For the guarantee of a person, h = -g. If the noise is isotropic, all such pairs are
 * equivalent, and g lies along the first axis. Coordinate-wise noise has the largest privacy loss
 * along its taus for gradients in the L2 ball, and between opposite corners for gradients in the
 * cube, since only these differ by 2G in every coordinate. (Coordinates of the cube that are not
 * private are 0.)
 *
 * <p>For the guarantee of one coordinate, g and h differ only in that coordinate before they are
 * clipped. One of them is far longer than G, so a clip that scales the whole gradient changes the
 * other coordinates, too.
 */
final class NeighbouringPair {
  /** Weight of coordinates without noise: a difference of one step outweighs all others. */
  private static final double OPEN = 1e9;

  private static final double FAR_LONGER = 1000;

  private final double[] g;
  private final double[] h;
  private final double[] gSteps;
  private final double[] hSteps;
  private final double[] gScaled;
  private final double[] hScaled;
  private final double length;
  private final double[] weights;
  private final int noisiest;

  /**
   * Makes a pair for a randomiser.
   *
   * @param g shape [d], not copied
   * @param h shape [d], not copied
   * @param clip of the randomiser
   * @param weights of the coordinates, shape [d], not copied
   * @param noisiest the coordinate with the largest noise variance
   */
  private NeighbouringPair(
      double[] g,
      double[] h,
      GridRandomiser randomiser,
      ClippingNorm clip,
      double[] weights,
      int noisiest) {
    this.g = g;
    this.h = h;
    this.weights = weights;
    this.noisiest = noisiest;
    gScaled = scaled(g, randomiser);
    hScaled = scaled(h, randomiser);
    gSteps = clip == ClippingNorm.L2 ? gScaled : cut(g, randomiser);
    hSteps = clip == ClippingNorm.L2 ? hScaled : cut(h, randomiser);
    double squares = 0;
    for (int j = 0; j < g.length; j++) {
      squares += (gSteps[j] - hSteps[j]) * (gSteps[j] - hSteps[j]);
    }
    length = Math.sqrt(squares);
  }

  /** The gradient in grid steps, scaled to the L2 ball and rounded towards zero. */
  private static double[] scaled(double[] gradient, GridRandomiser randomiser) {
    double norm = 0;
    for (double coordinate : gradient) {
      norm = Math.hypot(norm, coordinate);
    }
    double factor = norm > randomiser.gradientBound() ? randomiser.gradientBound() / norm : 1;
    double[] steps = new double[gradient.length];
    for (int j = 0; j < steps.length; j++) {
      steps[j] = (long) Math.scalb(gradient[j] * factor, -randomiser.gridExponent());
    }
    return steps;
  }

  /** The gradient in grid steps, with every coordinate clipped and rounded towards zero. */
  private static double[] cut(double[] gradient, GridRandomiser randomiser) {
    double bound = randomiser.gradientBound();
    double[] steps = new double[gradient.length];
    for (int j = 0; j < steps.length; j++) {
      double clipped = Math.max(-bound, Math.min(bound, gradient[j]));
      steps[j] = (long) Math.scalb(clipped, -randomiser.gridExponent());
    }
    return steps;
  }

  /** The pair at the largest distance for the randomiser. */
  static NeighbouringPair farthest(GridRandomiser randomiser) {
    if (randomiser instanceof CoordinateLaplaceRandomiser coordinates) {
      return coordinates.clip() == ClippingNorm.L2
          ? alongTheTaus(coordinates)
          : corners(coordinates);
    }
    return alongTheFirstAxis(randomiser);
  }

  /** The pair along the first axis, for any randomiser. */
  static NeighbouringPair alongTheFirstAxis(GridRandomiser randomiser) {
    double[] gradient = new double[randomiser.dimension()];
    gradient[0] = randomiser.gradientBound();
    double[] weights = new double[randomiser.dimension()];
    Arrays.fill(weights, 1);
    return opposite(gradient, randomiser, ClippingNorm.L2, weights, 0);
  }

  private static NeighbouringPair alongTheTaus(CoordinateLaplaceRandomiser randomiser) {
    double norm = 0;
    for (int j = 0; j < randomiser.dimension(); j++) {
      norm = Math.hypot(norm, randomiser.tau(j));
    }
    double[] gradient = new double[randomiser.dimension()];
    for (int j = 0; j < gradient.length; j++) {
      gradient[j] = randomiser.gradientBound() * (randomiser.tau(j) / norm);
    }
    return opposite(
        gradient, randomiser, ClippingNorm.L2, weights(randomiser), noisiest(randomiser));
  }

  private static NeighbouringPair corners(CoordinateLaplaceRandomiser randomiser) {
    double[] gradient = new double[randomiser.dimension()];
    for (int j = 0; j < gradient.length; j++) {
      boolean open = randomiser.tau(j) == Double.POSITIVE_INFINITY;
      gradient[j] = open ? 0 : randomiser.gradientBound();
    }
    return opposite(
        gradient, randomiser, ClippingNorm.COORDINATES, weights(randomiser), noisiest(randomiser));
  }

  private static NeighbouringPair opposite(
      double[] gradient,
      GridRandomiser randomiser,
      ClippingNorm clip,
      double[] weights,
      int noisiest) {
    double[] other = Arrays.stream(gradient).map(x -> -x).toArray();
    return new NeighbouringPair(gradient, other, randomiser, clip, weights, noisiest);
  }

  /** The pair that differs only in the coordinate of the least tau; the others are G. */
  static NeighbouringPair inLeastTau(CoordinateLaplaceRandomiser randomiser) {
    int coordinate = noisiest(randomiser);
    double bound = randomiser.gradientBound();
    double[] longer = new double[randomiser.dimension()];
    Arrays.fill(longer, bound);
    double[] shorter = longer.clone();
    longer[coordinate] = FAR_LONGER * Math.sqrt(longer.length) * bound;
    shorter[coordinate] = -bound;
    return new NeighbouringPair(
        longer, shorter, randomiser, ClippingNorm.COORDINATES, weights(randomiser), coordinate);
  }

  private static double[] weights(CoordinateLaplaceRandomiser randomiser) {
    double[] weights = new double[randomiser.dimension()];
    double largest = 0;
    for (int j = 0; j < weights.length; j++) {
      weights[j] = randomiser.tau(j);
      largest = weights[j] < Double.POSITIVE_INFINITY ? Math.max(largest, weights[j]) : largest;
    }
    for (int j = 0; j < weights.length; j++) {
      weights[j] = Math.min(weights[j], OPEN * largest);
    }
    return weights;
  }

  private static int noisiest(CoordinateLaplaceRandomiser randomiser) {
    int noisiest = 0;
    for (int j = 0; j < randomiser.dimension(); j++) {
      noisiest = randomiser.tau(j) < randomiser.tau(noisiest) ? j : noisiest;
    }
    return noisiest;
  }

  int dimension() {
    return g.length;
  }

  /** g for sign 1, h for -1, before they are clipped. */
  double[] gradient(int sign) {
    return (sign > 0 ? g : h).clone();
  }

  /** A coordinate in grid steps, clipped as claimed and rounded towards zero. */
  double step(int sign, int coordinate) {
    return (sign > 0 ? gSteps : hSteps)[coordinate];
  }

  /** A coordinate in grid steps, if the whole gradient is scaled to L2 norm G. */
  double scaledStep(int sign, int coordinate) {
    return (sign > 0 ? gScaled : hScaled)[coordinate];
  }

  /** ||g - h|| in grid steps, with both clipped as claimed. */
  double length() {
    return length;
  }

  /** The weight of a coordinate relative to the others: its tau. */
  double weight(int coordinate) {
    return weights[coordinate];
  }

  /** The coordinate with the largest noise variance. */
  int noisiest() {
    return noisiest;
  }
}
