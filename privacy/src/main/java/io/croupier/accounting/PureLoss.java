package io.croupier.accounting;

/**
 * The privacy loss of one pure mechanism, over all pairs of inputs that it must hide. A mechanism
 * has more guarantees than its epsilon: a rho, Renyi divergences and a mu, each of them at most
 * those of randomised response, which is the worst loss that an epsilon allows ({@link PureDp}).
 *
 * <p>Implementations are immutable, and equal if their parameters are.
 */
public sealed interface PureLoss permits ChoiceLoss, CoordinateLaplaceLoss, RadialLaplaceLoss {

  /** Of any mechanism of this epsilon: randomised response. */
  static PureLoss ofEpsilon(double epsilon) {
    return new ChoiceLoss(epsilon, 1);
  }

  /**
   * Of noise with a density proportional to exp(-b ||z||), between inputs whose distance is at most
   * epsilon / b. Outside the range of {@link RadialLaplaceLoss}, and if the dimension is unknown,
   * it is that of randomised response.
   *
   * @param dimension of the noise; 0 if it is unknown
   */
  static PureLoss ofRadial(double epsilon, int dimension) {
    if (dimension == 1) {
      return ofCoordinates(epsilon, 1);
    }
    return RadialLaplaceLoss.covers(epsilon, dimension)
        ? RadialLaplaceLoss.of(epsilon, dimension)
        : ofEpsilon(epsilon);
  }

  /** Of continuous Laplace noise by coordinates. */
  static PureLoss ofCoordinates(double epsilon, double coordinates) {
    return ofCoordinates(epsilon, coordinates, Double.POSITIVE_INFINITY);
  }

  /**
   * Of Laplace noise by coordinates, see {@link CoordinateLaplaceLoss}. Outside its range it is
   * that of randomised response.
   *
   * @param coordinates effective number of coordinates; 0 if it is unknown
   * @param scale the least scale of the noise in steps of a grid; infinite: continuous noise
   */
  static PureLoss ofCoordinates(double epsilon, double coordinates, double scale) {
    return CoordinateLaplaceLoss.covers(epsilon, coordinates, scale)
        ? new CoordinateLaplaceLoss(epsilon, coordinates, scale)
        : ofEpsilon(epsilon);
  }

  /** The largest loss, in nats; may be infinite. */
  double epsilon();

  /** A rho of zero-concentrated DP: at least the Renyi divergence of every order over the order. */
  double rho();

  /**
   * The largest Renyi divergence of all pairs.
   *
   * @param order at least 1; may be infinite, where it is epsilon
   */
  double renyi(double order);

  /** A mu of Gaussian DP. */
  double mu();

  /** The same loss at another epsilon; of a larger one, at least as much. */
  PureLoss at(double epsilon);

  /** Whether nothing is known of the loss but epsilon. */
  default boolean isResponse() {
    return false;
  }
}
