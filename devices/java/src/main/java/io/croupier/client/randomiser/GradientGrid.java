package io.croupier.client.randomiser;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * The domain in which gradients are clipped and released: the L2 ball of radius G (the gradient
 * bound) or the cube around it, and the grid of multiples of 2^e (e the grid exponent), represented
 * by 32-bit integers.
 *
 * <p>Immutable.
 */
final class GradientGrid {
  /** Released values lie in [-LARGEST, LARGEST], so that saturation is symmetric. */
  static final int LARGEST = Integer.MAX_VALUE;

  /** Natural logarithm of the overflow probability from which a privacy level is refused. */
  private static final double LOG_OVERFLOW_LIMIT = -40 * Math.log(2);

  /**
   * Largest exponent in a spec, by absolute value: well within the range of doubles, even squared.
   */
  private static final int EXPONENT_LIMIT = 400;

  /**
   * Factor that shortens a vector which rounding left outside the ball. The change is far below a
   * grid step, and exceeds the rounding error of a norm of 2^20 coordinates.
   */
  private static final double SHORTEN = 1 - 0x1p-32;

  private final double gradientBound;
  private final int dimension;
  private final int gridExponent;

  private final ExponentSource exponentSource;

  /** What determines the grid exponent. */
  private enum ExponentSource {
    /** The model's spec, which may state another one. */
    SPEC,
    /** The gradient bound. */
    BOUND,
    /** The gradient bound, on the finest of the grids that a moving clip may have. */
    MOVING_CLIP
  }

  GradientGrid(double gradientBound, int dimension, int gridExponent) {
    this(gradientBound, dimension, gridExponent, ExponentSource.SPEC);
  }

  private GradientGrid(
      double gradientBound, int dimension, int gridExponent, ExponentSource exponentSource) {
    if (!(gradientBound > 0 && gradientBound <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "gradientBound is " + gradientBound + "; it must be positive and finite");
    }
    if (dimension < 1) {
      throw new IllegalArgumentException("dimension is " + dimension + "; it must be at least 1");
    }
    if (Math.abs((long) gridExponent) > EXPONENT_LIMIT) {
      throw new IllegalArgumentException(
          String.format(
              "gridExponent is %d; it must be between -%d and %d",
              gridExponent, EXPONENT_LIMIT, EXPONENT_LIMIT));
    }
    this.gradientBound = gradientBound;
    this.dimension = dimension;
    this.gridExponent = gridExponent;
    this.exponentSource = exponentSource;
  }

  /** The grid that belongs to a bound. */
  static GradientGrid ofBound(double gradientBound, int dimension, int gridExponent) {
    return new GradientGrid(gradientBound, dimension, gridExponent, ExponentSource.BOUND);
  }

  /** The finest of all grids with this exponent that a moving clip may have. */
  static GradientGrid finestOfMovingClip(int dimension, int gridExponent, double leastBound) {
    return new GradientGrid(
        Math.nextDown(2 * leastBound), dimension, gridExponent, ExponentSource.MOVING_CLIP);
  }

  double gradientBound() {
    return gradientBound;
  }

  int dimension() {
    return dimension;
  }

  int gridExponent() {
    return gridExponent;
  }

  /** A length in grid steps. */
  double inSteps(double length) {
    return Math.scalb(length, -gridExponent);
  }

  /** The square of a length, given in grid steps. */
  double squareOfSteps(double squaredSteps) {
    return Math.scalb(squaredSteps, 2 * gridExponent);
  }

  /**
   * The scale of noise on a grid of multiples of 2^{@code exponent}: sensitivity over level, 2G /
   * level, in grid steps, rounded up to a whole one. Infinite on overflow of doubles.
   *
   * @param level positive and finite
   */
  double noiseSteps(double level, int exponent) {
    // A smaller sensitivity is raised to this value, so that no remainder below underflows.
    double sensitivity = Math.max(Math.scalb(gradientBound, 1 - exponent), 0x1p-900);
    double quotient = sensitivity / level;
    boolean roundedDown = Math.fma(quotient, level, -sensitivity) < 0;
    return Math.ceil(roundedDown ? Math.nextUp(quotient) : quotient);
  }

  /** The probability that noise exceeds the range of a grid. */
  @FunctionalInterface
  interface LogOverflow {
    /**
     * Natural logarithm of a bound on the probability that a coordinate of the noise takes more
     * than {@code room} steps of 2^{@code exponent}, in either direction.
     */
    double at(int exponent, double room);
  }

  /**
   * Refuses continuous noise, which is rounded, if it could overflow the grid's 32 bits too often.
   *
   * @param level name and value of the privacy level, for the error message
   * @param noiseScale scale of the noise, in units of the gradient
   * @param logOverflow natural logarithm of a bound on the probability that a coordinate of the
   *     noise exceeds the argument, which is in units of {@code noiseScale}; decreasing
   * @throws IllegalArgumentException if a report would overflow with a probability above 2^-40
   */
  void requireRoom(String level, double noiseScale, DoubleUnaryOperator logOverflow) {
    // Values that round to the largest step still fit, hence the half step.
    requireRoom(
        level, (e, room) -> logOverflow.applyAsDouble(Math.scalb(room + 0.5, e) / noiseScale));
  }

  /**
   * Refuses noise that could overflow the grid's 32 bits too often.
   *
   * @param level name and value of the privacy level, for the error message
   * @throws IllegalArgumentException if a report would overflow with a probability above 2^-40
   */
  void requireRoom(String level, LogOverflow logOverflow) {
    if (fits(gridExponent, logOverflow)) {
      return;
    }
    if (exponentSource != ExponentSource.SPEC) {
      String grid =
          exponentSource == ExponentSource.MOVING_CLIP
              ? String.format(
                  "a moving clip, which has up to 2^%d steps",
                  Math.getExponent(inSteps(gradientBound)) + 1)
              : String.format(
                  "gradientBound %s, which has %.0f steps",
                  gradientBound, Math.floor(inSteps(gradientBound)));
      throw new IllegalArgumentException(
          String.format(
              "%s requires noise that exceeds 32 bits on the grid of %s (dimension %d); a higher level for each report requires less",
              level, grid, dimension));
    }
    String problem =
        String.format(
            "%s requires noise that exceeds 32 bits at gridExponent %d (gradientBound %s, dimension"
                + " %d)",
            level, gridExponent, gradientBound, dimension);
    for (int e = gridExponent + 1; e <= EXPONENT_LIMIT; e++) {
      if (fits(e, logOverflow)) {
        throw new IllegalArgumentException(problem + "; gridExponent " + e + " would do");
      }
    }
    throw new IllegalArgumentException(
        problem + "; no gridExponent up to " + EXPONENT_LIMIT + " would do");
  }

  private boolean fits(int exponent, LogOverflow logOverflow) {
    // A coordinate of the clipped gradient takes at most floor(G / 2^e) steps.
    double room = LARGEST - Math.floor(Math.scalb(gradientBound, -exponent));
    return room >= 0 && logOverflow.at(exponent, room) <= LOG_OVERFLOW_LIMIT;
  }

  /**
   * Clips a gradient to L2 norm G and rounds it towards zero to the grid. The result is inside the
   * ball exactly, not up to rounding: its length is checked in integers. A gradient with a
   * coordinate that is not finite becomes 0, since a missing report would reveal it.
   *
   * @param gradient shape [d], not modified
   * @return multiples of the grid step, shape [d]
   * @throws IllegalArgumentException if the shape is wrong
   */
  int[] clip(double[] gradient) {
    requireShape(gradient);
    double largest = largest(gradient);
    if (!(largest <= Double.MAX_VALUE)) {
      return new int[dimension];
    }
    double sum = 0;
    if (largest > 0) {
      for (double g : gradient) {
        double ratio = g / largest;
        sum += ratio * ratio;
      }
    }
    // In units of the largest coordinate, so that no square overflows or underflows.
    double norm = Math.sqrt(sum);
    boolean tooLong = largest * norm > gradientBound;
    double unit = tooLong ? largest : 1;
    double length = tooLong ? gradientBound / norm : 1;

    int[] steps = new int[dimension];
    long limit = squaredBoundInSteps();
    while (truncate(gradient, unit, length, steps) > limit) {
      length *= SHORTEN;
    }
    return steps;
  }

  /**
   * Clips every coordinate of a gradient to [-G, G] and rounds it towards zero to the grid: scaling
   * by a power of two is exact. A coordinate that is not finite becomes 0, and no other coordinate
   * depends on it.
   *
   * @param gradient shape [d], not modified
   * @return multiples of the grid step, shape [d]
   * @throws IllegalArgumentException if the shape is wrong
   */
  int[] clipCoordinates(double[] gradient) {
    requireShape(gradient);
    int[] steps = new int[dimension];
    for (int i = 0; i < steps.length; i++) {
      double g = Double.isFinite(gradient[i]) ? gradient[i] : 0;
      steps[i] = (int) inSteps(Math.max(-gradientBound, Math.min(gradientBound, g)));
    }
    return steps;
  }

  private void requireShape(double[] gradient) {
    if (gradient.length != dimension) {
      throw new IllegalArgumentException(
          "gradient has " + gradient.length + " coordinates; the model has " + dimension);
    }
  }

  /** The largest magnitude; NaN if a coordinate is NaN. */
  private static double largest(double[] gradient) {
    double largest = 0;
    for (double g : gradient) {
      largest = Math.max(largest, Math.abs(g));
    }
    return largest;
  }

  /** Sets {@code steps}; returns their squared norm, at most 2^62 up to rounding. */
  private long truncate(double[] gradient, double unit, double length, int[] steps) {
    double perStep = inSteps(1);
    long squares = 0;
    for (int i = 0; i < steps.length; i++) {
      int k = (int) (gradient[i] / unit * length * perStep);
      steps[i] = k;
      squares += (long) k * k;
    }
    return squares;
  }

  /** floor((G / 2^e)^2), exactly. */
  private long squaredBoundInSteps() {
    return new BigDecimal(inSteps(gradientBound)).pow(2).longValue();
  }

  /**
   * Adds noise to a clipped coordinate. The noise is rounded to the grid first, and both are added
   * as integers: the gradient influences the bits of the result only through the integer sum. A sum
   * that doesn't fit is set to the nearest value that does.
   *
   * @param clipped in grid steps
   * @param noise in grid steps, before rounding
   */
  static int add(int clipped, double noise) {
    double sum = clipped + Math.rint(noise);
    return (int) Math.max(-LARGEST, Math.min(LARGEST, sum));
  }

  /** The sum of a clipped coordinate and integer noise, or the nearest value that fits. */
  static int saturate(long sum) {
    return (int) Math.max(-LARGEST, Math.min(LARGEST, sum));
  }

  /** Overwrites noise that is no longer needed. */
  static void erase(double[] noise) {
    Arrays.fill(noise, 0);
  }
}
