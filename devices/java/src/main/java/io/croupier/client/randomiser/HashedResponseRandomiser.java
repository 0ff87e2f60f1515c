package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SecureBits;
import io.croupier.noise.SeededGroups;
import io.croupier.noise.UniformIntegers;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.TextCandidates;
import io.croupier.schemas.Vote;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * Hashed response: which of several categories a person belongs to, for one release.
 *
 * <p>A release is made in three steps. (1) Where there are many categories, draw a seed of 64 fair
 * bits, from a generator of its own; it assigns each category to one of N groups ({@link
 * SeededGroups}). Otherwise each category is a group. (2) Find the group of the category. (3) Draw
 * a group, exp(epsilon) times as likely if it is that one as each of the others.
 *
 * <p>Guarantee: epsilon-LDP under replace-one, as of {@link PrivUnitRandomiser}, whose draw it is,
 * with one favoured candidate of N. That holds for any map from seed and category to a group.
 *
 * <p>Remaining weakness: as of every randomiser, the time that a release takes is not constant. It
 * depends on the number of groups that were rejected, which is independent of the one that was
 * accepted.
 *
 * <p>Safe for use by several threads. It contains a generator and can't be serialised.
 */
public final class HashedResponseRandomiser {
  private static final double LEAST_EPSILON = 1e-9;
  private static final int DECIMALS = 9;

  private final HashedResponseMechanism mechanism;
  private final int categories;
  private final boolean isHashed;
  private final ReleaseCost cost;

  /** The probability exp(-epsilon) of accepting another group, in units of 2^-63. */
  private final long acceptance;

  /** Under a key of its own, so that the seed, which is public, is no part of the other stream. */
  private final SecureBits seeds;

  private final SecureBits bits;
  private final UniformIntegers integers;

  /**
   * A randomiser whose releases are epsilon-LDP.
   *
   * @param epsilon in nats, from 1e-9 to 16; rounded down to a multiple of 1e-9
   * @param categories k, from 2 to 4096
   * @throws IllegalArgumentException if an argument is out of range
   */
  public HashedResponseRandomiser(double epsilon, int categories) {
    this(epsilon, categories, new SecureBits(), new SecureBits());
  }

  HashedResponseRandomiser(double epsilon, int categories, SecureBits seeds, SecureBits bits) {
    if (!(epsilon >= LEAST_EPSILON && epsilon <= HashedResponseMechanism.MOST_EPSILON)) {
      throw new IllegalArgumentException(
          "epsilon is "
              + epsilon
              + "; it must be from 1e-9 to "
              + HashedResponseMechanism.MOST_EPSILON);
    }
    if (categories < 2 || categories > TextCandidates.MOST) {
      throw new IllegalArgumentException(
          "categories is " + categories + "; it must be from 2 to " + TextCandidates.MOST);
    }
    // Less than asked for, and what the group is drawn with is what is declared, to the last digit.
    BigDecimal units = ReleaseCost.decimal(epsilon).setScale(DECIMALS, RoundingMode.DOWN);
    mechanism = HashedResponseMechanism.of(units.doubleValue(), categories);
    this.categories = categories;
    isHashed = HashedResponseMechanism.isHashed(mechanism.epsilon(), categories);
    cost = ReleaseCost.of(mechanism);
    acceptance = PrivUnitRandomiser.acceptance(mechanism.epsilon());
    this.seeds = seeds;
    this.bits = bits;
    integers = UniformIntegers.of(bits);
  }

  /**
   * A randomiser whose releases cost at most what a gradient of another randomiser costs: the same
   * epsilon, or {@value HashedResponseMechanism#MOST_EPSILON} if that is less. Empty if that cost
   * is undisclosed, since a vote always declares its level, or no pure epsilon of at least 1e-9:
   * such a device votes on no statistic.
   *
   * @param categories k, from 2 to 4096
   */
  public static Optional<HashedResponseRandomiser> costing(ReleaseCost cost, int categories) {
    double epsilon = cost.epsilon().doubleValue();
    return cost.undisclosed() || cost.mu().signum() > 0 || epsilon < LEAST_EPSILON
        ? Optional.empty()
        : Optional.of(
            new HashedResponseRandomiser(
                Math.min(epsilon, HashedResponseMechanism.MOST_EPSILON), categories));
  }

  /** The privacy cost of one release to the person, which the job accounts, too. */
  public ReleaseCost cost() {
    return cost;
  }

  /** What a release declares. */
  public HashedResponseMechanism mechanism() {
    return mechanism;
  }

  /** k, the number of categories. */
  public int categories() {
    return categories;
  }

  /** Whether a seed assigns the categories to groups. */
  public boolean isHashed() {
    return isHashed;
  }

  /**
   * A release: all that the report contains beside its declaration.
   *
   * @param seed 0 if each category is a group
   * @param group from 0
   */
  public record ReleasedGroup(long seed, int group) {}

  /**
   * Releases a category once. Every call spends {@link #cost} again.
   *
   * @param category from 0 to k - 1
   * @throws IllegalArgumentException if it is out of range; nothing is spent then
   */
  public ReleasedGroup release(int category) {
    if (category < 0 || category >= categories) {
      throw new IllegalArgumentException(
          "category is out of range; it must be from 0 to " + (categories - 1));
    }
    synchronized (bits) {
      // A copy of this process draws another seed, and another group.
      bits.renew();
      long seed = 0;
      if (isHashed) {
        seeds.renew();
        seed = seeds.getAsLong();
      }
      boolean[] favoured = new boolean[mechanism.groups()];
      favoured[isHashed ? SeededGroups.group(seed, category, favoured.length) : category] = true;
      return new ReleasedGroup(seed, PrivUnitRandomiser.draw(favoured, integers, acceptance));
    }
  }

  /**
   * Releases a category once, into a report: the group, the seed if there is one, and the
   * declaration.
   *
   * @param statistic name of the statistic
   * @param category from 0 to k - 1
   */
  public void release(String statistic, int category, GradientReportView.Builder report) {
    ReleasedGroup release = release(category);
    Vote.Builder vote = Vote.newBuilder().setStatistic(statistic).setIndex(release.group());
    if (isHashed) {
      vote.setSeed(release.seed());
    }
    report.setVote(vote);
    Declarations.declare(mechanism, report);
  }
}
