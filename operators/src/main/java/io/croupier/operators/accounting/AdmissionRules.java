package io.croupier.operators.accounting;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.DiscreteGaussian;
import io.croupier.operators.report.Clip;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** The rules by which a model admits reports, precomputed from its spec. Built once per spec. */
public final class AdmissionRules {
  private final ModelSpec spec;
  private final boolean central;
  private final Optional<CentralCharge> charge;
  private final boolean takesExamples;
  private final Budget budget;
  private final int maxParticipations;
  private final long minSeparation;
  private final Predicate<Report> nearOptimum;
  private final Predicate<Report> acceptedNoise;
  private final String strongestNoise;
  private final Predicate<Report> plausible;

  /**
   * Compiles a valid spec.
   *
   * @param nearOptimum whether a report of priv_unit declares vectors short enough for learners
   * @param acceptedNoise whether the model's learner accepts the noise that a report declares
   * @param plausible whether a report's length is plausible under its declared noise
   */
  public AdmissionRules(
      ModelSpec spec,
      Predicate<Report> nearOptimum,
      Predicate<Report> acceptedNoise,
      Predicate<Report> plausible) {
    this.spec = spec;
    this.nearOptimum = nearOptimum;
    this.acceptedNoise = acceptedNoise;
    this.plausible = plausible;
    strongestNoise = text(spec.getBanco().getStrongestNoise());
    central = ModelSpecs.isCentral(spec);
    charge = CentralCharge.of(spec);
    Limits limits = central ? spec.getLimits() : withoutParticipation(spec.getLimits());
    takesExamples = spec.hasDpFtrlLeastSquares();
    budget = new Budget("limits.", limits);
    maxParticipations = limits.getMaxParticipations();
    minSeparation = limits.getMinSeparation();
  }

  /** Local models have no participations, so their events contain no remaining ones either. */
  private static Limits withoutParticipation(Limits limits) {
    return limits.toBuilder().clearMaxParticipations().clearMinSeparation().build();
  }

  /** Returns the spec. */
  public ModelSpec spec() {
    return spec;
  }

  /** Returns the budget of one user on the model. */
  Budget budget() {
    return budget;
  }

  /**
   * Judges a report by its own fields, independently of its sender's account; dimension first.
   *
   * @param perUser the budget of its user on all models
   */
  Judgement judge(Report report, Budget perUser) {
    Judgement judgement = judgeDimension(report);
    if (judgement.isAdmitted()) {
      judgement = judgeDeclaration(report);
    }
    if (judgement.isAdmitted()) {
      judgement = budget.judgeDeclaration(report);
    }
    if (judgement.isAdmitted()) {
      judgement = perUser.judgeDeclaration(report);
    }
    // Central reports are clipped instead: no outcome may depend on their values.
    if (judgement.isAdmitted() && !central && !plausible.test(report)) {
      return new Judgement(
          Outcome.REFUSED_IMPLAUSIBLE,
          "the report is longer than report_bound, or than gradient_bound, "
              + spec.getGradientBound()
              + ", and its declared noise allow: the gradient must be clipped to gradient_bound,"
              + " then noised as declared");
    }
    return judgement;
  }

  /**
   * Judges whether the sender of a well-formed report may take part once more. Central models limit
   * the number of participations and their separation to those that the guarantee was computed for.
   *
   * @param spent totals of the sender and the model
   */
  Judgement judgeParticipation(Report report, Totals spent) {
    if (!central) {
      return Judgement.ADMITTED;
    }
    Optional<String> refusal = charge.orElseThrow().refusal(report.round);
    if (refusal.isPresent()) {
      return new Judgement(Outcome.REFUSED_PARTICIPATION, refusal.get());
    }
    if (spent.participations == 0) {
      return Judgement.ADMITTED;
    }
    if (spent.participations >= maxParticipations) {
      return new Judgement(
          Outcome.REFUSED_PARTICIPATION,
          "limits.max_participations is "
              + maxParticipations
              + ", and the user has taken part "
              + spent.participations
              + (spent.participations == 1 ? " time" : " times"));
    }
    long earliest = DecimalUnits.add(DecimalUnits.add(spent.lastRound, minSeparation), 1);
    return report.round >= earliest && report.round > spent.lastRound
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_SEPARATION,
            "round is "
                + report.round
                + ": it must be at least "
                + earliest
                + ", since the user took part in round "
                + spent.lastRound
                + " and limits.min_separation is "
                + minSeparation);
  }

  /**
   * Adds the total variation between Gaussian noise on the model's grid and the continuous law to
   * the cost of a report.
   */
  void vary(Report report, Totals cost) {
    double sensitivity = Math.scalb(2 * spec.getGradientBound(), -ModelSpecs.gridExponent(spec));
    double deviation = Math.max(1, sensitivity / report.level);
    int d = spec.getDimension();
    Costs.vary(
        cost, DiscreteGaussian.variation(d, deviation), DiscreteGaussian.variation(d, sensitivity));
  }

  /**
   * Computes the sender's participation for a report that {@link #judgeParticipation} admitted.
   *
   * @param spent totals of the sender and the model
   * @return empty if the model is not central
   */
  Optional<Participation> participation(Report report, Totals spent, UserAccount account) {
    return charge.map(c -> c.participation(account, report.modelId, spent, report.round));
  }

  private Judgement judgeDimension(Report report) {
    boolean example = report.form == VectorForm.EXAMPLE;
    if (example != takesExamples) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          takesExamples
              ? "gradient is " + name(report.form) + ": for least squares it must be an example"
              : "gradient is an example: for this learner it must be dense, grid, sparse or"
                  + " candidate");
    }
    if (report.dimension != spec.getDimension()) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          "the vector has dimension "
              + report.dimension
              + ": it must have the model's, "
              + spec.getDimension());
    }
    return Judgement.ADMITTED;
  }

  private Judgement judgeDeclaration(Report report) {
    if (central != (report.declaration == Declaration.CENTRAL)) {
      return Judgement.refusedDeclaration(
          report,
          central
              ? "the model adds the noise itself, so it must be central"
              : "the model takes noised reports only, so it must be one of the others");
    }
    if (report.form == VectorForm.SPARSE
        && (report.declaration == Declaration.L2_LAPLACE
            || report.declaration == Declaration.GAUSSIAN)) {
      return Judgement.refusedDeclaration(
          report,
          "the vector is sparse, so it reveals which coordinates it names, whatever the noise: it must"
              + " be undisclosed, or coordinate_laplace with the clip COORDINATES");
    }
    if (report.declaration == Declaration.COORDINATE_LAPLACE) {
      Judgement judgement = judgeClip(report);
      if (!judgement.isAdmitted()) {
        return judgement;
      }
    }
    if (report.declaration == Declaration.PRIV_UNIT && !nearOptimum.test(report)) {
      return Judgement.refusedDeclaration(
          report,
          "top %s of %s candidates makes vectors longer than 1.3 times the least length at epsilon %s:"
                  .formatted(report.top, report.candidates, report.level)
              + " it must be nearer to the best top, or the candidates more");
    }
    if (!central && !acceptedNoise.test(report)) {
      return Judgement.refusedDeclaration(
          report,
          "the noise must be disclosed and no stronger than the model's strongest_noise, "
              + strongestNoise);
    }
    return Judgement.ADMITTED;
  }

  /** Judges a report of coordinate-wise noise. */
  private Judgement judgeClip(Report report) {
    if (report.clip != Clip.COORDINATES) {
      if (report.form == VectorForm.SPARSE) {
        return Judgement.refusedDeclaration(
            report,
            "the vector is sparse, so the coordinates that it doesn't name are not private: the"
                + " clip must be COORDINATES");
      }
      if (Costs.openCoordinates(report) > 0) {
        return Judgement.refusedDeclaration(
            report,
            "a tau is infinite, so the clip must be COORDINATES: scaled to an L2 norm, a coordinate"
                + " that is not private reveals the others");
      }
    } else if (spec.hasBanco()) {
      return Judgement.refusedDeclaration(
          report,
          "the clip is COORDINATES: it must be L2, since BANCO bets on gradients whose L2 norm is"
              + " at most gradient_bound");
    }
    return Judgement.ADMITTED;
  }

  /** Prints only the least tau, which alone decides; there are as many as coordinates. */
  private static String text(StrongestNoise noise) {
    StrongestNoise.Builder shown = noise.toBuilder();
    if (noise.hasCoordinateLaplace()) {
      double least = Collections.min(noise.getCoordinateLaplace().getTausList());
      shown.getCoordinateLaplaceBuilder().clearTaus().addTaus(least);
    }
    return TextFormat.printer().emittingSingleLine(true).printToString(shown).strip();
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
