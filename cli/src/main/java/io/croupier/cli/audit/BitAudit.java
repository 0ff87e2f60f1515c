package io.croupier.cli.audit;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/**
 * What releases of both answers by a randomiser of bits show of its level, and of the probability
 * of the true bit. There is a single event to test: that the released bit is yes.
 *
 * <p>A false alarm has a probability of at most that requested: half of it is for the event, half
 * for the probability of the true bit.
 */
final class BitAudit implements AuditVerdict {
  private static final int STEP = 512;

  private final RandomisedResponseMechanism claim;
  private final int samples;
  private final double falseAlarm;
  private final int yesOfYes;
  private final int yesOfNo;

  private BitAudit(
      RandomisedResponseMechanism claim,
      int samples,
      double falseAlarm,
      int yesOfYes,
      int yesOfNo) {
    this.claim = claim;
    this.samples = samples;
    this.falseAlarm = falseAlarm;
    this.yesOfYes = yesOfYes;
    this.yesOfNo = yesOfNo;
  }

  /**
   * Draws the releases.
   *
   * @param claim what the randomiser declares
   * @param release the randomiser
   * @param samples number of releases of each answer, at least 1
   * @param falseAlarm bound on the probability of refuting a true claim
   * @param progress called with the number of further releases
   */
  static BitAudit of(
      RandomisedResponseMechanism claim,
      UnaryOperator<Boolean> release,
      int samples,
      double falseAlarm,
      IntConsumer progress) {
    int yesOfYes = 0;
    int yesOfNo = 0;
    int shown = 0;
    for (int i = 1; i <= samples; i++) {
      yesOfYes += release.apply(true) ? 1 : 0;
      yesOfNo += release.apply(false) ? 1 : 0;
      if (i % STEP == 0 || i == samples) {
        progress.accept(2 * (i - shown));
        shown = i;
      }
    }
    return new BitAudit(claim, samples, falseAlarm, yesOfYes, yesOfNo);
  }

  private PrivacyDefinition definition() {
    return claim.isMu() ? PrivacyDefinition.MU : PrivacyDefinition.EPSILON;
  }

  /** A lower bound on the level, which is too high with a probability of at most {@code alarm}. */
  double leastLevel(double alarm) {
    double p = ClopperPearson.lower(yesOfYes, samples, alarm / 2);
    double q = ClopperPearson.upper(yesOfNo, samples, alarm / 2);
    return definition().leastLevel(p, q);
  }

  private int kept() {
    return yesOfYes + samples - yesOfNo;
  }

  private double truth() {
    return (1 + claim.law().strength()) / 2;
  }

  private boolean refutesLevel() {
    return leastLevel(falseAlarm / 2) > claim.level();
  }

  private boolean refutesTruth() {
    return ClopperPearson.lower(kept(), 2 * samples, falseAlarm / 4) > truth()
        || ClopperPearson.upper(kept(), 2 * samples, falseAlarm / 4) < truth();
  }

  @Override
  public boolean refuted() {
    return refutesLevel() || refutesTruth();
  }

  @Override
  public String text() {
    String symbol = definition().symbol();
    List<FindingRow> rows =
        List.of(
            new FindingRow(
                symbol,
                "at most " + number(claim.level()),
                "at least " + number(leastLevel(falseAlarm / 2)),
                refutesLevel()),
            new FindingRow(
                symbol + ", at 95 %",
                "",
                "at least " + number(leastLevel(0.05)),
                "refutes nothing"),
            new FindingRow(
                "probability of the true bit",
                number(truth()),
                number(kept() / (2.0 * samples)),
                refutesTruth()));
    String evidence =
        String.format(
            Locale.ROOT,
            "Event: the bit is yes; of %,d releases each: %,d of yes, %,d of no.",
            samples,
            yesOfYes,
            yesOfNo);
    String confidence =
        "A true claim is refuted with a probability of at most " + number(falseAlarm) + ".";
    String subject = "answer, " + symbol + " " + number(claim.level());
    String verdict =
        refuted()
            ? "REFUTED: " + subject + "."
            : "Not refuted: " + subject + ". This is not a proof.";
    return String.join(
        System.lineSeparator(), FindingRow.table(rows), "", evidence, confidence, verdict);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4g", value);
  }
}
