package io.croupier.cli.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The printed form of a finding: a table, the event, and a verdict. */
final class FindingText {
  private final String promise;
  private final Finding finding;

  /** Makes the text of a finding about the guarantee named {@code promise}. */
  FindingText(String promise, Finding finding) {
    this.promise = promise;
    this.finding = finding;
  }

  /** The whole text, without a final line separator. */
  String text() {
    Claim claim = finding.claim();
    Event event = finding.event();
    String evidence =
        format(
            "Event: %s %s %s. Occurrences in %,d releases each: %,d for %s, %,d for %s.",
            event.statistic().formula(),
            event.sign() > 0 ? ">=" : "<=",
            number(Math.scalb(event.threshold(), claim.gridExponent())),
            finding.trials(),
            finding.seen(),
            event.sign() > 0 ? "g" : "h",
            finding.seenOfOther(),
            event.sign() > 0 ? "h" : "g");
    String confidence =
        format(
            "A true claim is refuted with a probability of at most %s.",
            number(finding.falseAlarm()));
    return String.join(System.lineSeparator(), table(), "", evidence, confidence, verdict());
  }

  private String table() {
    Claim claim = finding.claim();
    NoiseCheck noise = finding.noise();
    List<FindingRow> rows =
        List.of(
            new FindingRow(
                claim.guarantee().symbol(),
                "at most " + number(claim.level()),
                "at least " + number(finding.leastLevel()),
                finding.refutesLevel()),
            new FindingRow(
                claim.guarantee().symbol() + ", at 95 %",
                "",
                "at least " + number(finding.leastLevelAt95()),
                "refutes nothing"),
            new FindingRow(
                "variance along an axis",
                number(claim.variance()),
                format(
                    "%s +- %s",
                    number(claim.variance() * noise.ratio()),
                    number(claim.variance() * noise.margin(finding.falseAlarm() / 4))),
                finding.refutesVariance()),
            new FindingRow(
                "odd multiples of the grid step",
                "half",
                format(
                    "%.4f +- %s",
                    noise.oddShare(), number(noise.oddMargin(finding.falseAlarm() / 4))),
                finding.refutesGrid()));
    return FindingRow.table(rows);
  }

  private String verdict() {
    Claim claim = finding.claim();
    String subject =
        format(
            "%s, %s %s, d %d",
            promise, claim.guarantee().symbol(), number(claim.level()), claim.pair().dimension());
    if (!finding.refuted()) {
      return "Not refuted: " + subject + ". This is not a proof.";
    }
    List<String> refuted = new ArrayList<>();
    if (finding.refutesLevel()) {
      refuted.add(
          format(
              "its %s is at least %s", claim.guarantee().symbol(), number(finding.leastLevel())));
    }
    if (finding.refutesVariance()) {
      refuted.add(
          format("its variance is %s times the claimed one", number(finding.noise().ratio())));
    }
    if (finding.refutesGrid()) {
      refuted.add("it omits steps of the grid");
    }
    return "REFUTED: " + subject + ": " + String.join("; ", refuted) + ".";
  }

  /** Formats a number with four digits. */
  private static String number(double value) {
    return format("%.4g", value);
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
