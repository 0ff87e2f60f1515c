package io.croupier.cli.audit;

import io.croupier.cli.io.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result of an audit, as numbers and as a person reads it.
 *
 * @param promise name of what is audited
 * @param parameters of the claim besides its level, for the verdict
 * @param level that is claimed
 * @param count of the event that shows the level
 * @param falseAlarm bound on the probability of refuting a true claim, half of it for the level
 * @param evidence a sentence about the event
 * @param checks of what else is claimed
 */
record Finding(
    String promise,
    String parameters,
    double level,
    EventCount count,
    double falseAlarm,
    String evidence,
    List<Check> checks) {

  /**
   * A quantity other than the level.
   *
   * @param reason what is wrong with it, for the verdict; empty if the table says it all
   */
  record Check(String quantity, String claimed, String measured, boolean refuted, String reason) {}

  /** Lower bound on the true level. */
  double leastLevel() {
    return count.leastLevel(falseAlarm / 2);
  }

  /** The lower bound at 95 % confidence; too high one time in 20. */
  double leastLevelAt95() {
    return count.leastLevel(0.05);
  }

  /** Whether the lower bound exceeds the claimed level. */
  boolean refutesLevel() {
    return leastLevel() > level;
  }

  /** Whether anything is refuted. */
  boolean refuted() {
    return refutesLevel() || checks.stream().anyMatch(Check::refuted);
  }

  /** A table, the event, and a verdict, without a final line separator. */
  String text() {
    String confidence =
        format("A true claim is refuted with a probability of at most %s.", number(falseAlarm));
    return String.join(System.lineSeparator(), table(), "", evidence, confidence, verdict());
  }

  private String table() {
    String symbol = count.guarantee().symbol();
    Table table =
        new Table("", "claimed", "measured", "")
            .words("")
            .row(
                symbol,
                "at most " + number(level),
                "at least " + number(leastLevel()),
                inWords(refutesLevel()))
            .row(
                symbol + ", at 95 %",
                "",
                "at least " + number(leastLevelAt95()),
                "refutes nothing");
    checks.forEach(
        check -> table.row(check.quantity, check.claimed, check.measured, inWords(check.refuted)));
    return table.text();
  }

  private static String inWords(boolean refuted) {
    return refuted ? "REFUTED" : "not refuted";
  }

  private String verdict() {
    String symbol = count.guarantee().symbol();
    String subject = format("%s, %s %s%s", promise, symbol, number(level), parameters);
    if (!refuted()) {
      return "Not refuted: " + subject + ". This is not a proof.";
    }
    List<String> reasons = new ArrayList<>();
    if (refutesLevel()) {
      reasons.add(format("its %s is at least %s", symbol, number(leastLevel())));
    }
    checks.stream().filter(Check::refuted).map(Check::reason).forEach(reasons::add);
    boolean isExplained = checks.stream().noneMatch(check -> check.reason.isEmpty());
    return "REFUTED: " + subject + (isExplained ? ": " + String.join("; ", reasons) : "") + ".";
  }

  /** Four digits. */
  static String number(double value) {
    return format("%.4g", value);
  }

  static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
