package io.croupier.cli.audit;

import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.util.Arrays;

/**
 * Two gradients, g and -g, that are as far apart as a randomiser lets any two be.
 *
 * <p>Where gradients are clipped to a ball, all such pairs are alike, and g lies along the first
 * axis. In a cube they are opposite corners, as only these differ by 2G in every coordinate;
 * coordinates that are not private are 0.
 */
final class Pair {
  private final double[] gradient;
  private final double[] steps;
  private final double length;
  private final double[] weights;
  private final int noisiest;

  /**
   * Of a randomiser's space.
   *
   * @param gradient g, shape [d], kept
   * @param weights how much a coordinate tells by itself, shape [d], kept
   * @param noisiest the coordinate along which noise has its largest variance
   */
  private Pair(double[] gradient, int gridExponent, double[] weights, int noisiest) {
    this.gradient = gradient;
    this.weights = weights;
    this.noisiest = noisiest;
    steps = new double[gradient.length];
    double squares = 0;
    for (int j = 0; j < gradient.length; j++) {
      steps[j] = (long) Math.scalb(gradient[j], -gridExponent);
      squares += steps[j] * steps[j];
    }
    length = Math.sqrt(squares);
  }

  /** As far apart as the randomiser lets gradients be. */
  static Pair farthest(Randomiser randomiser) {
    return randomiser instanceof CoordinateLaplaceRandomiser coordinates
        ? corners(coordinates)
        : alongTheFirstAxis(randomiser);
  }

  /** Whatever the randomiser. */
  static Pair alongTheFirstAxis(Randomiser randomiser) {
    double[] gradient = new double[randomiser.dimension()];
    gradient[0] = randomiser.gradientBound();
    double[] weights = new double[randomiser.dimension()];
    Arrays.fill(weights, 1);
    return new Pair(gradient, randomiser.gridExponent(), weights, 0);
  }

  private static Pair corners(CoordinateLaplaceRandomiser randomiser) {
    double[] gradient = new double[randomiser.dimension()];
    double[] taus = new double[randomiser.dimension()];
    int noisiest = 0;
    for (int j = 0; j < taus.length; j++) {
      double tau = randomiser.tau(j);
      if (tau < Double.POSITIVE_INFINITY) {
        gradient[j] = randomiser.gradientBound();
        taus[j] = tau;
      }
      noisiest = tau < randomiser.tau(noisiest) ? j : noisiest;
    }
    return new Pair(gradient, randomiser.gridExponent(), taus, noisiest);
  }

  int dimension() {
    return gradient.length;
  }

  /** g for sign 1, -g for -1. */
  double[] gradient(int sign) {
    return Arrays.stream(gradient).map(g -> sign * g).toArray();
  }

  /** A coordinate of g in grid steps, rounded towards zero. */
  double step(int coordinate) {
    return steps[coordinate];
  }

  /** ||g|| in grid steps. */
  double length() {
    return length;
  }

  /** How much a coordinate tells by itself, beside the others: its tau. */
  double weight(int coordinate) {
    return weights[coordinate];
  }

  /** The coordinate along which noise has its largest variance. */
  int noisiest() {
    return noisiest;
  }
}
