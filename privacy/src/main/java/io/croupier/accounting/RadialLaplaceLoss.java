package io.croupier.accounting;

import io.croupier.accounting.numerics.GaussLegendre;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The privacy loss of noise with a density proportional to exp(-||z||) in d dimensions, between
 * inputs at a distance of epsilon, which is the worst: along each line in the direction of the
 * difference the density is log-concave, so the most powerful test of a shift is a threshold, and
 * its power grows with the shift; the position across the line is the same for both inputs.
 *
 * <p>The loss is ||z - epsilon e|| - ||z|| = epsilon v, where v is a spheroidal coordinate about 0
 * and epsilon e. Its density on (-1, 1), with x = epsilon / 2 and modified Bessel functions K, is
 * proportional to
 *
 * <pre>
 *   exp(x v) h(v),  h(v) = (1 - v^2)^((d-3)/2) (c + 1 - v^2),  c = (d-1) / x K_(d/2)(x) / K_(d/2-1)(x)
 * </pre>
 *
 * <p>since the other coordinate w has the density exp(-x w) (w^2 - 1)^((d-3)/2) (w^2 - v^2) for w
 * from 1. With M(y) the integral of exp(y v) h(v), the Renyi divergence of order a is ln(M((2a-1)
 * x) / M(x)) / (a-1).
 *
 * <p>rho is that of order 1, epsilon E v, and cannot be improved: M has imaginary zeros only, since
 * it is a product of F(y) = y^-m I_m(y), m = d/2 - 1, whose zeros are imaginary, and of c + (d-1)
 * F'(y) / (y F(y)), which is a sum of simple fractions in y^2 with positive weights. So ln M is
 * concave in y^2, and D_a / a is epsilon^2 times its slope over y^2.
 *
 * <p>mu is that of randomised response with the same total variation. It is the least of all mu
 * that the threshold 0 allows; that no other threshold needs a larger one was checked for d from 2
 * to 5000 and epsilon from 0.01 to 64, not proved.
 *
 * <p>All numbers are rounded up, by less than a relative 1e-9. Method: v = tanh u, and {@link
 * GaussLegendre} over windows that contain the integrand down to exp(-42) of its maximum. The two
 * signs of v are combined, so that all terms are positive. A first number takes some 100
 * microseconds for d from 20, and some 300 below; the numbers of the last {@value #KEPT} different
 * losses are kept.
 */
final class RadialLaplaceLoss implements PureLoss {
  static final double LEAST_EPSILON = 1e-9;
  static final double MOST_EPSILON = 64;
  static final int MOST_DIMENSION = 1 << 26;

  private static final int KEPT = 1024;

  /** Orders whose divergences are kept, for each loss. */
  private static final int KEPT_ORDERS = 64;

  /** More than the relative errors of quadratures of positive terms. */
  private static final double UP = 1 + 0x1p-40;

  /** More than the errors of logarithms of M. */
  private static final double LOG_ERROR = 0x1p-42;

  /** Up to this growth of y, divergences are computed from the growth of M. */
  private static final double NEAR = 8;

  /** Steps of the recurrence of Bessel functions that make any first value accurate. */
  private static final int CONTRACTION = 200;

  private static final Map<RadialLaplaceLoss, RadialLaplaceLoss> LOSSES = latest(KEPT);

  private final double epsilon;
  private final int dimension;

  /** 0 until it is asked for, and then positive. */
  private double rho;

  private double mu;
  private double weight;
  private final Map<Double, Double> divergences = latest(KEPT_ORDERS);

  private RadialLaplaceLoss(double epsilon, int dimension) {
    this.epsilon = epsilon;
    this.dimension = dimension;
  }

  static boolean covers(double epsilon, int dimension) {
    return epsilon >= LEAST_EPSILON
        && epsilon <= MOST_EPSILON
        && dimension >= 2
        && dimension <= MOST_DIMENSION;
  }

  /** The loss of a covered epsilon and dimension, with the numbers that are known of it. */
  static RadialLaplaceLoss of(double epsilon, int dimension) {
    RadialLaplaceLoss loss = new RadialLaplaceLoss(epsilon, dimension);
    synchronized (LOSSES) {
      return LOSSES.computeIfAbsent(loss, same -> same);
    }
  }

  private static <K, V> Map<K, V> latest(int size) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > size;
      }
    };
  }

  @Override
  public double epsilon() {
    return epsilon;
  }

  @Override
  public PureLoss at(double other) {
    return PureLoss.ofRadial(other, dimension);
  }

  @Override
  public synchronized double rho() {
    compute();
    return rho;
  }

  @Override
  public synchronized double mu() {
    compute();
    return mu;
  }

  @Override
  public synchronized double renyi(double order) {
    if (!(order >= 1)) {
      throw ArgumentChecks.refusal("order", order, "it must be at least 1");
    }
    if (order == 1) {
      return rho();
    }
    if (order == Double.POSITIVE_INFINITY) {
      return epsilon;
    }
    compute();
    Double known = divergences.get(order);
    if (known == null) {
      double divergence = divergence(order - 1);
      known = divergence < epsilon ? divergence : epsilon; // also if a moment overflows
      divergences.put(order, known);
    }
    return known;
  }

  private void compute() {
    if (rho > 0) {
      return;
    }
    double x = epsilon / 2;
    weight = (dimension - 1) / x * besselRatio(dimension, x);
    double rising = 0;
    double falling = 0;
    double odd = 0;
    double slope = 0;
    double end = last(x);
    int panels = panels(end);
    for (int n = 0; n < panels * GaussLegendre.SIZE; n++) {
      double u = node(0, end, panels, n);
      double v = StrictMath.tanh(u);
      double h = GaussLegendre.weight(n % GaussLegendre.SIZE) * density(u, 0);
      double sinh = StrictMath.sinh(x * v);
      odd += h * sinh;
      slope += h * v * sinh;
      rising += h * StrictMath.exp(x * v);
      falling += h * StrictMath.exp(-x * v);
    }
    mu = PureDp.mu(StrictMath.log1p(2 * odd / falling) * UP) * UP;
    rho = 2 * epsilon * slope / (rising + falling) * UP;
  }

  /** D_a at a = 1 + t, rounded up. */
  private double divergence(double t) {
    double x = epsilon / 2;
    double less = t * epsilon;
    if (less > NEAR) {
      return (logMoment(x + less) - logMoment(x) + LOG_ERROR) / t * UP;
    }
    double growth = 0;
    double total = 0;
    double end = last(x + less);
    int panels = panels(end);
    for (int n = 0; n < panels * GaussLegendre.SIZE; n++) {
      double u = node(0, end, panels, n);
      double v = StrictMath.tanh(u);
      double h = GaussLegendre.weight(n % GaussLegendre.SIZE) * density(u, 0);
      growth += h * StrictMath.sinh((epsilon + less) * v / 2) * StrictMath.sinh(less * v / 2);
      total += h * StrictMath.cosh(x * v);
    }
    return StrictMath.log1p(2 * growth / total) / t * UP;
  }

  /** Adds the distribution of the loss. */
  synchronized void addTo(LossGrid grid) {
    compute();
    double x = epsilon / 2;
    // A composition tilts the law, so that a delta down to exp(-600) depends on its far end.
    double end = peak(x) + 36.1 / StrictMath.sqrt(dimension - 1.0) + 650.0 / (dimension - 1);
    double[] losses = grid.lossesBetween(-epsilon, epsilon);
    double[] bounds = new double[losses.length];
    for (int i = 0; i < bounds.length; i++) {
      double v = losses[i] / epsilon;
      double u = (StrictMath.log1p(v) - StrictMath.log1p(-v)) / 2;
      bounds[i] = Math.max(-end, Math.min(end, u));
    }
    grid.add(
        new LossGrid.Density() {
          @Override
          public double loss(double u) {
            return epsilon * StrictMath.tanh(u);
          }

          @Override
          public double of(double u) {
            return density(Math.abs(u), x * (StrictMath.tanh(u) - 1));
          }
        },
        bounds,
        0.25 / StrictMath.sqrt(dimension - 1.0));
  }

  /** ln M(y), up to a constant of the dimension and epsilon. */
  private double logMoment(double y) {
    double peak = peak(y);
    double top = y * StrictMath.tanh(peak) - (dimension - 1) * logCosh(peak);
    double from = Math.max(0, peak - 9.5 / StrictMath.sqrt(dimension - 1.0));
    double length = last(y) - from;
    int panels = panels(length);
    double sum = 0;
    for (int n = 0; n < panels * GaussLegendre.SIZE; n++) {
      double u = node(from, length, panels, n);
      double v = StrictMath.tanh(u);
      double h = GaussLegendre.weight(n % GaussLegendre.SIZE) * density(u, y * v - top);
      sum += h * (1 + StrictMath.exp(-2 * y * v));
    }
    return top + StrictMath.log(sum * length / panels);
  }

  /** exp(log) h(v) dv / du at v = tanh u, where c + 1 - v^2 is divided by c + 1. */
  private double density(double u, double log) {
    double cosh = StrictMath.cosh(u);
    return StrictMath.exp(log - (dimension - 1) * logCosh(u))
        * (weight + 1 / (cosh * cosh))
        / (weight + 1);
  }

  private static double logCosh(double u) {
    if (u > 1) {
      return u + StrictMath.log1p(StrictMath.exp(-2 * u)) - StrictMath.log(2);
    }
    double half = StrictMath.sinh(u / 2);
    return StrictMath.log1p(2 * half * half);
  }

  /** The u at which exp(y v) (1 - v^2)^((d-1)/2) is largest. */
  private double peak(double y) {
    double ratio = 2 * y / (dimension - 1);
    double root = StrictMath.sqrt(1 + ratio * ratio);
    return StrictMath.log1p(ratio + ratio * ratio / (1 + root)) / 2;
  }

  /** The end of the window: the width of the peak, and its tail, which is exponential. */
  private double last(double y) {
    return peak(y) + 9.5 / StrictMath.sqrt(dimension - 1.0) + 45.0 / (dimension - 1);
  }

  private int panels(double length) {
    return (int) Math.ceil(length / Math.min(3, 16 / StrictMath.sqrt(dimension - 1.0)));
  }

  private static double node(double from, double length, int panels, int n) {
    int panel = n / GaussLegendre.SIZE;
    return from + length * (panel + GaussLegendre.node(n % GaussLegendre.SIZE)) / panels;
  }

  /**
   * K_(d/2)(x) / K_(d/2-1)(x), by the recurrence K_(n+1) / K_n = 2n / x + K_(n-1) / K_n. It reduces
   * errors, so that for large d it begins with a bound [Segura 2011, Theorem 2].
   */
  static double besselRatio(int dimension, double x) {
    double order = dimension / 2.0 - 1;
    double first = dimension % 2 == 0 ? 0 : -0.5;
    double ratio = dimension % 2 == 0 ? besselRatioAtZero(x) : 1;
    if (order > first + CONTRACTION) {
      first = order - CONTRACTION;
      double n = first + 0.5;
      ratio = (n + StrictMath.sqrt(n * n + x * x)) / x;
    }
    for (double n = first + 1; n <= order; n++) {
      ratio = 2 * n / x + 1 / ratio;
    }
    return ratio;
  }

  /** K_1(x) / K_0(x), by the trapezoidal rule for the integrals of exp(-x cosh t) cosh(n t). */
  private static double besselRatioAtZero(double x) {
    double step = Math.min(0.2, 0.25 / StrictMath.sqrt(x));
    double one = 0.5;
    double zero = 0.5;
    for (int n = 1; ; n++) {
      double cosh = StrictMath.cosh(n * step);
      double half = StrictMath.sinh(n * step / 2);
      double term = StrictMath.exp(-2 * x * half * half);
      one += term * cosh;
      zero += term;
      if (term * cosh < 1e-18 * one) {
        return one / zero;
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RadialLaplaceLoss loss
        && loss.epsilon == epsilon
        && loss.dimension == dimension;
  }

  @Override
  public int hashCode() {
    return 31 * Double.hashCode(epsilon) + dimension;
  }

  @Override
  public String toString() {
    return "RadialLaplaceLoss[epsilon=" + epsilon + ", dimension=" + dimension + "]";
  }
}
