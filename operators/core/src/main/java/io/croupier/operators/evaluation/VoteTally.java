package io.croupier.operators.evaluation;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.operators.learner.LearnerState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The votes for one choice among k categories, each a group of categories by hashed response, and
 * the estimates of the fractions of people in each category.
 *
 * <p>With x = 1 if the released group contains the category, and p and q the probabilities of that
 * by the {@linkplain CategoryLaw law} of the vote, E x = q + f (p - q), f the fraction. So sum(w c
 * (x - q)) / sum(w c (p - q)) estimates f without bias, whatever the weights. w depends on age
 * alone ({@link Forgetting}), c on the declaration alone: (p - q) / v, v the variance of x at f = 1
 * / k, which is the weight of least variance there; or a bound if that is less.
 *
 * <p>The variance of the estimate is sum(w^2 c^2 (q (1 - q) + f (p - q) (1 - 2 q) - f^2 (p - q)^2))
 * / sum(w c (p - q))^2, which includes sampling. The interval contains every f from 0 to 1 whose
 * variance makes the estimate likely: the score interval [Wil27], generalised to weights and
 * randomisation. It is one of each category alone.
 *
 * <p>A vote moves the estimate of a category by w c (1 - q) / sum(w c (p - q)) up or w c q / sum(w
 * c (p - q)) down, whatever seed its sender chose: of n votes of one age and level, from one end to
 * the other by 1 / (n (p - q)).
 *
 * <p>Sums of doubles, added up in the order of the votes: the same order leads to the same bits.
 * O(k) a vote. Not thread-safe.
 */
public final class VoteTally implements ReplyTally {
  /** A smaller sum of w c (p - q) contains no information, and its quotients may overflow. */
  private static final double LEAST_INFORMATION = 1e-100;

  private static final double HEAVIEST = 4;

  /** r of a {@link ConfidenceSequence} is at least so many squares of the largest weight. */
  private static final int HEAVIEST_VOTES = 10;

  private static final int INFORMATION = 0;
  private static final int CHANCES = 1;
  private static final int CONSTANT = 2;
  private static final int LINEAR = 3;
  private static final int SQUARE = 4;
  private static final int WEIGHTS = 5;
  private static final int SQUARED_WEIGHTS = 6;
  private static final int HITS = 7;

  /**
   * The sums over votes of w c (p - q), w c q, the three parts of w^2 c^2 times the variance, w and
   * w^2; and of w c x for each category. Shape [7 + k].
   */
  private final double[] sums;

  /** The fraction at which c is the weight of least variance. */
  private final double expected;

  /** Bound on c. */
  private final double most;

  private final Forgetting forgetting;

  private VoteTally(int categories, double expected, double most, Forgetting forgetting) {
    sums = new double[length(categories)];
    this.expected = expected;
    this.most = most;
    this.forgetting = forgetting;
  }

  /** Creates an empty tally with half of the weight on the last 44 publications. */
  public static VoteTally lasting(int categories) {
    return lasting(categories, 1.0 / categories, Double.POSITIVE_INFINITY);
  }

  /**
   * Creates an empty tally of some of the categories of a choice, with half of the weight on the
   * last 44 publications.
   *
   * @param expected 1 / k, k the number of all categories of the choice
   * @param most bound on c
   */
  static VoteTally lasting(int categories, double expected, double most) {
    return new VoteTally(categories, expected, most, Forgetting.LASTING);
  }

  /** Returns a tally of one category with its votes so far. */
  VoteTally alone(int category) {
    VoteTally alone = new VoteTally(1, expected, most, forgetting);
    System.arraycopy(sums, 0, alone.sums, 0, HITS);
    alone.sums[HITS] = sums[HITS + category];
    return alone;
  }

  /** Gives a category the estimate of a tally of one category. */
  void replace(int category, VoteTally alone) {
    sums[HITS + category] = sums[CHANCES] + alone.fraction(0) * sums[INFORMATION];
  }

  /** Creates an empty tally with half of the weight on the last 10 publications. */
  public static VoteTally recent(int categories) {
    return new VoteTally(categories, 1.0 / categories, Double.POSITIVE_INFINITY, Forgetting.RECENT);
  }

  /**
   * Creates an empty tally that forgets nothing, and whose intervals hold at every publication
   * together: {@link ConfidenceSequence}. A vote at an epsilon above {@value #HEAVIEST} weighs as
   * one at {@value #HEAVIEST}, so that no few votes matter.
   */
  public static VoteTally all(int categories) {
    CategoryLaw heaviest =
        CategoryLaw.of(
            HEAVIEST,
            HashedResponseMechanism.of(HEAVIEST, categories).groups(),
            HashedResponseMechanism.isHashed(HEAVIEST, categories));
    double expected = 1.0 / categories;
    return new VoteTally(categories, expected, scale(heaviest, expected), Forgetting.NEVER);
  }

  /**
   * Adds one vote.
   *
   * @param law of the vote
   * @param contains whether the released group contains a category, from 0
   * @param age how many publications are newer than the one that the vote is about
   */
  public void add(CategoryLaw law, IntPredicate contains, int age) {
    double strength = law.strength();
    double weight = forgetting.weight(age);
    double scaled = weight * Math.min(most, scale(law, expected));
    double chance = law.chance();
    sums[INFORMATION] += scaled * strength;
    sums[CHANCES] += scaled * chance;
    sums[CONSTANT] += scaled * scaled * chance * (1 - chance);
    sums[LINEAR] += scaled * scaled * strength * (1 - 2 * chance);
    sums[SQUARE] += scaled * scaled * strength * strength;
    sums[WEIGHTS] += weight;
    sums[SQUARED_WEIGHTS] += weight * weight;
    for (int i = HITS; i < sums.length; i++) {
      if (contains.test(i - HITS)) {
        sums[i] += scaled;
      }
    }
  }

  /** Returns c without a bound. */
  static double scale(CategoryLaw law, double expected) {
    return law.strength() / law.variance(expected);
  }

  @Override
  public boolean add(Reply reply, int age) {
    if (reply instanceof Reply.Vote vote) {
      add(vote.law(), vote.contains(), age);
      return true;
    }
    return false;
  }

  @Override
  public void age() {
    if (forgetting.isForgotten(sums[WEIGHTS])) {
      Arrays.fill(sums, 0);
      return;
    }
    double retained = forgetting.retained();
    for (int i = 0; i < sums.length; i++) {
      boolean isSquared = (i >= CONSTANT && i <= SQUARE) || i == SQUARED_WEIGHTS;
      sums[i] *= isSquared ? retained * retained : retained;
    }
  }

  /** Returns one estimate for each category; empty without votes that contain information. */
  public List<FractionEstimate> estimates() {
    if (!hasInformation()) {
      return List.of();
    }
    double information = sums[INFORMATION];
    double constant = sums[CONSTANT] / information / information;
    double linear = sums[LINEAR] / information / information;
    double square = sums[SQUARE] / information / information;
    Variance variance = new Variance(constant, linear, square);
    long votes = size();
    List<FractionEstimate> estimates = new ArrayList<>();
    for (int i = HITS; i < sums.length; i++) {
      double fraction = (sums[i] - sums[CHANCES]) / information;
      double possible = clamp(fraction);
      // At the estimate itself: at the nearest possible fraction, the variance of a fraction near 0
      // would be too large in the mean. No fraction has less than half of that at 0.
      double error = Math.sqrt(Math.max(constant / 2, variance.at(Math.min(1, fraction))));
      double[] interval =
          forgetting == Forgetting.NEVER
              ? new ConfidenceSequence(Math.max(1000, HEAVIEST_VOTES * most * most))
                  .interval(fraction, information, f -> variance.at(f) * information * information)
              : variance.interval(fraction);
      if (!(interval[0] <= interval[1]) || interval[0] > 1 || interval[1] < 0) {
        // No fraction makes the estimate likely, since it is too far beyond that of all or of none.
        interval = variance.interval(possible);
      }
      estimates.add(
          new FractionEstimate(
              fraction,
              error,
              // Rounding must not exclude the estimate.
              Math.min(clamp(interval[0]), possible),
              Math.max(clamp(interval[1]), possible),
              votes));
    }
    return estimates;
  }

  /** Returns the estimate of one category; 0 without votes that contain information. */
  double fraction(int category) {
    return hasInformation() ? (sums[HITS + category] - sums[CHANCES]) / sums[INFORMATION] : 0;
  }

  /** Returns the standard error of the estimate of a category that no person has. */
  double noise() {
    return hasInformation()
        ? Math.sqrt(sums[CONSTANT]) / sums[INFORMATION]
        : Double.POSITIVE_INFINITY;
  }

  /**
   * Returns what the estimate of a category that no person has exceeds with a probability of at
   * most exp(-nats), by Bernstein's inequality [Ber24].
   *
   * @param heaviest at least w c of every vote
   */
  double luck(double heaviest, double nats) {
    double bounded = heaviest * nats / 3;
    return hasInformation()
        ? (bounded + Math.sqrt(bounded * bounded + 2 * nats * sums[CONSTANT])) / sums[INFORMATION]
        : Double.POSITIVE_INFINITY;
  }

  private boolean hasInformation() {
    return sums[INFORMATION] >= LEAST_INFORMATION;
  }

  /** The variance of an estimate if the fraction is f: a + b f - c f^2. */
  private record Variance(double a, double b, double c) {

    double at(double fraction) {
      return a + b * fraction - c * fraction * fraction;
    }

    /** The ends of the f with (estimate - f)^2 &lt;= Z^2 times the variance; NaN without any. */
    double[] interval(double estimate) {
      double z2 = AnswerTally.Z * AnswerTally.Z;
      double divisor = 1 + z2 * c;
      double middle = estimate + z2 * b / 2;
      double radius = Math.sqrt(middle * middle - divisor * (estimate * estimate - z2 * a));
      return new double[] {(middle - radius) / divisor, (middle + radius) / divisor};
    }
  }

  /** Returns the effective size of the sample by the weights of age alone [Kis65]; 0 if empty. */
  long size() {
    return sums[WEIGHTS] == 0
        ? 0
        : Math.round(sums[WEIGHTS] / sums[SQUARED_WEIGHTS] * sums[WEIGHTS]);
  }

  private static double clamp(double fraction) {
    return Math.min(1, Math.max(0, fraction));
  }

  /** Returns the number of sums. */
  static int length(int categories) {
    return HITS + categories;
  }

  /** Returns the sums themselves, which may be restored. */
  double[] sums() {
    return sums;
  }

  @Override
  public void visit(String name, LearnerState.Visitor visitor) {
    visitor.vector(name, sums);
  }
}
