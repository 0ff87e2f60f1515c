package io.croupier.operators.noise;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;

/** Expands the candidate that a report of priv_unit names, to the same bits on every platform. */
public final class CandidateExpansion {
  private CandidateExpansion() {}

  /**
   * Returns the vector of a report that declares priv_unit.
   *
   * @param space the gradients of the report
   */
  public static double[] expand(Report report, GradientSpace space) {
    PrivUnitMechanism mechanism = (PrivUnitMechanism) Declaration.of(report);
    double[] values = new double[space.dimension()];
    CandidateVectors.expand(
        report.candidateSeed,
        report.candidateIndex,
        space.gradientBound() * space.law(mechanism).scale(),
        values);
    return values;
  }
}
