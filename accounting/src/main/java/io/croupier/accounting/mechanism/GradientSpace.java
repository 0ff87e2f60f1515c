package io.croupier.accounting.mechanism;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.util.function.DoubleUnaryOperator;

/**
 * The gradients of one model, and what the laws of mechanisms on them share.
 *
 * <p>Most reports to a model declare what the one before declared, so the last law of priv_unit is
 * kept. Not safe for use by several threads.
 */
public final class GradientSpace {
  private final int dimension;
  private final double gradientBound;
  private final int gridExponent;
  private final double gridStep;
  private final PrivUnitLaws laws;
  private final DoubleUnaryOperator gammaTail;

  /** Shapes whose tails are known, and the tails; 0: not asked for yet. */
  private final double[] shapes = new double[4];

  private final double[] tails = new double[shapes.length];

  private PrivUnitLaw last;
  private boolean lastIsNearOptimum;

  /** 0: not asked for yet. */
  private double lastRange;

  private double lastVariance;

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
    this.dimension = dimension;
    this.gradientBound = gradientBound;
    this.gridExponent = gridExponent;
    gridStep = Math.scalb(1.0, gridExponent);
    this.laws = laws;
    this.gammaTail = gammaTail;
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
    if (last == null
        || last.epsilon() != mechanism.epsilon()
        || last.candidates() != mechanism.candidates()
        || last.top() != mechanism.top()) {
      last = laws.of(dimension, mechanism.epsilon(), mechanism.candidates(), mechanism.top());
      lastIsNearOptimum = last.isNearOptimum();
      lastRange = 0;
    }
    return last;
  }

  boolean isNearOptimum(PrivUnitMechanism mechanism) {
    law(mechanism);
    return lastIsNearOptimum;
  }

  double bettingVariance(PrivUnitMechanism mechanism, double range) {
    PrivUnitLaw law = law(mechanism);
    if (lastRange != range) {
      lastRange = range;
      lastVariance = law.bettingVariance(range * gradientBound);
    }
    return lastVariance * gradientBound * gradientBound;
  }
}
