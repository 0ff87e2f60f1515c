package io.croupier.operators.accounting;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * The terms on which a model takes reports: its spec, made ready to judge by. Built once per spec.
 */
public final class ModelTerms {
  private final ModelSpec spec;
  private final boolean central;
  private final boolean takesExamples;
  private final boolean capped;
  private final Predicate<Report> acceptedNoise;
  private final Predicate<Report> plausible;

  /**
   * Compiles a valid spec.
   *
   * @param acceptedNoise whether the model's learner can work with the noise that a report declares
   * @param plausible whether a report's length is one that its declared noise explains
   */
  public ModelTerms(ModelSpec spec, Predicate<Report> acceptedNoise, Predicate<Report> plausible) {
    this.spec = spec;
    this.acceptedNoise = acceptedNoise;
    this.plausible = plausible;
    Limits limits = spec.getLimits();
    central = ModelSpecs.isCentral(spec);
    takesExamples = spec.hasDpFtrlLeastSquares();
    capped = limits.hasEpsilon() || limits.hasMu();
  }

  /** The spec. */
  public ModelSpec spec() {
    return spec;
  }

  /** Judges a report by what it is, apart from its sender's account: dimension first. */
  Judgement judge(Report report) {
    Judgement judgement = judgeDimension(report);
    if (judgement.isAdmitted()) {
      judgement = judgeDeclaration(report);
    }
    // Central reports are clipped instead: nothing may depend on their values.
    if (judgement.isAdmitted() && !central && !plausible.test(report)) {
      return new Judgement(
          Outcome.REFUSED_IMPLAUSIBLE,
          "the report is longer than report_bound, or than gradient_bound, "
              + spec.getGradientBound()
              + ", and its declared noise explain: the gradient must be clipped to gradient_bound,"
              + " then noised as declared");
    }
    return judgement;
  }

  private Judgement judgeDimension(Report report) {
    boolean example = report.form == VectorForm.EXAMPLE;
    if (example != takesExamples) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          takesExamples
              ? "gradient is " + name(report.form) + ": for least squares it must be an example"
              : "gradient is an example: for this learner it must be dense, grid or sparse");
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
      return refusedDeclaration(
          report,
          central
              ? "the model adds the noise itself, so it must be central"
              : "the model takes noised reports only, so it must be one of the others");
    }
    if (capped && report.declaration == Declaration.UNDISCLOSED) {
      return refusedDeclaration(report, "the model has a limit, so the noise must be disclosed");
    }
    if (capped && Costs.infiniteTaus(report.taus) > 0) {
      return refusedDeclaration(report, "the model has a limit, so every tau must be finite");
    }
    if (!central && !acceptedNoise.test(report)) {
      return refusedDeclaration(
          report,
          "the noise must be disclosed and no stronger than the model's strongest_noise, "
              + text(spec.getBanco().getStrongestNoise()));
    }
    return Judgement.ADMITTED;
  }

  private static Judgement refusedDeclaration(Report report, String right) {
    String level = report.level > 0 ? " with " + report.level : "";
    return new Judgement(
        Outcome.REFUSED_DECLARATION,
        "declaration is " + name(report.declaration) + level + ": " + right);
  }

  private static String text(Message message) {
    return TextFormat.printer().emittingSingleLine(true).printToString(message).strip();
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
