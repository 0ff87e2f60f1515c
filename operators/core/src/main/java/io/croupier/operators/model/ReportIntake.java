package io.croupier.operators.model;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.ledger.AdmissionRules;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.ExactSums;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Plausibility;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.SpecGradients;
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
  private final CandidateExpansion expansion;
  private final boolean clipMoves;
  private final boolean boundsCoordinates;
  private final long specOffset;

  /** Null before the first trimmed report. */
  private Trim lastTrim;

  private Declaration lastDeclaration;
  private double lastLevel;
  private int lastCandidates;
  private int lastTop;

  /** The weight exponent of the last report. */
  private int lastExponent;

  /**
   * Creates the intake of a model with a valid spec.
   *
   * @param specOffset position of the spec on the models topic
   * @throws IllegalArgumentException if the spec can't be run
   */
  public ReportIntake(ModelSpec spec, long specOffset) {
    this(spec, specOffset, new PrivUnitLaws(), new BltSearches(), new CandidateExpansion());
  }

  /**
   * The same, for one of many models.
   *
   * @param laws shared by all of them, and with no other thread
   * @param searches shared in the same way
   * @param expansion shared in the same way
   */
  public ReportIntake(
      ModelSpec spec,
      long specOffset,
      PrivUnitLaws laws,
      BltSearches searches,
      CandidateExpansion expansion) {
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
    this.expansion = expansion;
    clipMoves = spec.hasAdaptiveClip();
    boundsCoordinates = spec.hasCoordinateWise();
    this.specOffset = specOffset;
  }

  public AdmissionRules terms() {
    return rules;
  }

  public long specOffset() {
    return specOffset;
  }

  /**
   * Returns all that the learner receives of an admitted report, on a grid. Raw reports are
   * clipped, candidates expanded, undisclosed reports trimmed. It may share the report's arrays.
   */
  public RoundSum withoutUser(Report report) {
    RoundSum sum = new RoundSum();
    sum.modelId = report.modelId;
    sum.namedRound = report.round;
    sum.count = 1;
    sum.form = report.form;
    sum.specOffset = specOffset;
    sum.appendedAtMs = report.appendedAtMs;
    if (report.form == VectorForm.ANSWER) {
      sum.question = report.question;
      sum.response = response(report);
      return sum;
    }
    if (report.form == VectorForm.VOTE) {
      sum.question = report.question;
      sum.seed = report.candidateSeed;
      sum.isHashed = report.isHashed;
      sum.group = report.candidateIndex;
      sum.groups = report.candidates;
      sum.level = report.level;
      return sum;
    }
    sum.dimension = report.dimension;
    sum.values = report.values;
    sum.indices = report.indices;
    if (contribution.isPresent()) {
      contribution.get().put(report, sum);
    } else {
      putNoised(report, sum);
    }
    return sum;
  }

  private void putNoised(Report report, RoundSum sum) {
    GradientSpace space = gradients.of(report);
    sum.gradientBound = clipMoves ? report.gradientBound : 0;
    sum.weightExponent = weightExponent(report, space);
    sum.directionalVariance =
        ReportWeight.exactVariance(noise.variance(report), space, sum.weightExponent);
    if (report.declaration == Declaration.UNDISCLOSED) {
      trim(space).apply(sum);
    }
    if (sum.form == VectorForm.GRID) {
      sum.exponent = space.gridExponent();
    } else {
      sum.form = sum.form == VectorForm.SPARSE ? VectorForm.SPARSE_SUM : VectorForm.GRID_SUM;
      sum.exponent = ReportWeight.gridExponent(space.gradientBound(), sum.weightExponent);
      sum.values =
          report.form == VectorForm.CANDIDATE
              ? ExactSums.of(expansion.expand(report, space), sum.exponent)
              : ExactSums.of(sum.values, sum.exponent);
    }
  }

  /** Most reports to a model declare what the one before declared, so that one is kept. */
  private int weightExponent(Report report, GradientSpace space) {
    boolean isLikeLast =
        report.declaration == lastDeclaration
            && report.level == lastLevel
            && report.candidates == lastCandidates
            && report.top == lastTop
            && report.taus.length == 0;
    if (!isLikeLast) {
      lastDeclaration = report.declaration;
      lastLevel = report.level;
      lastCandidates = report.candidates;
      lastTop = report.top;
      lastExponent = ReportWeight.exponent(Declaration.of(report), space);
    }
    return lastExponent;
  }

  /** The trim of the last report, if it has the same bound: it always has where that is fixed. */
  private Trim trim(GradientSpace space) {
    if (lastTrim == null || !lastTrim.isOf(space.gradientBound())) {
      lastTrim = new Trim(space.gradientBound(), space.gridExponent(), boundsCoordinates);
    }
    return lastTrim;
  }

  private static double response(Report report) {
    double strength =
        new RandomisedResponseMechanism(report.level, report.levelIsMu).law().strength();
    return report.bit ? strength : -strength;
  }
}
