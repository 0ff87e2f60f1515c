package io.croupier.cli.audit;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.noise.SeededGroups;
import java.util.List;

/**
 * What releases of two categories, the first as g and the last as h, by a randomiser of votes show
 * of its epsilon, and of the probability of the category's own group. The event to test is that the
 * released group contains the first category and not the last one: it is exp(epsilon) times as
 * probable under the first as under the last.
 *
 * <p>A false alarm has a probability of at most that requested: half of it is for the event, half
 * for the probability of the own group.
 */
final class VoteAudit implements Experiment<ReleasedGroup, VoteAudit> {
  private final HashedResponseMechanism claim;
  private final boolean isHashed;
  private final int last;
  private int underFirst;
  private int underLast;
  private int own;

  /** Tests what a randomiser declares. */
  VoteAudit(HashedResponseMechanism claim, int categories) {
    this.claim = claim;
    isHashed = HashedResponseMechanism.isHashed(claim.epsilon(), categories);
    last = categories - 1;
  }

  @Override
  public VoteAudit another() {
    return new VoteAudit(claim, last + 1);
  }

  @Override
  public void add(int index, ReleasedGroup ofFirst, ReleasedGroup ofLast) {
    underFirst += contains(ofFirst, 0) && !contains(ofFirst, last) ? 1 : 0;
    underLast += contains(ofLast, 0) && !contains(ofLast, last) ? 1 : 0;
    own += (contains(ofFirst, 0) ? 1 : 0) + (contains(ofLast, last) ? 1 : 0);
  }

  @Override
  public void add(VoteAudit other) {
    underFirst += other.underFirst;
    underLast += other.underLast;
    own += other.own;
  }

  private boolean contains(ReleasedGroup release, int category) {
    int group = isHashed ? SeededGroups.group(release.seed(), category, claim.groups()) : category;
    return group == release.group();
  }

  @Override
  public Finding finding(int pairs, double falseAlarm) {
    return new Finding(
        "vote",
        ", %d categories in %d groups".formatted(last + 1, claim.groups()),
        claim.epsilon(),
        new EventCount(PrivacyDefinition.EPSILON, pairs, underFirst, underLast),
        falseAlarm,
        Finding.format(
            "Event: the group contains the first category and not the last; of %,d releases each:"
                + " %,d of the first, %,d of the last.",
            pairs, underFirst, underLast),
        List.of(
            ClopperPearson.check(
                "probability of the own group",
                CategoryLaw.of(claim.epsilon(), claim.groups(), isHashed).hit(),
                own,
                2 * pairs,
                falseAlarm / 4)));
  }
}
