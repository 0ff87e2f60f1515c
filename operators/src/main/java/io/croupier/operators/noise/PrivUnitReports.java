package io.croupier.operators.noise;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Report;
import io.croupier.schemas.ModelSpec;

/**
 * What reports of priv_unit to one model are worth: the law that their declaration implies, and the
 * vector that their candidate stands for, the same bits on every platform.
 *
 * <p>Most reports to a model declare what the one before declared, so the last law is kept. Not
 * safe for use by several threads.
 */
public final class PrivUnitReports {
  private final PrivUnitLaws laws;
  private final int dimension;
  private final double gradientBound;
  private PrivUnitLaw last;
  private boolean lastIsNearOptimum;

  /** 0: not asked for yet. */
  private double lastRange;

  private double lastVariance;

  /**
   * The reports to a model.
   *
   * @param laws may be shared with other models
   * @param gradientBound G
   */
  public PrivUnitReports(PrivUnitLaws laws, int dimension, double gradientBound) {
    this.laws = laws;
    this.dimension = dimension;
    this.gradientBound = gradientBound;
  }

  /** The reports to the model of a spec, whose laws are shared with no other model. */
  static PrivUnitReports of(ModelSpec spec) {
    return new PrivUnitReports(new PrivUnitLaws(), spec.getDimension(), spec.getGradientBound());
  }

  /** The law of a report that declares priv_unit. */
  public PrivUnitLaw law(Report report) {
    return law(report.level, report.candidates, report.top);
  }

  private PrivUnitLaw law(double epsilon, int candidates, int top) {
    if (last == null
        || last.epsilon() != epsilon
        || last.candidates() != candidates
        || last.top() != top) {
      last = laws.of(dimension, epsilon, candidates, top);
      lastIsNearOptimum = last.isNearOptimum();
      lastRange = 0;
    }
    return last;
  }

  /** Whether a report that declares priv_unit is of at most 1.3 times the least length. */
  public boolean isNearOptimum(Report report) {
    law(report);
    return lastIsNearOptimum;
  }

  /**
   * The sub-Gaussian variance of a declared mechanism, valid for bets up to a range.
   *
   * @param range in units of 1 / gradient
   */
  double bettingVariance(double epsilon, int candidates, int top, double range) {
    PrivUnitLaw law = law(epsilon, candidates, top);
    if (lastRange != range) {
      lastRange = range;
      lastVariance = law.bettingVariance(range * gradientBound);
    }
    return lastVariance * gradientBound * gradientBound;
  }

  /** The vector of a report that declares priv_unit, as consecutive little-endian doubles. */
  public byte[] expand(Report report) {
    double[] values = new double[dimension];
    CandidateVectors.expand(
        report.candidateSeed, report.candidateIndex, gradientBound * law(report).scale(), values);
    return PackedVectors.encode(values);
  }
}
