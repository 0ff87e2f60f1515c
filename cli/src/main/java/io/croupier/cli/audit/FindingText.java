package io.croupier.cli.audit;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A finding as a person reads it: a table, what it was found by, and a verdict. */
final class FindingText {
  private final String promise;
  private final Finding finding;

  /** Of the promise of that name, such as of a mechanism. */
  FindingText(String promise, Finding finding) {
    this.promise = promise;
    this.finding = finding;
  }

  private record FindingRow(String quantity, String claimed, String measured, String verdict) {}

  /** The whole of it, without an end of line. */
  String text() {
    Claim claim = finding.claim();
    Event event = finding.event();
    String evidence =
        format(
            "Event: %s %s %s, of %,d releases each: %,d of %s, %,d of %s.",
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
                word(finding.refutesLevel())),
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
                word(finding.refutesVariance())),
            new FindingRow(
                "odd steps of the grid",
                "half",
                format(
                    "%.4f +- %s",
                    noise.oddShare(), number(noise.oddMargin(finding.falseAlarm() / 4))),
                word(finding.refutesGrid())));
    return AsciiTable.getTable(
        AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS_NO_OUTSIDE_BORDER,
        rows,
        List.of(
            column("", HorizontalAlign.LEFT).with(FindingRow::quantity),
            column("claimed", HorizontalAlign.RIGHT).with(FindingRow::claimed),
            column("measured", HorizontalAlign.RIGHT).with(FindingRow::measured),
            column("", HorizontalAlign.LEFT).with(FindingRow::verdict)));
  }

  private static Column column(String header, HorizontalAlign align) {
    return new Column().header(header).headerAlign(align).dataAlign(align);
  }

  private static String word(boolean refuted) {
    return refuted ? "REFUTED" : "not refuted";
  }

  private String verdict() {
    Claim claim = finding.claim();
    String subject =
        format(
            "%s, %s %s, d %d",
            promise, claim.guarantee().symbol(), number(claim.level()), claim.pair().dimension());
    if (!finding.refuted()) {
      return "Not refuted: " + subject + ". That is no proof.";
    }
    List<String> refuted = new ArrayList<>();
    if (finding.refutesLevel()) {
      refuted.add(
          format(
              "its %s is at least %s", claim.guarantee().symbol(), number(finding.leastLevel())));
    }
    if (finding.refutesVariance()) {
      refuted.add(format("its variance is %s of that claimed", number(finding.noise().ratio())));
    }
    if (finding.refutesGrid()) {
      refuted.add("it leaves out steps of the grid");
    }
    return "REFUTED: " + subject + ": " + String.join("; ", refuted) + ".";
  }

  /** Four digits. */
  private static String number(double value) {
    return format("%.4g", value);
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
