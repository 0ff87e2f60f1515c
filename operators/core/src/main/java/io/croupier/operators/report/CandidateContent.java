package io.croupier.operators.report;

import io.croupier.schemas.Candidate;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.PrivUnit;

/**
 * One of the vectors that a seed expands to.
 *
 * @param index below the declared number of candidates
 */
public record CandidateContent(int dimension, long seed, int index) implements Gradient {

  /**
   * Reads a candidate.
   *
   * @param declared by its report
   * @return null unless the message is well-formed
   */
  public static CandidateContent read(Candidate candidate, PrivUnit declared) {
    return candidate.getDimension() >= 1
            && candidate.hasSeed()
            && candidate.hasIndex()
            && GradientReports.isIndex(candidate, declared)
        ? new CandidateContent(candidate.getDimension(), candidate.getSeed(), candidate.getIndex())
        : null;
  }

  @Override
  public String name() {
    return "candidate";
  }

  /** Without the index. */
  @Override
  public String toString() {
    return "CandidateContent";
  }
}
