package io.croupier.operators.model;

/**
 * A published round that reports may name.
 *
 * <p>All its reports were evaluated at the same weights, so many steps on them overshoot. Rounds
 * therefore grow with the number of reports: a round closes at max(r, n / {@value #SHARE} - 1)
 * reports, where n counts the publication's reports in closed rounds. That makes about 80 + {@value
 * #SHARE} ln(n / {@value #SHARE}) rounds, and leaves the first 90 reports alone: few reports
 * between two publications don't overshoot. {@link Agreement} ends the rounds when further steps
 * would only add distance.
 *
 * <p>Late reports, which name an older publication than the newest one, describe weights that the
 * model has left. A learner that they mislead ({@code Learner.harmlessDelay}) gets larger rounds of
 * them: max(r, n / {@value #LATE_SHARE}) where one publication is newer, and max(r, n - {@value
 * #FEW}) where more are: after the first few, a round of such reports alone has about as many as
 * all earlier rounds together.
 *
 * <p>Source: our own. Simulated from 10 to 100,000 reports a publication: n / 100 lets reports
 * without noise ruin a model, and with n / 10 noisy ones teach it up to five times more slowly. Of
 * 94 reports a publication, n / 30 makes 77 rounds, which costs BANCO up to 0.01 of loss. With half
 * of all reports one publication late, n / 8 for these keeps the adaptive radius below the loss of
 * doing nothing at up to 2,000 late reports a publication, with little noise and without; n / 30
 * doesn't. With all reports three publications late, 5 of 312 simulated models end above the loss
 * of doing nothing, and 71 do without max(r, n - 8) (docs/learners.md).
 */
public final class Publication {
  private static final long SHARE = 30;
  private static final long LATE_SHARE = 8;
  private static final long FEW = 8;

  final long round;

  /**
   * The direction in force at the publication, shape [d]; null if the learner doesn't bet on one.
   */
  final double[] direction;

  /** Multiple of the direction that is added to every gradient evaluated at this round. */
  double pull;

  /** The gradient bound of its round, if the model's clip moves; 0: that of the spec. */
  double gradientBound;

  /** Whether the direction is in the state already. */
  boolean saved;

  /** Whether a report has named the publication. */
  boolean answered;

  /** Its reports in closed rounds. */
  long used;

  /** Its reports in the round that is filling. */
  long filling;

  /** Its reports in the last round. */
  long last;

  Publication(long round, double[] direction) {
    this.round = round;
    this.direction = direction;
  }

  /**
   * Returns how many reports are combined after {@code seen} reports of one publication; below 1
   * where there is nothing to combine.
   */
  public static long share(long seen) {
    return seen / SHARE - 1;
  }

  /** Returns at how many reports a round of this publication alone closes. */
  long roundSize(int reportsPerRound) {
    return Math.max(reportsPerRound, share(used));
  }

  /** Likewise, of reports that mislead the learner, since {@code newer} publications are newer. */
  long lateRoundSize(int reportsPerRound, int newer) {
    return Math.max(reportsPerRound, newer == 1 ? used / LATE_SHARE : used - FEW);
  }

  /** Its reports so far. */
  long reports() {
    return used + filling + last;
  }
}
