package io.croupier.operators.model;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.accounting.AdmissionRules;
import io.croupier.operators.accounting.CentralMechanism;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.noise.CandidateExpansion;
import io.croupier.operators.noise.DirectionalNoise;
import io.croupier.operators.noise.Plausibility;
import io.croupier.operators.noise.SpecGradients;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Optional;

/**
 * What a spec implies for reports: the rules to judge them by, and the part of an admitted report
 * that the learner receives. Built once for each spec. Not safe for use by several threads.
 */
public final class ReportIntake {
  private final AdmissionRules rules;
  private final SpecGradients gradients;
  private final DirectionalNoise noise;
  private final Optional<Contribution> contribution;
  private final boolean trims;
  private final boolean clipMoves;
  private final int reportsPerRound;
  private final long specOffset;

  /** Null before the first trimmed report. */
  private Trim lastTrim;

  /**
   * Creates the intake of a model with a valid spec.
   *
   * @param specOffset position of the spec on the models topic
   * @throws IllegalArgumentException if the spec can't be run
   */
  public ReportIntake(ModelSpec spec, long specOffset) {
    this(spec, specOffset, new PrivUnitLaws(), new BltSearches());
  }

  /**
   * The same, for one of many models.
   *
   * @param laws shared by all of them, and with no other thread
   * @param searches shared in the same way
   */
  public ReportIntake(ModelSpec spec, long specOffset, PrivUnitLaws laws, BltSearches searches) {
    gradients = new SpecGradients(spec, laws);
    GradientSpace space = gradients.all();
    noise = DirectionalNoise.of(spec, space);
    Optional<CentralMechanism> mechanism =
        ModelSpecs.isCentral(spec)
            ? Optional.of(CentralMechanism.of(spec, searches))
            : Optional.empty();
    rules =
        new AdmissionRules(
            spec, mechanism, space, noise::accepts, new Plausibility(spec, gradients)::plausible);
    contribution = mechanism.map(added -> new Contribution(spec, added));
    trims = spec.hasAdaptiveRadius();
    clipMoves = spec.hasAdaptiveClip();
    reportsPerRound = ModelSpecs.reportsPerRound(spec);
    this.specOffset = specOffset;
  }

  public AdmissionRules terms() {
    return rules;
  }

  public long specOffset() {
    return specOffset;
  }

  /**
   * Returns all that the learner receives of an admitted report; raw ones are clipped, candidates
   * expanded, and those to an adaptive radius trimmed. It may share the report's arrays.
   */
  public RoundSum withoutUser(Report report) {
    RoundSum sum = new RoundSum();
    sum.modelId = report.modelId;
    sum.namedRound = report.round;
    sum.count = 1;
    sum.reportsPerRound = reportsPerRound;
    sum.form = report.form;
    sum.specOffset = specOffset;
    sum.appendedAtMs = report.appendedAtMs;
    if (report.form == VectorForm.ANSWER) {
      sum.question = report.question;
      sum.response = response(report);
      return sum;
    }
    GradientSpace space = gradients.of(report);
    sum.gradientBound = clipMoves ? report.gradientBound : 0;
    sum.directionalVariance = noise.variance(report);
    sum.dimension = report.dimension;
    sum.values = report.values;
    sum.indices = report.indices;
    if (report.form == VectorForm.CANDIDATE) {
      sum.form = VectorForm.DENSE;
      sum.values = CandidateExpansion.expand(report, space);
    }
    contribution.ifPresent(raw -> raw.put(report, sum));
    if (trims) {
      trim(space).apply(sum);
    }
    return sum;
  }

  /** The trim of the last report, if it has the same bound: it always has where that is fixed. */
  private Trim trim(GradientSpace space) {
    if (lastTrim == null || !lastTrim.isOf(space.gradientBound())) {
      lastTrim = new Trim(space.gradientBound(), space.gridExponent());
    }
    return lastTrim;
  }

  private static double response(Report report) {
    double strength =
        new RandomisedResponseMechanism(report.level, report.levelIsMu).law().strength();
    return report.bit ? strength : -strength;
  }
}
