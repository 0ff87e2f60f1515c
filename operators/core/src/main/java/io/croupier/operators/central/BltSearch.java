package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;
import java.util.Arrays;
import org.apache.commons.math3.analysis.MultivariateFunction;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.SingularMatrixException;
import org.apache.commons.math3.optim.InitialGuess;
import org.apache.commons.math3.optim.MaxEval;
import org.apache.commons.math3.optim.PointValuePair;
import org.apache.commons.math3.optim.SimpleValueChecker;
import org.apache.commons.math3.optim.nonlinear.scalar.GoalType;
import org.apache.commons.math3.optim.nonlinear.scalar.ObjectiveFunction;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.NelderMeadSimplex;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.SimplexOptimizer;

/**
 * Searches the parameters that minimise squared sensitivity times the variance of the last prefix,
 * for a horizon and limits. The unknowns are the poles of C and C^-1, as u = -ln(1 - pole). As they
 * interlace, the logarithms of the increments of u are unconstrained.
 *
 * <p>Method: Nelder and Mead's simplex from a few starts, restarted until it no longer improves;
 * then damped Newton's method with differences of the fourth order, which determines the parameters
 * to about eight digits where they are determined at all (with many participations the first pole
 * may tend to 1). Deterministic; takes milliseconds to a second.
 */
final class BltSearch {
  private static final double[] SPREADS = {0.6, 0.85, 1.1};
  private static final double LEAST_SPREAD = 0.15;

  /** The logarithm of a complement of 2^-50: closer to 1, theta has no digits left. */
  private static final double LARGEST_LOG = 34.6;

  private static final int RESTARTS = 12;
  private static final int NEWTON_STEPS = 40;
  private static final double DIFFERENCE = 2e-3;

  private final int buffers;
  private final long horizon;
  private final ParticipationLimits limits;

  BltSearch(int buffers, long horizon, ParticipationLimits limits) {
    if (buffers < 1 || buffers > BltParameters.MOST_BUFFERS) {
      throw new IllegalArgumentException(
          "buffers is %d; it must be between 1 and %d"
              .formatted(buffers, BltParameters.MOST_BUFFERS));
    }
    this.buffers = buffers;
    this.horizon = horizon;
    this.limits = limits;
  }

  BltParameters best() {
    double[] best = null;
    for (double spread : SPREADS) {
      double[] found = simplex(start(spread * Math.max(1, StrictMath.log((double) horizon))));
      if (best == null || loss(found) < loss(best)) {
        best = found;
      }
    }
    double[] complements = complements(newton(best));
    double[] poles = every(complements, 0);
    double[] theta = Arrays.stream(poles).map(pole -> 1 - pole).toArray();
    return BltParameters.of(theta, omega(poles, every(complements, 1)));
  }

  /** Returns the logarithms of the increments of evenly spread u. */
  private double[] start(double largest) {
    int n = 2 * buffers;
    double increment = (largest - LEAST_SPREAD) / (n - 1);
    double[] x = new double[n];
    Arrays.fill(x, StrictMath.log(increment));
    x[n - 1] = StrictMath.log(LEAST_SPREAD);
    return x;
  }

  /** Returns the complements of theta_1, theta^_1, theta_2, ..., in ascending order. */
  private static double[] complements(double[] x) {
    double[] complements = new double[x.length];
    double u = 0;
    for (int i = x.length - 1; i >= 0; i--) {
      u += StrictMath.exp(x[i]);
      complements[i] = StrictMath.exp(-u);
    }
    return complements;
  }

  private static double[] every(double[] values, int first) {
    double[] half = new double[values.length / 2];
    for (int j = 0; j < half.length; j++) {
      half[j] = values[2 * j + first];
    }
    return half;
  }

  private static double[] omega(double[] poles, double[] inverse) {
    double[] omega = new double[poles.length];
    for (int j = 0; j < omega.length; j++) {
      omega[j] = inverse[j] - poles[j];
      for (int i = 0; i < omega.length; i++) {
        if (i != j) {
          omega[j] *= (inverse[i] - poles[j]) / (poles[i] - poles[j]);
        }
      }
    }
    return omega;
  }

  /**
   * Returns the objective; infinite where the parameters are too close to each other or to 1 to be
   * distinguished.
   */
  private double loss(double[] x) {
    double[] complements = complements(x);
    if (!(complements[0] > StrictMath.exp(-LARGEST_LOG))) {
      return Double.POSITIVE_INFINITY;
    }
    for (int i = 1; i < complements.length; i++) {
      if (!(1 - complements[i] < 1 - complements[i - 1])) {
        return Double.POSITIVE_INFINITY;
      }
    }
    double[] poles = every(complements, 0);
    double[] inverse = every(complements, 1);
    double variance = PrefixVariance.of(poles, inverse).of(horizon);
    double sensitivity = BltSensitivity.squared(poles, omega(poles, inverse), horizon, limits);
    return StrictMath.log(sensitivity) + StrictMath.log(variance);
  }

  private double[] simplex(double[] start) {
    SimplexOptimizer optimizer = new SimplexOptimizer(new SimpleValueChecker(1e-13, 1e-13));
    MultivariateFunction objective = this::loss;
    double[] x = start;
    double value = loss(x);
    for (int i = 0; i < RESTARTS; i++) {
      PointValuePair found =
          optimizer.optimize(
              new MaxEval(100_000),
              new ObjectiveFunction(objective),
              GoalType.MINIMIZE,
              new InitialGuess(x),
              new NelderMeadSimplex(x.length, 0.3));
      boolean stays = value - found.getValue() < 1e-12;
      x = found.getPoint();
      value = found.getValue();
      if (stays) {
        break;
      }
    }
    return x;
  }

  private double[] newton(double[] start) {
    double[] x = start;
    double damping = 1e-6;
    for (int i = 0; i < NEWTON_STEPS && damping < 1; i++) {
      double[] gradient = gradient(x);
      RealMatrix hessian = hessian(x).add(scaledIdentity(x.length, damping));
      double[] next = x.clone();
      try {
        double[] step =
            new LUDecomposition(hessian).getSolver().solve(new ArrayRealVector(gradient)).toArray();
        Arrays.setAll(next, j -> next[j] - step[j]);
      } catch (SingularMatrixException e) {
        damping *= 10;
        continue;
      }
      // Losses that are equal up to rounding are accepted: near the minimum the loss no longer
      // distinguishes.
      if (loss(next) <= loss(x) + 1e-15) {
        x = next;
        damping = Math.max(damping / 100, 1e-12);
      } else {
        damping *= 10;
      }
    }
    return x;
  }

  private static RealMatrix scaledIdentity(int n, double scale) {
    RealMatrix identity = new Array2DRowRealMatrix(n, n);
    for (int i = 0; i < n; i++) {
      identity.setEntry(i, i, scale);
    }
    return identity;
  }

  private double[] gradient(double[] x) {
    double[] gradient = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      double near = at(x, i, DIFFERENCE) - at(x, i, -DIFFERENCE);
      double far = at(x, i, 2 * DIFFERENCE) - at(x, i, -2 * DIFFERENCE);
      gradient[i] = (8 * near - far) / (12 * DIFFERENCE);
    }
    return gradient;
  }

  private double at(double[] x, int i, double difference) {
    double[] moved = x.clone();
    moved[i] += difference;
    return loss(moved);
  }

  private RealMatrix hessian(double[] x) {
    int n = x.length;
    RealMatrix hessian = new Array2DRowRealMatrix(n, n);
    for (int i = 0; i < n; i++) {
      double[] up = x.clone();
      double[] down = x.clone();
      up[i] += DIFFERENCE;
      down[i] -= DIFFERENCE;
      double[] above = gradient(up);
      double[] below = gradient(down);
      for (int j = 0; j < n; j++) {
        double entry = (above[j] - below[j]) / (4 * DIFFERENCE);
        hessian.addToEntry(i, j, entry);
        hessian.addToEntry(j, i, entry);
      }
    }
    return hessian;
  }
}
