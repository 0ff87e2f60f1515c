package io.croupier.operators.report;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.noise.CandidateVectors;

/**
 * Expands the candidate that a report of priv_unit names, to the same bits on every platform.
 *
 * <p>Keeps the array of the last one, of 8 d bytes, so that a report costs no further memory. Not
 * safe for use by several threads.
 */
public final class CandidateExpansion {
  private double[] values = {};

  /**
   * Returns the vector of a candidate, which is valid until the next call.
   *
   * @param mechanism that its report declares
   * @param space the gradients of the report
   */
  public double[] expand(
      CandidateContent candidate, PrivUnitMechanism mechanism, GradientSpace space) {
    if (values.length != space.dimension()) {
      values = new double[space.dimension()];
    }
    CandidateVectors.expand(
        candidate.seed(),
        candidate.index(),
        space.gradientBound() * space.law(mechanism).scale(),
        values);
    return values;
  }
}
