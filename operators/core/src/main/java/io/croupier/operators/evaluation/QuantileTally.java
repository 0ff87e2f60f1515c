package io.croupier.operators.evaluation;

import io.croupier.operators.learner.LearnerState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Quantiles of a number that each person has, from randomised answers to "is your value above c?",
 * with a threshold c that moves. Values are shares of their range: 0 is its lower end, 1 its upper
 * end.
 *
 * <p>Each publication asks one threshold. The levels take turns, two publications each: with the
 * {@linkplain MonotoneCurve curve} F of all answers so far, those of a level p ask F^-1(p - d) and
 * F^-1(p + d), rounded outwards to multiples of 2^-16. d is {@value #SPREAD} standard errors of a
 * fraction near p, and at most 0.35 times the smaller one of p and 1 - p: near enough for F to be
 * nearly linear, and far enough to know its slope. Both numbers are our own, chosen by simulation.
 *
 * <p>The estimate of a level is that of the line through the answers between F^-1(p - 2d) and
 * F^-1(p + 2d), by least squares with the weights w h^2. The interval contains every x at which the
 * line may have the height p: those with (line(x) - p)^2 &lt;= Z^2 Var(line(x)) [Fie54]. While the
 * slope is not yet known, the estimate is F^-1(p), and the interval has as its ends the nearest
 * thresholds between which and F^-1(p) all answers together show that the quantile lies beyond;
 * that needs only that a distribution function doesn't decrease.
 *
 * <p>The weight w of an answer depends on age alone ({@link Forgetting}); answers about a
 * publication than which {@value #KEPT} are newer are forgotten. Sums of doubles, added up in the
 * order of the answers: the same order leads to the same bits. An answer is O(1), a publication O(n
 * log n) in the {@value #KEPT} that are kept. Not thread-safe.
 */
public final class QuantileTally implements Tally {
  /** How many publications are kept. */
  static final int KEPT = 256;

  /** Half of the distance between the thresholds of a level, in standard errors. */
  static final double SPREAD = 4;

  private static final double LARGEST_SPREAD = 0.35;

  private static final double STEP = 1.0 / (1 << 16);

  /** The 99 % quantile of the standard normal distribution, for the nearest of many thresholds. */
  private static final double CAREFUL_Z = 2.3263478740408408;

  private static final int THRESHOLD = 0;
  private static final int RESPONSE = 1;
  private static final int INFORMATION = 2;
  private static final int FOURTH = 3;
  private static final int ANSWERS = 4;
  private static final int FIELDS = 5;

  private final double[] levels;

  /**
   * Of each publication, the newest first: the threshold (0: none), the sums of h b, h^2 and h^4,
   * and the number of answers. At the end the number of all publications. Shape [5 KEPT + 1].
   */
  private final double[] asked = new double[FIELDS * KEPT + 1];

  /** Creates a tally that asks its first threshold, and has no answers. */
  public QuantileTally(double[] levels) {
    this.levels = levels.clone();
    asked[THRESHOLD] = next();
  }

  /** Returns the threshold of the newest publication; above 0 and below 1. */
  public double threshold() {
    return asked[THRESHOLD];
  }

  /**
   * Adds one answer.
   *
   * @param response h if the randomised answer is "above", -h if it is not; h from 0 to 1
   * @param age how many publications are newer than the one that the answer is about
   * @return false if that publication asked for nothing, or is forgotten
   */
  public boolean add(double response, int age) {
    if (age >= KEPT || asked[FIELDS * age + THRESHOLD] == 0) {
      return false;
    }
    int at = FIELDS * age;
    double square = response * response;
    asked[at + RESPONSE] += response;
    asked[at + INFORMATION] += square;
    asked[at + FOURTH] += square * square;
    asked[at + ANSWERS]++;
    return true;
  }

  @Override
  public boolean add(Reply reply, int age) {
    return reply instanceof Reply.Answer answer && add(answer.response(), age);
  }

  /** Records another publication, with a threshold of its own. */
  @Override
  public void age() {
    double threshold = next();
    System.arraycopy(asked, 0, asked, FIELDS, FIELDS * (KEPT - 1));
    asked[THRESHOLD] = threshold;
    for (int field = RESPONSE; field < FIELDS; field++) {
      asked[field] = 0;
    }
  }

  /** Chooses the next threshold, and counts its publication. */
  private double next() {
    long turn = (long) asked[FIELDS * KEPT]++;
    boolean isUpper = turn % 2 == 1;
    double level = levels[(int) (turn / 2 % levels.length)];
    List<AskedThreshold> sorted = sorted();
    double spread = spread(sorted, level);
    MonotoneCurve curve = new MonotoneCurve(sorted);
    double threshold =
        isUpper ? up(curve.inverse(level + spread)) : down(curve.inverse(level - spread));
    return Math.max(STEP, Math.min(threshold, 1 - STEP));
  }

  private static double up(double x) {
    return Math.ceil(x / STEP) * STEP;
  }

  private static double down(double x) {
    return Math.floor(x / STEP) * STEP;
  }

  private List<AskedThreshold> sorted() {
    List<AskedThreshold> all = new ArrayList<>();
    double weight = 1;
    for (int i = 0; i < FIELDS * KEPT; i += FIELDS) {
      if (asked[i + INFORMATION] >= AnswerTally.LEAST_INFORMATION) {
        all.add(
            new AskedThreshold(
                asked[i + THRESHOLD],
                weight,
                asked[i + RESPONSE],
                asked[i + INFORMATION],
                asked[i + FOURTH]));
      }
      weight *= Forgetting.LASTING.retained();
    }
    all.sort(Comparator.comparingDouble(AskedThreshold::threshold));
    return all;
  }

  /** Returns d, from the answers that a level has had if all had equally many. */
  private double spread(List<AskedThreshold> all, double level) {
    double mass = 0;
    double variance = 0;
    for (AskedThreshold each : all) {
      mass += each.mass();
      variance += each.variance(level);
    }
    double most = LARGEST_SPREAD * Math.min(level, 1 - level);
    return mass == 0 ? most : Math.min(most, SPREAD * Math.sqrt(variance * levels.length) / mass);
  }

  /** Returns how many answers of equal weight the weights by age correspond to [Kis65]. */
  public long answers() {
    double weights = 0;
    double squares = 0;
    double weight = 1;
    for (int i = ANSWERS; i < FIELDS * KEPT; i += FIELDS) {
      weights += weight * asked[i];
      squares += weight * weight * asked[i];
      weight *= Forgetting.LASTING.retained();
    }
    return squares == 0 ? 0 : Math.round(weights / squares * weights);
  }

  /** Returns one estimate for each level, in their order; empty without answers. */
  public List<QuantileEstimate> estimates() {
    List<AskedThreshold> sorted = sorted();
    if (sorted.isEmpty()) {
      return List.of();
    }
    MonotoneCurve curve = new MonotoneCurve(sorted);
    List<QuantileEstimate> estimates = new ArrayList<>();
    for (double level : levels) {
      double spread = 2 * spread(sorted, level);
      double least = down(curve.inverse(Math.max(0, level - spread)));
      double largest = up(curve.inverse(Math.min(1, level + spread)));
      QuantileEstimate estimate =
          LocalLine.through(sorted, least, largest, level)
              .crossing(level)
              .orElseGet(() -> bracket(sorted, curve.inverse(level), level));
      estimates.add(estimate);
    }
    return estimates;
  }

  /** The nearest thresholds beyond which the quantile is not, by all answers up to the estimate. */
  private static QuantileEstimate bracket(List<AskedThreshold> sorted, double value, double level) {
    double low = 0;
    double excess = 0;
    double variance = 0;
    for (int i = sorted.size() - 1; i >= 0 && low == 0; i--) {
      AskedThreshold each = sorted.get(i);
      if (each.threshold() <= value) {
        excess += each.below() - level * each.mass();
        variance += each.variance(level);
        low = excess < -CAREFUL_Z * Math.sqrt(variance) ? each.threshold() : 0;
      }
    }
    double high = 1;
    excess = 0;
    variance = 0;
    for (int i = 0; i < sorted.size() && high == 1; i++) {
      AskedThreshold each = sorted.get(i);
      if (each.threshold() > value) {
        excess += each.below() - level * each.mass();
        variance += each.variance(level);
        high = excess > CAREFUL_Z * Math.sqrt(variance) ? each.threshold() : 1;
      }
    }
    return new QuantileEstimate(value, low, high);
  }

  @Override
  public void visit(String name, LearnerState.Visitor visitor) {
    visitor.vector(name, asked);
  }
}
