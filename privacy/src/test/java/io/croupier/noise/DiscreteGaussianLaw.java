package io.croupier.noise;

/** The discrete Gaussian law by summation, and the rounded normal law for comparison. */
public final class DiscreteGaussianLaw {
  private static final int SIMPSON_PANELS = 64;

  private DiscreteGaussianLaw() {}

  /** Normal density. */
  public static double density(long z, double sigma) {
    double x = z / sigma;
    return Math.exp(-x * x / 2) / (sigma * Math.sqrt(2 * Math.PI));
  }

  /** Sum of the density over all integers. */
  public static double mass(double sigma) {
    // Poisson summation; the omitted terms are below 1e-34 for sigma of 1.
    return 1 + 2 * Math.exp(-2 * Math.PI * Math.PI * sigma * sigma);
  }

  public static double probability(long z, double sigma) {
    return density(z, sigma) / mass(sigma);
  }

  /** Largest integer that a sum needs. */
  public static long reach(double sigma) {
    return (long) Math.ceil(9 * sigma);
  }

  /**
   * Probability of z under rounded normal noise, divided by the density at z, minus 1; by Simpson's
   * rule, without cancellation.
   */
  public static double roundedExcess(long z, double sigma) {
    double variance = sigma * sigma;
    double sum = 0;
    for (int i = 0; i <= SIMPSON_PANELS; i++) {
      double u = (double) i / SIMPSON_PANELS - 0.5;
      int weight = i == 0 || i == SIMPSON_PANELS ? 1 : i % 2 == 0 ? 2 : 4;
      sum += weight * Math.expm1(-(z * u + u * u / 2) / variance);
    }
    return sum / (3 * SIMPSON_PANELS);
  }
}
