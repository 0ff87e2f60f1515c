package io.croupier.cli.audit;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.audit.CandidateAudit.CandidateCounts;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.distribution.NormalDistribution;

/** What an audit of priv-unit found, as numbers and as a person reads it. */
final class CandidateFinding implements AuditVerdict {
  private final PrivUnitLaw law;
  private final double gradientBound;
  private final CandidateCounts counts;
  private final int samples;
  private final double falseAlarm;

  /**
   * @param samples releases of either gradient
   * @param falseAlarm bound on the probability of refuting a true claim, by the normal law for mean
   *     and variance
   */
  CandidateFinding(
      PrivUnitRandomiser claimed, CandidateCounts counts, int samples, double falseAlarm) {
    law = claimed.law();
    gradientBound = claimed.gradientBound();
    this.counts = counts;
    this.samples = samples;
    this.falseAlarm = falseAlarm;
  }

  /** Lower bound on the true epsilon, too high with a probability of at most a false alarm's. */
  double leastEpsilon(double alarm) {
    double p = ClopperPearson.lower(counts.top(1), samples, alarm / 2);
    double q = ClopperPearson.upper(counts.top(-1), samples, alarm / 2);
    return PrivacyDefinition.EPSILON.leastLevel(p, q);
  }

  /** Measured mean along the gradient, in units of it. */
  double mean() {
    return law.scale() * counts.sum() / (2.0 * samples);
  }

  private double meanMargin() {
    return deviations() * Math.sqrt(law.varianceAlong() / (2.0 * samples));
  }

  /**
   * Measured variance along the gradient, about the gradient itself, as a multiple of the claim.
   */
  double varianceRatio() {
    double m = law.scale();
    double n = 2.0 * samples;
    double square = m * m * counts.squares() / n - 2 * mean() + 1;
    return square / law.varianceAlong();
  }

  private double varianceMargin() {
    double n = 2.0 * samples;
    double m = law.scale();
    double spread = counts.fourths() / n - Math.pow(counts.squares() / n, 2);
    // That of the squares, and of the mean that is taken off.
    double ofSquares = m * m * Math.sqrt(Math.max(0, spread) / n);
    double ofMean = 2 * Math.sqrt(law.varianceAlong() / n);
    return deviations() * (ofSquares + ofMean) / law.varianceAlong();
  }

  private double deviations() {
    return -new NormalDistribution(null, 0, 1).inverseCumulativeProbability(falseAlarm / 8);
  }

  private boolean refutesEpsilon() {
    return leastEpsilon(falseAlarm / 2) > law.epsilon();
  }

  private boolean refutesMean() {
    return !(Math.abs(mean() - 1) <= meanMargin());
  }

  private boolean refutesVariance() {
    return !(Math.abs(varianceRatio() - 1) <= varianceMargin());
  }

  @Override
  public boolean refuted() {
    return refutesEpsilon() || refutesMean() || refutesVariance();
  }

  @Override
  public String text() {
    String evidence =
        format(
            "Event: the index is among the %,d of %,d candidates closest to g; of %,d releases"
                + " each: %,d of g, %,d of h.",
            law.top(), law.candidates(), samples, counts.top(1), counts.top(-1));
    String confidence =
        format("A true claim is refuted with a probability of at most %s.", number(falseAlarm));
    return String.join(System.lineSeparator(), table(), "", evidence, confidence, verdict());
  }

  private String table() {
    double square = gradientBound * gradientBound;
    List<FindingRow> rows =
        List.of(
            new FindingRow(
                "epsilon",
                "at most " + number(law.epsilon()),
                "at least " + number(leastEpsilon(falseAlarm / 2)),
                refutesEpsilon()),
            new FindingRow(
                "epsilon, at 95 %",
                "", "at least " + number(leastEpsilon(0.05)), "refutes nothing"),
            new FindingRow(
                "mean along the gradient",
                number(gradientBound),
                format(
                    "%s +- %s",
                    number(gradientBound * mean()), number(gradientBound * meanMargin())),
                refutesMean()),
            new FindingRow(
                "variance along the gradient",
                number(square * law.varianceAlong()),
                format(
                    "%s +- %s",
                    number(square * law.varianceAlong() * varianceRatio()),
                    number(square * law.varianceAlong() * varianceMargin())),
                refutesVariance()));
    return FindingRow.table(rows);
  }

  private String verdict() {
    String subject = format("priv-unit, epsilon %s, d %d", number(law.epsilon()), law.dimension());
    if (!refuted()) {
      return "Not refuted: " + subject + ". This is not a proof.";
    }
    List<String> refuted = new ArrayList<>();
    if (refutesEpsilon()) {
      refuted.add(format("its epsilon is at least %s", number(leastEpsilon(falseAlarm / 2))));
    }
    if (refutesMean()) {
      refuted.add(format("its mean is %s of the gradient", number(mean())));
    }
    if (refutesVariance()) {
      refuted.add(format("its variance is %s of that claimed", number(varianceRatio())));
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
