package io.croupier.operators.evaluation;

import io.croupier.operators.learner.LearnerState;
import java.util.Arrays;
import java.util.Optional;

/**
 * The randomised answers to one yes-or-no question, and the estimate of the fraction whose true
 * answer is yes.
 *
 * <p>With s = +1 for yes and -1 for no, the answer b = +1 or -1 has E b = h E s, h its {@linkplain
 * io.croupier.accounting.ResponseLaw#strength strength}. So m = sum(w h b) / sum(w h^2) estimates E
 * s without bias, whatever the weights w, if they depend on no answer; a variance of 1 / h^2 for
 * each b / h makes h^2 the weight of least variance. The weight w depends on age alone: each new
 * publication multiplies those of all earlier answers by a factor, see {@link Forgetting}.
 *
 * <p>The variance of m is sum(w^2 h^2 (1 - h^2 (E s)^2)) / sum(w h^2)^2, which includes sampling.
 * The interval contains every E s from -1 to 1 whose variance makes m likely: the score interval
 * [Wil27], generalised to weights and randomisation. Its coverage is 95 % up to the discreteness of
 * few answers: with answers of one age and level, epsilon 0.5 to 2, it is 92.7 to 98.4 % for 20 of
 * them, 93.3 to 97.8 % for 50 and 94.3 to 95.8 % for 300. For a fraction of exactly 0 or 1 it is up
 * to 97.5 % with randomisation, and up to 100 % without.
 *
 * <p>Sums of doubles, added up in the order of the answers: the same order leads to the same bits.
 * Not thread-safe.
 */
public final class AnswerTally implements ReplyTally {
  /** The 97.5 % quantile of the standard normal distribution. */
  static final double Z = 1.959963984540054;

  /** A smaller sum of w h^2 contains no information, and its quotients may overflow. */
  static final double LEAST_INFORMATION = 1e-100;

  /** V is the inverse of the squared standard error, so it is 10 r at an error of 0.01. */
  private static final ConfidenceSequence ALWAYS = new ConfidenceSequence(1000);

  private static final int SIGNED = 0;
  private static final int INFORMATION = 1;
  private static final int SQUARED_WEIGHTS_H2 = 2;
  private static final int SQUARED_WEIGHTS_H4 = 3;
  private static final int WEIGHTS = 4;
  private static final int SQUARED_WEIGHTS = 5;

  /** The sums over answers of w h b, w h^2, w^2 h^2, w^2 h^4, w and w^2. */
  private final double[] sums = new double[6];

  private final Forgetting forgetting;

  private AnswerTally(Forgetting forgetting) {
    this.forgetting = forgetting;
  }

  /** Creates an empty tally with half of the weight on the last 44 publications. */
  public static AnswerTally lasting() {
    return new AnswerTally(Forgetting.LASTING);
  }

  /** Creates an empty tally with half of the weight on the last 10 publications. */
  public static AnswerTally recent() {
    return new AnswerTally(Forgetting.RECENT);
  }

  /**
   * Creates an empty tally that forgets nothing, and whose intervals hold at every publication
   * together: {@link ConfidenceSequence}.
   */
  public static AnswerTally all() {
    return new AnswerTally(Forgetting.NEVER);
  }

  /**
   * Adds one answer.
   *
   * @param response h if the randomised answer is yes, -h if it is no; h from 0 to 1
   * @param age how many publications are newer than the one that the answer is about
   */
  public void add(double response, int age) {
    double weight = forgetting.weight(age);
    double square = response * response;
    sums[SIGNED] += weight * response;
    sums[INFORMATION] += weight * square;
    sums[SQUARED_WEIGHTS_H2] += weight * weight * square;
    sums[SQUARED_WEIGHTS_H4] += weight * weight * square * square;
    sums[WEIGHTS] += weight;
    sums[SQUARED_WEIGHTS] += weight * weight;
  }

  @Override
  public boolean add(Reply reply, int age) {
    if (reply instanceof Reply.Answer answer) {
      add(answer.response(), age);
      return true;
    }
    return false;
  }

  @Override
  public void age() {
    double retained = forgetting.retained();
    if (forgetting.isForgotten(sums[WEIGHTS])) {
      Arrays.fill(sums, 0);
      return;
    }
    sums[SIGNED] *= retained;
    sums[INFORMATION] *= retained;
    sums[WEIGHTS] *= retained;
    sums[SQUARED_WEIGHTS_H2] *= retained * retained;
    sums[SQUARED_WEIGHTS_H4] *= retained * retained;
    sums[SQUARED_WEIGHTS] *= retained * retained;
  }

  /** Returns the estimate; empty without answers that contain information. */
  public Optional<FractionEstimate> estimate() {
    double information = sums[INFORMATION];
    if (!(information >= LEAST_INFORMATION)) {
      return Optional.empty();
    }
    double mean = sums[SIGNED] / information;
    if (forgetting == Forgetting.NEVER) {
      return Optional.of(atEveryLook(mean));
    }
    // The variance of the mean is variance - reduction (E s)^2.
    double variance = sums[SQUARED_WEIGHTS_H2] / information / information;
    double reduction = sums[SQUARED_WEIGHTS_H4] / information / information;
    double possible = clamp(mean);
    double error = Math.sqrt(Math.max(0, variance - reduction * possible * possible));
    Interval interval = interval(mean, variance, reduction);
    if (interval.isEmpty()) {
      // No fraction makes the mean likely, since it is too far beyond that of all or of none.
      interval = interval(possible, variance, reduction);
    }
    return Optional.of(
        new FractionEstimate(
            (1 + mean) / 2,
            error / 2,
            // Rounding must not exclude the estimate.
            (1 + Math.min(clamp(interval.low), possible)) / 2,
            (1 + Math.max(clamp(interval.high), possible)) / 2,
            size()));
  }

  /**
   * The estimate by answers that all have the same weight. Of the fraction, x = (1 + b / h) / 2 is
   * an estimate of the variance (1 - h^2 (E s)^2) / (2h)^2, and 4 h^2 its weight.
   */
  private FractionEstimate atEveryLook(double mean) {
    double fraction = (1 + mean) / 2;
    double information = 4 * sums[INFORMATION];
    double[] ends = ALWAYS.interval(fraction, information, this::variance);
    double error = Math.sqrt(variance((1 + clamp(mean)) / 2)) / information;
    return new FractionEstimate(fraction, error, ends[0], ends[1], size());
  }

  /** The sum of the variances of the answers, with their weights, if a fraction is yes. */
  private double variance(double fraction) {
    double mean = 2 * fraction - 1;
    return 4 * Math.max(0, sums[SQUARED_WEIGHTS_H2] - sums[SQUARED_WEIGHTS_H4] * mean * mean);
  }

  /** Returns the effective size of the sample by the weights of age alone [Kis65]; 0 if empty. */
  public long size() {
    return sums[WEIGHTS] == 0
        ? 0
        : Math.round(sums[WEIGHTS] / sums[SQUARED_WEIGHTS] * sums[WEIGHTS]);
  }

  private static double clamp(double mean) {
    return Math.min(1, Math.max(-1, mean));
  }

  private record Interval(double low, double high) {

    boolean isEmpty() {
      return !(low <= high) || low > 1 || high < -1;
    }
  }

  /**
   * The solutions x of (mean - x)^2 &lt;= Z^2 (variance - reduction x^2); without any, NaN or an
   * interval beyond 1.
   */
  private static Interval interval(double mean, double variance, double reduction) {
    double divisor = 1 + Z * Z * reduction;
    double centre = mean / divisor;
    double radius =
        Math.sqrt(Z * Z * variance * divisor - Z * Z * reduction * mean * mean) / divisor;
    return new Interval(centre - radius, centre + radius);
  }

  @Override
  public void visit(String name, LearnerState.Visitor visitor) {
    visitor.vector(name, sums);
  }
}
