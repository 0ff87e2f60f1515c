package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import io.croupier.noise.SecureBits;
import io.croupier.noise.UniformIntegers;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.SubExponential;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * PrivUnit on the lifted sphere, chosen by rank: close to the least noise that pure local privacy
 * allows, in a seed and an index.
 *
 * <p>A release is made in three steps. (1) Draw a seed of 64 fair bits, from a generator of its
 * own; it expands to N / 2 unit vectors of D = d + 1 coordinates and their opposites ({@link
 * CandidateVectors}). (2) Clip the gradient to L2 norm G, lift it to u = (g / G, sqrt(1 - ||g /
 * G||^2)), and find the K candidates that are closest to it: the top. (3) Draw an index,
 * exp(epsilon) times as likely for each of the top as for each of the others. The release stands
 * for M G times the first d coordinates of that candidate, whose mean is g.
 *
 * <p>Guarantee: epsilon-LDP under replace-one. Given the seed, which is drawn independently of the
 * gradient, K of N indices have probability exp(epsilon) / (K exp(epsilon) + N - K) and the others
 * 1 / (K exp(epsilon) + N - K), whatever the gradient is. Between any two gradients the ratio is
 * one of exp(-epsilon), 1 and exp(epsilon). That holds for any map from seed and gradient to K
 * indices, so no rounding, no overflow and no weakness of the candidates can spend more. The index
 * is drawn in integers. The probability of its coin, exp(-epsilon), is rounded up by at most 1e-12
 * of itself, so the ratio is never more than exp(epsilon).
 *
 * <p>Between two gradients that rank a candidate differently, however close they are, the loss is
 * epsilon. Under L2-Laplace noise, the loss between close gradients is less.
 *
 * <p>The noise is not symmetric: along u its third moment is negative. M is at most 1.3 times the
 * least M of any epsilon-LDP choice of a point of the lifted sphere, and with the default number of
 * candidates at most 1.02 times up to epsilon 10; {@link PrivUnitLaw} has the numbers. A release is
 * M G long at most: nothing saturates.
 *
 * <p>Remaining weakness: as of every randomiser, the time that a release takes is not constant. It
 * depends on the seed, which is public, on the comparisons of the ranking, and on the number of
 * indices that were rejected, which is independent of the one that was accepted.
 *
 * <p>O(N d) a release. Safe for use by several threads.
 */
public final class PrivUnitRandomiser implements Randomiser {
  private static final int DECIMALS = 9;

  private final double gradientBound;
  private final PrivUnitLaw law;

  /** The probability exp(-epsilon) of accepting an index outside the top, in units of 2^-63. */
  private final long acceptance;

  /**
   * Under a key of its own, so that the seed, which is public, is no part of the index's stream.
   */
  private final SecureBits seeds;

  private final SecureBits bits;
  private final UniformIntegers integers;
  private final PrivUnitMechanism mechanism;
  private final ReleaseCost cost;

  /**
   * With the default number of candidates: 256 up to epsilon 4, 1024 up to 8, else 4096.
   *
   * @param gradientBound G, L2; positive and finite
   * @param dimension d, at least 1
   * @param epsilon in nats, from 1e-9 to 16; rounded down to a multiple of 1e-9
   * @throws IllegalArgumentException if an argument is out of range
   */
  public PrivUnitRandomiser(double gradientBound, int dimension, double epsilon) {
    this(gradientBound, dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
  }

  /**
   * With the best top for a number of candidates.
   *
   * @param candidates N: 64, 256, 1024 or 4096
   * @throws IllegalArgumentException if an argument is out of range, or so few candidates would
   *     make releases longer than 1.3 times the least length
   */
  public PrivUnitRandomiser(double gradientBound, int dimension, double epsilon, int candidates) {
    this(gradientBound, dimension, epsilon, candidates, new SecureBits(), new SecureBits());
  }

  PrivUnitRandomiser(
      double gradientBound,
      int dimension,
      double epsilon,
      int candidates,
      SecureBits seeds,
      SecureBits bits) {
    requireBound(gradientBound);
    if (!(epsilon >= 1e-9 && epsilon <= PrivUnitLaw.MOST_EPSILON)) {
      throw new IllegalArgumentException(
          "epsilon is " + epsilon + "; it must be from 1e-9 to " + PrivUnitLaw.MOST_EPSILON);
    }
    // Less than asked for, and what the index is drawn with is what is declared, to the last digit.
    BigDecimal units = ReleaseCost.decimal(epsilon).setScale(DECIMALS, RoundingMode.DOWN);
    this.gradientBound = gradientBound;
    law = new PrivUnitLaws().best(dimension, units.doubleValue(), candidates);
    acceptance = acceptance(law.epsilon());
    this.seeds = seeds;
    this.bits = bits;
    integers = UniformIntegers.of(bits);
    mechanism = PrivUnitMechanism.of(law);
    cost = ReleaseCost.of(mechanism);
  }

  private PrivUnitRandomiser(PrivUnitRandomiser same, double gradientBound) {
    requireBound(gradientBound);
    this.gradientBound = gradientBound;
    law = same.law;
    acceptance = same.acceptance;
    seeds = same.seeds;
    bits = same.bits;
    integers = same.integers;
    mechanism = same.mechanism;
    cost = same.cost;
  }

  private static void requireBound(double gradientBound) {
    if (!(gradientBound > 0 && gradientBound <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "gradientBound is " + gradientBound + "; it must be positive and finite");
    }
  }

  /** A release is on no grid: its form is a candidate. */
  @Override
  public PrivUnitRandomiser fitted(double otherBound, int gridExponent) {
    return otherBound == gradientBound ? this : new PrivUnitRandomiser(this, otherBound);
  }

  @Override
  public int dimension() {
    return law.dimension();
  }

  @Override
  public double gradientBound() {
    return gradientBound;
  }

  @Override
  public double directionalVariance() {
    return law.directionalVariance() * gradientBound * gradientBound;
  }

  /** Of bets of any size. */
  @Override
  public SubExponential subExponential() {
    return SubExponential.newBuilder()
        .setVariance(law.leastBettingVariance() * gradientBound * gradientBound)
        .setBetaMax(Double.POSITIVE_INFINITY)
        .build();
  }

  @Override
  public PrivUnitMechanism mechanism() {
    return mechanism;
  }

  @Override
  public ReleaseCost cost() {
    return cost;
  }

  @Override
  public void release(double[] gradient, GradientReportView.Builder report) {
    Choice choice = choose(gradient);
    report.setCandidate(
        Candidate.newBuilder()
            .setDimension(law.dimension())
            .setSeed(choice.seed())
            .setIndex(choice.index()));
    Declarations.declare(mechanism, report);
  }

  /** The law of what a release is worth, in units of G. */
  public PrivUnitLaw law() {
    return law;
  }

  /** A release: all that the report contains beside its declaration. */
  public record Choice(long seed, int index) {}

  /**
   * The same as a seed and an index, to be {@linkplain CandidateVectors#expand expanded} with a
   * length of {@code law().scale()} times G.
   *
   * @param gradient shape [d], left as it is
   * @throws IllegalArgumentException if {@code gradient} has another shape; nothing is spent then
   */
  public Choice choose(double[] gradient) {
    if (gradient.length != law.dimension()) {
      throw new IllegalArgumentException(
          "gradient has " + gradient.length + " coordinates; the model has " + law.dimension());
    }
    synchronized (bits) {
      // A copy of this process draws another seed, and another index.
      seeds.renew();
      bits.renew();
      long seed = seeds.getAsLong();
      boolean[] top = top(seed, lift(gradient, gradientBound), law);
      return new Choice(seed, draw(top, integers, acceptance));
    }
  }

  /**
   * Returns exp(-epsilon) in units of 2^-63, rounded up. {@link StrictMath#exp} errs by less than
   * one unit in the last place, and epsilon by half of one.
   */
  static long acceptance(double epsilon) {
    return (long) Math.ceil(0x1p63 * Math.nextUp(StrictMath.exp(-Math.nextDown(epsilon))));
  }

  /**
   * Draws an index, 2^63 / {@code acceptance} times as likely for each of the top as for each other
   * one. The coin is tossed for all indices, so that its time reveals nothing.
   */
  static int draw(boolean[] top, UniformIntegers integers, long acceptance) {
    while (true) {
      int index = (int) integers.below(top.length);
      long last = top[index] ? Long.MAX_VALUE : acceptance - 1;
      if (integers.isUpTo(last)) {
        return index;
      }
    }
  }

  /**
   * (g / G, sqrt(1 - ||g / G||^2)), g clipped to L2 norm G.
   *
   * @param gradient shape [d]
   * @return shape [d + 1], of length 1 up to rounding
   */
  static double[] lift(double[] gradient, double gradientBound) {
    double[] lifted = new double[gradient.length + 1];
    double largest = 0;
    for (double g : gradient) {
      // NaN stays: Math.max keeps it.
      largest = Math.max(largest, Math.abs(g));
    }
    if (!(largest <= Double.MAX_VALUE)) {
      largest = 0;
    }
    double squares = 0;
    if (largest > 0) {
      // In units of the largest coordinate, so that no square overflows or vanishes.
      double norm = 0;
      for (double g : gradient) {
        double ratio = g / largest;
        norm += ratio * ratio;
      }
      norm = Math.sqrt(norm);
      double length = Math.min(1, largest / gradientBound * norm);
      for (int j = 0; j < gradient.length; j++) {
        lifted[j] = gradient[j] / largest / norm * length;
      }
      squares = length * length;
    }
    lifted[gradient.length] = Math.sqrt(Math.max(0, 1 - squares));
    return lifted;
  }

  /** Which of the N candidates are the K closest to a direction: exactly K, whatever it is. */
  private static boolean[] top(long seed, double[] direction, PrivUnitLaw law) {
    double[] heights = new double[law.candidates() / 2];
    for (int i = 0; i < heights.length; i++) {
      heights[i] = CandidateVectors.height(seed, i, direction);
    }
    Arrays.fill(direction, 0);
    return top(heights, law.top());
  }

  /**
   * Of pairs of opposite candidates, those of the K largest heights, each on the side of its sign.
   * Ties go to the lower index; NaN counts as larger than all numbers.
   */
  static boolean[] top(double[] heights, int top) {
    int n = heights.length;
    long[] sizes = new long[n];
    for (int i = 0; i < n; i++) {
      // Doubles that are not negative have the order of their bits.
      sizes[i] = Double.doubleToLongBits(Math.abs(heights[i]));
    }
    long[] sorted = sizes.clone();
    Arrays.sort(sorted);
    long threshold = sorted[n - top];
    int ties = top;
    for (long size : sizes) {
      if (size > threshold) {
        ties--;
      }
    }
    boolean[] chosen = new boolean[2 * n];
    for (int i = 0; i < n; i++) {
      boolean tie = sizes[i] == threshold && ties > 0;
      if (tie) {
        ties--;
      }
      if (tie || sizes[i] > threshold) {
        chosen[heights[i] < 0 ? 2 * i + 1 : 2 * i] = true;
      }
    }
    return chosen;
  }
}
