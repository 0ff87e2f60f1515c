package io.croupier.operators.anonymous;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelSpec;
import java.util.List;

/**
 * The rules by which a model admits anonymous reports, by its spec. Not safe for use by several
 * threads.
 */
public final class AnonymousRules {
  private final ModelSpec spec;
  private final ReportIntake intake;
  private final List<Mechanism> levels;

  /**
   * Compiles a valid spec.
   *
   * @param intake of the same spec
   */
  public AnonymousRules(ModelSpec spec, ReportIntake intake) {
    this.spec = spec;
    this.intake = intake;
    levels = AnonymousWindows.levels(spec);
  }

  /** Returns what a report may declare. */
  public List<Mechanism> levels() {
    return levels;
  }

  /** Returns the window of a report; -1 if the model takes no anonymous reports. */
  public long window(Report report) {
    return spec.hasAnonymous() ? AnonymousWindows.window(spec, report.header().round()) : -1;
  }

  /** Returns the place of a report's declaration among the model's levels; -1 if it has none. */
  public int level(Report report) {
    return levels.indexOf(report.mechanism());
  }

  /**
   * Returns whether the report's token is for its window and declaration, and is signed.
   *
   * @param modulus of the key of both
   */
  public boolean isSigned(TokenedReport tokened, byte[] modulus) {
    Report report = tokened.report();
    return tokened
        .token()
        .isFor(report.header().modelId(), window(report), report.mechanism(), modulus);
  }

  /** Returns why the model doesn't use such a report, whatever its token; empty if it does. */
  public String refusal(Report report) {
    return intake.terms().refusalOfAnonymous(report);
  }

  /**
   * Returns what the learner receives of an admitted report.
   *
   * @param level as {@link #level} gives it
   */
  public RoundSum admitted(Report report, int level) {
    RoundSum sum = intake.withoutUser(report);
    sum.anonymousLevel = level + 1;
    return sum;
  }
}
