package io.croupier.accounting.mechanism;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.util.function.DoubleUnaryOperator;

/**
 * The gradients of one model, or of one round where the bound moves, and what the laws of
 * mechanisms on them share. Not safe for use by several threads.
 */
public final class GradientSpace {
  private final int dimension;
  private final double gradientBound;
  private final int gridExponent;
  private final double gridStep;
  private final Laws laws;

  /**
   * A space for variances, errors and costs. It has no tails, so lengths that need one throw {@link
   * UnsupportedOperationException}.
   *
   * @param dimension d
   * @param gradientBound G
   * @param gridExponent e
   */
  public GradientSpace(int dimension, double gradientBound, int gridExponent) {
    this(
        dimension,
        gradientBound,
        gridExponent,
        new PrivUnitLaws(),
        shape -> {
          throw new UnsupportedOperationException(
              "this space has no tails: it can't bound lengths");
        });
  }

  /**
   * @param dimension d
   * @param gradientBound G
   * @param gridExponent e: reports are rounded to multiples of 2^e
   * @param laws may be shared with other models, but with no other thread
   * @param gammaTail for a shape, the value that a Gamma variable of scale 1 exceeds with
   *     probability 2^-40, rounded up
   */
  public GradientSpace(
      int dimension,
      double gradientBound,
      int gridExponent,
      PrivUnitLaws laws,
      DoubleUnaryOperator gammaTail) {
    this(dimension, gradientBound, gridExponent, new Laws(laws, gammaTail));
  }

  private GradientSpace(int dimension, double gradientBound, int gridExponent, Laws laws) {
    this.dimension = dimension;
    this.gradientBound = gradientBound;
    this.gridExponent = gridExponent;
    gridStep = Math.scalb(1.0, gridExponent);
    this.laws = laws;
  }

  /** Returns the same space with another bound and grid. O(1): it shares the laws of this space. */
  public GradientSpace withBound(double otherBound, int otherGridExponent) {
    return new GradientSpace(dimension, otherBound, otherGridExponent, laws);
  }

  /** d. */
  public int dimension() {
    return dimension;
  }

  /** G. */
  public double gradientBound() {
    return gradientBound;
  }

  /** e: reports are rounded to multiples of 2^e. */
  public int gridExponent() {
    return gridExponent;
  }

  /** 2^e. */
  public double gridStep() {
    return gridStep;
  }

  /** The value that a Gamma variable of scale 1 exceeds with probability 2^-40, rounded up. */
  double gammaTail(double shape) {
    return laws.gammaTail(shape);
  }

  /**
   * The longest plausible report: a gradient of length G, noise of scale 2G / level, and a grid
   * step for each coordinate, since clients round to the grid.
   *
   * @param unitNoise length of noise of scale 1
   */
  double longest(double unitNoise, double level) {
    return gradientBound + unitNoise * 2 * gradientBound / level + Math.sqrt(dimension) * gridStep;
  }

  /** The law of priv_unit with these parameters. */
  public PrivUnitLaw law(PrivUnitMechanism mechanism) {
    return laws.law(dimension, mechanism);
  }

  boolean isNearOptimum(PrivUnitMechanism mechanism) {
    law(mechanism);
    return laws.lastIsNearOptimum;
  }

  double bettingVariance(PrivUnitMechanism mechanism, double range) {
    law(mechanism);
    return laws.lastVariance(range * gradientBound) * gradientBound * gradientBound;
  }

  /**
   * What doesn't depend on the bound. Most reports to a model declare what the one before declared,
   * so the last law of priv_unit is kept.
   */
  private static final class Laws {
    private final PrivUnitLaws all;
    private final DoubleUnaryOperator gammaTail;

    /** Shapes whose tails are known, and the tails; 0: not asked for yet. */
    private final double[] shapes = new double[4];

    private final double[] tails = new double[shapes.length];

    private PrivUnitLaw last;
    private boolean lastIsNearOptimum;

    /** In units of 1 / G; 0: not asked for yet. */
    private double lastRange;

    /** In units of G^2. */
    private double lastVariance;

    Laws(PrivUnitLaws all, DoubleUnaryOperator gammaTail) {
      this.all = all;
      this.gammaTail = gammaTail;
    }

    double gammaTail(double shape) {
      for (int i = 0; i < shapes.length; i++) {
        if (shapes[i] == 0) {
          tails[i] = gammaTail.applyAsDouble(shape);
          shapes[i] = shape;
        }
        if (shapes[i] == shape) {
          return tails[i];
        }
      }
      return gammaTail.applyAsDouble(shape);
    }

    PrivUnitLaw law(int dimension, PrivUnitMechanism mechanism) {
      if (last == null
          || last.epsilon() != mechanism.epsilon()
          || last.candidates() != mechanism.candidates()
          || last.top() != mechanism.top()) {
        last = all.of(dimension, mechanism.epsilon(), mechanism.candidates(), mechanism.top());
        lastIsNearOptimum = last.isNearOptimum();
        lastRange = 0;
      }
      return last;
    }

    double lastVariance(double range) {
      if (lastRange != range) {
        lastRange = range;
        lastVariance = last.bettingVariance(range);
      }
      return lastVariance;
    }
  }
}
