package io.croupier.client.randomiser;

import io.croupier.noise.DiscreteGaussianLaw;
import java.util.Arrays;
import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.LogGamma;
import org.apache.commons.numbers.gamma.RegularizedGamma;

/**
 * The law of d coordinates of noise, by formula, in units of the gradient.
 *
 * <p>In every such law the radius is independent of the direction: for a measure of each
 * coordinate's size, the sum over coordinates, raised to some power, has a Gamma law, and the share
 * of any m coordinates has a Beta law, independent of the sum.
 */
interface NoiseLaw {

  /** Size of a coordinate's noise; the sizes add up to the radius. */
  double size(int coordinate, double noise);

  /** The radius' distribution function, as a function of the sum of the sizes. */
  double radius(double sum);

  /** Mean of that sum. */
  double meanSize();

  /** Variance of that sum. */
  double sizeVariance();

  /** Contribution of each coordinate to the first parameter of the Beta law of a share. */
  double shape();

  /** Whether coordinates have independent signs. */
  default boolean hasIndependentSigns() {
    return true;
  }

  /** E &lt;z, a>^2. */
  double secondMoment(double[] direction);

  /** E &lt;z, a>^4. */
  double fourthMoment(double[] direction);

  /** E exp(beta &lt;z, a>). */
  double moments(double beta, double[] direction);

  /** The least beta from which on {@link #moments} may be infinite, over all directions. */
  double pole();

  /** Probability that a coordinate of the noise on the grid of whole numbers equals k. */
  double onIntegers(int coordinate, int k);

  /** Density proportional to exp(-||z|| / scale). */
  record L2(int dimension, double scale) implements NoiseLaw {
    @Override
    public double size(int coordinate, double noise) {
      return noise * noise;
    }

    @Override
    public double radius(double sum) {
      return RegularizedGamma.P.value(dimension, Math.sqrt(sum) / scale);
    }

    @Override
    public double meanSize() {
      return dimension * (dimension + 1.0) * scale * scale;
    }

    @Override
    public double sizeVariance() {
      double fourth = dimension * (dimension + 1.0) * (dimension + 2) * (dimension + 3);
      return fourth * Math.pow(scale, 4) - meanSize() * meanSize();
    }

    @Override
    public double shape() {
      return 0.5;
    }

    @Override
    public double secondMoment(double[] direction) {
      return (dimension + 1) * scale * scale;
    }

    @Override
    public double fourthMoment(double[] direction) {
      return 3 * (dimension + 1.0) * (dimension + 3) * Math.pow(scale, 4);
    }

    @Override
    public double moments(double beta, double[] direction) {
      return Math.pow(1 - beta * beta * scale * scale, -(dimension + 1) / 2.0);
    }

    @Override
    public double pole() {
      return 1 / scale;
    }

    @Override
    public double onIntegers(int coordinate, int k) {
      return below(k + 0.5) - below(k - 0.5);
    }

    /**
     * A coordinate is N sqrt(2 E), E Gamma of shape (d + 1) / 2, as its moments show: the integral
     * over ln E by the trapezoidal rule, which is exact to many digits.
     */
    private double below(double x) {
      double shape = (dimension + 1) / 2.0;
      double sum = 0;
      double step = 0.02;
      double reach = 40 / Math.sqrt(shape);
      for (double u = Math.log(shape) - reach; u < Math.log(shape) + reach; u += step) {
        double weight = Math.exp(shape * u - Math.exp(u) - LogGamma.value(shape));
        sum += weight * step * Erfc.value(-x / (scale * 2 * Math.exp(u / 2))) / 2;
      }
      return sum;
    }
  }

  /** Independent normal coordinates. */
  record Normal(int dimension, double deviation) implements NoiseLaw {
    @Override
    public double size(int coordinate, double noise) {
      return noise * noise;
    }

    @Override
    public double radius(double sum) {
      return RegularizedGamma.P.value(dimension / 2.0, sum / (2 * deviation * deviation));
    }

    @Override
    public double meanSize() {
      return dimension * deviation * deviation;
    }

    @Override
    public double sizeVariance() {
      return 2 * dimension * Math.pow(deviation, 4);
    }

    @Override
    public double shape() {
      return 0.5;
    }

    @Override
    public double secondMoment(double[] direction) {
      return deviation * deviation;
    }

    @Override
    public double fourthMoment(double[] direction) {
      return 3 * Math.pow(deviation, 4);
    }

    @Override
    public double moments(double beta, double[] direction) {
      return Math.exp(beta * beta * deviation * deviation / 2);
    }

    @Override
    public double pole() {
      return Double.POSITIVE_INFINITY;
    }

    @Override
    public double onIntegers(int coordinate, int k) {
      return DiscreteGaussianLaw.probability(k, deviation);
    }
  }

  /** Independent Laplace coordinates; scale 0: no noise. */
  final class Coordinates implements NoiseLaw {
    private final double[] scales;

    Coordinates(double... scales) {
      this.scales = scales.clone();
    }

    @Override
    public double size(int coordinate, double noise) {
      return scales[coordinate] == 0 ? 0 : Math.abs(noise) / scales[coordinate];
    }

    @Override
    public double radius(double sum) {
      return RegularizedGamma.P.value(meanSize(), sum);
    }

    @Override
    public double meanSize() {
      return Arrays.stream(scales).filter(s -> s > 0).count();
    }

    @Override
    public double sizeVariance() {
      return meanSize();
    }

    @Override
    public double shape() {
      return 1;
    }

    private double sumOfPowers(int power, double[] direction) {
      double sum = 0;
      for (int j = 0; j < scales.length; j++) {
        sum += Math.pow(direction[j] * scales[j], power);
      }
      return sum;
    }

    @Override
    public double secondMoment(double[] direction) {
      return 2 * sumOfPowers(2, direction);
    }

    @Override
    public double fourthMoment(double[] direction) {
      return 12 * sumOfPowers(4, direction) + 3 * Math.pow(secondMoment(direction), 2);
    }

    @Override
    public double moments(double beta, double[] direction) {
      double product = 1;
      for (int j = 0; j < scales.length; j++) {
        product /= 1 - Math.pow(beta * direction[j] * scales[j], 2);
      }
      return product;
    }

    @Override
    public double pole() {
      return 1 / Arrays.stream(scales).max().orElseThrow();
    }

    @Override
    public double onIntegers(int coordinate, int k) {
      if (scales[coordinate] == 0) {
        return k == 0 ? 1 : 0;
      }
      double q = Math.exp(-1 / scales[coordinate]);
      return (1 - q) / (1 + q) * Math.pow(q, Math.abs(k));
    }
  }

  /** Exponential coordinates, either all negated or none. */
  record Turned(int dimension, double scale) implements NoiseLaw {
    @Override
    public double size(int coordinate, double noise) {
      return Math.abs(noise) / scale;
    }

    @Override
    public double radius(double sum) {
      return RegularizedGamma.P.value(dimension, sum);
    }

    @Override
    public double meanSize() {
      return dimension;
    }

    @Override
    public double sizeVariance() {
      return dimension;
    }

    @Override
    public double shape() {
      return 1;
    }

    @Override
    public boolean hasIndependentSigns() {
      return dimension == 1;
    }

    /** Cumulant: those of exponential variates are factorials. */
    private double cumulant(int power, double[] direction) {
      double sum = 0;
      for (double a : direction) {
        sum += Math.pow(a * scale, power);
      }
      return sum * Math.exp(LogGamma.value(power));
    }

    @Override
    public double secondMoment(double[] direction) {
      return cumulant(2, direction) + Math.pow(cumulant(1, direction), 2);
    }

    @Override
    public double fourthMoment(double[] direction) {
      double first = cumulant(1, direction);
      double second = cumulant(2, direction);
      return cumulant(4, direction)
          + 4 * cumulant(3, direction) * first
          + 3 * second * second
          + 6 * second * first * first
          + Math.pow(first, 4);
    }

    @Override
    public double moments(double beta, double[] direction) {
      double forth = 1;
      double back = 1;
      for (double a : direction) {
        forth /= 1 - beta * a * scale;
        back /= 1 + beta * a * scale;
      }
      return (forth + back) / 2;
    }

    @Override
    public double pole() {
      return 1 / scale;
    }

    @Override
    public double onIntegers(int coordinate, int k) {
      double upTo = Math.exp(-(Math.abs(k) + 0.5) / scale);
      return k == 0 ? 1 - upTo : (Math.exp(-(Math.abs(k) - 0.5) / scale) - upTo) / 2;
    }
  }
}
