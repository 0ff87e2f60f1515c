package io.croupier.accounting.mechanism;

import io.croupier.accounting.ChoiceLoss;
import io.croupier.accounting.mechanism.InvalidMechanismException.Flaw;
import java.util.ArrayList;
import java.util.List;

/**
 * One of several groups, of which that of the sender's category is exp(epsilon) times as probable
 * as each other one. With few categories, each is a group of its own: k-ary randomised response.
 * With many, a public seed assigns them to groups: local hashing [WBLJ17].
 *
 * <p>Given the seed, the release is a choice of 1 of N candidates like that of priv_unit, whatever
 * the category is, so {@link ChoiceLoss} states what it costs. It is no gradient, so nothing is
 * known of the noise of one.
 *
 * @param epsilon in nats, above 0 and at most 16
 * @param groups N, from 2 to 1024
 */
public record HashedResponseMechanism(double epsilon, int groups) implements Mechanism {
  /** The most groups, and the most categories of a choice. */
  public static final int MOST_GROUPS = 1024;

  /** The largest epsilon. */
  public static final double MOST_EPSILON = 16;

  private static final String NAME = "hashed_response";

  /** Relative error of exp that is more than that of any device. */
  private static final double ROUNDING = 1e-12;

  /**
   * @throws InvalidMechanismException if a parameter is out of range
   */
  public HashedResponseMechanism {
    List<Flaw> flaws = new ArrayList<>();
    if (!(epsilon > 0 && epsilon <= MOST_EPSILON)) {
      flaws.add(new Flaw("epsilon", epsilon, "above 0 and at most 16"));
    }
    if (groups < 2 || groups > MOST_GROUPS) {
      flaws.add(new Flaw("groups", groups, "from 2 to " + MOST_GROUPS));
    }
    if (!flaws.isEmpty()) {
      throw new InvalidMechanismException(NAME, flaws);
    }
  }

  /**
   * The mechanism for a number of categories with about the least variance: k-ary randomised
   * response for k of at most 3 exp(epsilon) + 2, else local hashing to the integer nearest to
   * exp(epsilon) + 1; never more than {@value #MOST_GROUPS} groups.
   *
   * @param categories k, at least 2
   * @throws InvalidMechanismException if a parameter is out of range
   */
  public static HashedResponseMechanism of(double epsilon, int categories) {
    return new HashedResponseMechanism(
        epsilon,
        isHashed(epsilon, categories)
            ? (int) Math.min(MOST_GROUPS, Math.rint(StrictMath.exp(epsilon) + 1))
            : categories);
  }

  /** Whether {@link #of} assigns categories to groups by a seed. */
  public static boolean isHashed(double epsilon, int categories) {
    return categories > Math.min(MOST_GROUPS, 3 * StrictMath.exp(epsilon) + 2);
  }

  /**
   * Why this is not the mechanism for a number of categories, as part of a sentence; empty if it
   * is. Other groups, or a seed elsewhere, would let a sender move an estimate further than others
   * do. Where exp(epsilon) is at a boundary but for its rounding, which differs among devices, both
   * sides are right.
   *
   * @param categories k, at least 2
   * @param isHashed whether a seed assigns the categories to the groups
   */
  public String objection(int categories, boolean isHashed) {
    double odds = StrictMath.exp(epsilon);
    double error = ROUNDING * odds;
    boolean isRight =
        isHashed
            ? categories > Math.min(MOST_GROUPS, 3 * (odds - error) + 2)
                && Math.abs(groups - Math.min(MOST_GROUPS, odds + 1)) <= 0.5 + error
            : categories <= Math.min(MOST_GROUPS, 3 * (odds + error) + 2) && groups == categories;
    return isRight
        ? ""
        : String.format(
            "groups is %d, and the vote has %s: it must have %d groups and %s for epsilon %s and %d categories",
            groups,
            seed(isHashed),
            of(epsilon, categories).groups,
            seed(isHashed(epsilon, categories)),
            epsilon,
            categories);
  }

  private static String seed(boolean isHashed) {
    return isHashed ? "a seed" : "no seed";
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public double level() {
    return epsilon;
  }

  @Override
  public Cost cost() {
    return Cost.ofLoss(new ChoiceLoss(epsilon, groups - 1));
  }
}
