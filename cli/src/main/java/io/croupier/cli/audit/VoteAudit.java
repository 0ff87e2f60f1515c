package io.croupier.cli.audit;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.noise.SeededGroups;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/**
 * What releases of two categories by a randomiser of votes show of its epsilon, and of the
 * probability of the category's own group. The event to test is that the released group contains
 * the first category and not the last one: it is exp(epsilon) times as probable under the first as
 * under the last.
 *
 * <p>A false alarm has a probability of at most that requested: half of it is for the event, half
 * for the probability of the own group.
 */
final class VoteAudit implements AuditVerdict {
  private static final int STEP = 512;

  private final HashedResponseMechanism claim;
  private final boolean isHashed;
  private final int last;
  private final int samples;
  private final double falseAlarm;
  private int underFirst;
  private int underLast;
  private int own;

  private VoteAudit(HashedResponseMechanism claim, int categories, int samples, double falseAlarm) {
    this.claim = claim;
    this.samples = samples;
    this.falseAlarm = falseAlarm;
    isHashed = HashedResponseMechanism.isHashed(claim.epsilon(), categories);
    last = categories - 1;
  }

  /**
   * Draws the releases.
   *
   * @param claim what the randomiser declares
   * @param release the randomiser, of a category from 0
   * @param samples number of releases of each of the two categories, at least 1
   * @param falseAlarm bound on the probability of refuting a true claim
   * @param progress called with the number of further releases
   */
  static VoteAudit of(
      HashedResponseMechanism claim,
      int categories,
      IntFunction<ReleasedGroup> release,
      int samples,
      double falseAlarm,
      IntConsumer progress) {
    VoteAudit audit = new VoteAudit(claim, categories, samples, falseAlarm);
    int shown = 0;
    for (int i = 1; i <= samples; i++) {
      audit.add(release.apply(0), release.apply(audit.last));
      if (i % STEP == 0 || i == samples) {
        progress.accept(2 * (i - shown));
        shown = i;
      }
    }
    return audit;
  }

  private void add(ReleasedGroup ofFirst, ReleasedGroup ofLast) {
    underFirst += contains(ofFirst, 0) && !contains(ofFirst, last) ? 1 : 0;
    underLast += contains(ofLast, 0) && !contains(ofLast, last) ? 1 : 0;
    own += (contains(ofFirst, 0) ? 1 : 0) + (contains(ofLast, last) ? 1 : 0);
  }

  private boolean contains(ReleasedGroup release, int category) {
    int group = isHashed ? SeededGroups.group(release.seed(), category, claim.groups()) : category;
    return group == release.group();
  }

  /** A lower bound on epsilon, which is too high with a probability of at most {@code alarm}. */
  double leastLevel(double alarm) {
    double p = ClopperPearson.lower(underFirst, samples, alarm / 2);
    double q = ClopperPearson.upper(underLast, samples, alarm / 2);
    return PrivacyDefinition.EPSILON.leastLevel(p, q);
  }

  private double hit() {
    return CategoryLaw.of(claim.epsilon(), claim.groups(), isHashed).hit();
  }

  private boolean refutesLevel() {
    return leastLevel(falseAlarm / 2) > claim.epsilon();
  }

  private boolean refutesHit() {
    return ClopperPearson.lower(own, 2 * samples, falseAlarm / 4) > hit()
        || ClopperPearson.upper(own, 2 * samples, falseAlarm / 4) < hit();
  }

  @Override
  public boolean refuted() {
    return refutesLevel() || refutesHit();
  }

  @Override
  public String text() {
    List<FindingRow> rows =
        List.of(
            new FindingRow(
                "epsilon",
                "at most " + number(claim.epsilon()),
                "at least " + number(leastLevel(falseAlarm / 2)),
                refutesLevel()),
            new FindingRow(
                "epsilon, at 95 %", "", "at least " + number(leastLevel(0.05)), "refutes nothing"),
            new FindingRow(
                "probability of the own group",
                number(hit()),
                number(own / (2.0 * samples)),
                refutesHit()));
    String evidence =
        String.format(
            Locale.ROOT,
            "Event: the group contains the first category and not the last; of %,d releases each:"
                + " %,d of the first, %,d of the last.",
            samples,
            underFirst,
            underLast);
    String confidence =
        "A true claim is refuted with a probability of at most " + number(falseAlarm) + ".";
    String subject =
        String.format(
            Locale.ROOT,
            "vote, epsilon %s, %d categories in %d groups",
            number(claim.epsilon()),
            last + 1,
            claim.groups());
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
