package io.croupier.cli.audit;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.noise.SeededGroups;
import java.util.List;
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
final class VoteAudit {
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
  static Finding of(
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
    return audit.finding();
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

  private Finding finding() {
    return new Finding(
        "vote",
        ", %d categories in %d groups".formatted(last + 1, claim.groups()),
        claim.epsilon(),
        new EventCount(PrivacyDefinition.EPSILON, samples, underFirst, underLast),
        falseAlarm,
        Finding.format(
            "Event: the group contains the first category and not the last; of %,d releases each:"
                + " %,d of the first, %,d of the last.",
            samples, underFirst, underLast),
        List.of(
            ClopperPearson.check(
                "probability of the own group",
                CategoryLaw.of(claim.epsilon(), claim.groups(), isHashed).hit(),
                own,
                2 * samples,
                falseAlarm / 4)));
  }
}
