package io.croupier.operators.model;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.ledger.AdmissionRules;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.ExactSums;
import io.croupier.operators.report.CandidateContent;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Counted;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.Plausibility;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.SpecGradients;
import io.croupier.operators.report.VectorContent;
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

  /** What the last noised report declared; null before the first. */
  private Mechanism last;

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
    sum.modelId = report.header().modelId();
    sum.namedRound = report.header().round();
    sum.count = 1;
    sum.specOffset = specOffset;
    sum.appendedAtMs = report.source().appendedAtMs();
    if (report.content() instanceof Counted counted) {
      put(counted.count(report.mechanism()), sum);
    } else if (contribution.isPresent()) {
      contribution.get().put((Gradient) report.content(), sum);
    } else {
      putNoised(report, (Gradient) report.content(), sum);
    }
    return sum;
  }

  private static void put(Counted.Count count, RoundSum sum) {
    sum.form = count.form();
    sum.question = count.name();
    sum.response = count.response();
    sum.seed = count.seed();
    sum.isHashed = count.isHashed();
    sum.group = count.group();
    sum.groups = count.groups();
    sum.level = count.level();
  }

  private void putNoised(Report report, Gradient gradient, RoundSum sum) {
    GradientSpace space = gradients.of(report);
    Mechanism mechanism = report.mechanism();
    sum.dimension = gradient.dimension();
    sum.gradientBound = clipMoves ? report.header().gradientBound() : 0;
    sum.weightExponent = weightExponent(mechanism, space);
    sum.directionalVariance =
        ReportWeight.exactVariance(noise.variance(mechanism), space, sum.weightExponent);
    sum.exponent = ReportWeight.gridExponent(space.gradientBound(), sum.weightExponent);
    if (gradient instanceof CandidateContent candidate) {
      double[] values = expansion.expand(candidate, (PrivUnitMechanism) mechanism, space);
      sum.form = VectorForm.GRID_SUM;
      sum.values = ExactSums.of(values, sum.exponent);
      return;
    }
    VectorContent vector = (VectorContent) gradient;
    sum.form = vector.form();
    sum.values = vector.values();
    sum.indices = vector.indices();
    if (mechanism instanceof UndisclosedNoise) {
      trim(space).apply(sum);
    }
    if (sum.form == VectorForm.GRID) {
      sum.exponent = space.gridExponent();
    } else {
      sum.form = sum.form == VectorForm.SPARSE ? VectorForm.SPARSE_SUM : VectorForm.GRID_SUM;
      sum.values = ExactSums.of(sum.values, sum.exponent);
    }
  }

  /** Most reports to a model declare what the one before declared, so that one is kept. */
  private int weightExponent(Mechanism mechanism, GradientSpace space) {
    if (!mechanism.equals(last)) {
      last = mechanism;
      lastExponent = ReportWeight.exponent(mechanism, space);
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
}
