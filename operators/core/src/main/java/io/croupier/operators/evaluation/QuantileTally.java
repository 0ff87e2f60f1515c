package io.croupier.operators.evaluation;

import io.croupier.operators.learner.LearnerState;
import java.util.ArrayList;
import java.util.List;

/**
 * Quantiles of a number that each person has, from randomised answers to "is your value above c?",
 * with a threshold c that moves. Values are shares of their range: 0 is its lower end, 1 its upper
 * end.
 *
 * <p>Each publication asks one threshold. The levels take turns, two publications each: with the
 * {@linkplain MonotoneCurve curve} F of the answers so far, those of a level p ask F^-1(p - d) and
 * F^-1(p + d), rounded outwards to multiples of 2^-16. d is in turn {@value #NEAR} and {@value
 * #FAR} standard errors of a fraction near p, and at most 0.35 or 0.7 times the smaller one of p
 * and 1 - p: near enough for a short interval, and far enough for one to exist. All four numbers
 * are our own, chosen by simulation.
 *
 * <p>The estimate of a level is that of the line through the answers between F^-1(p - 2d) and
 * F^-1(p + 2d), by least squares with the weights w h^2, but within the interval, which needs no
 * line: see {@link QuantileAnswers}.
 *
 * <p>The weight w of an answer depends on age, see {@link Forgetting#LASTING}. Where answers of the
 * newer half differ from all by more than two standard errors, the weights are squared, so that the
 * newer half remains, and so on, until they don't differ. Answers about a publication than which
 * {@value #KEPT} are newer are forgotten. Sums of doubles, added up in the order of the answers:
 * the same order leads to the same bits. An answer is O(1), a publication O(n log n) in the {@value
 * #KEPT} that are kept. Not thread-safe.
 */
public final class QuantileTally implements ReplyTally {
  /** How many publications are kept. */
  static final int KEPT = 256;

  /** Half of the distance between a level's thresholds, in standard errors, every other time. */
  static final double NEAR = 3;

  /** The same, the other times. */
  static final double FAR = 8;

  private static final double LARGEST_NEAR = 0.35;
  private static final double LARGEST_FAR = 0.7;

  /** How often weights may be squared; half of them are then on the newest publication alone. */
  private static final int MEMORIES = 7;

  /** Answers of less weight are left out. */
  private static final double LEAST_WEIGHT = 1e-9;

  private static final double STEP = 1.0 / (1 << 16);

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
    double level = level(turn);
    boolean isFar = turn / 2 / levels.length % 2 == 1;
    QuantileAnswers answers = answersOfPresent();
    double spread =
        isFar
            ? spread(answers, level, FAR, LARGEST_FAR)
            : spread(answers, level, NEAR, LARGEST_NEAR);
    double threshold =
        isLower(turn) ? down(answers.inverse(level - spread)) : up(answers.inverse(level + spread));
    return Math.max(STEP, Math.min(threshold, 1 - STEP));
  }

  private double level(long turn) {
    return levels[(int) (turn / 2 % levels.length)];
  }

  private static boolean isLower(long turn) {
    return turn % 2 == 0;
  }

  private static double up(double x) {
    return Math.ceil(x / STEP) * STEP;
  }

  private static double down(double x) {
    return Math.floor(x / STEP) * STEP;
  }

  /** Returns the answers with the weights that the newer half of them allows. */
  private QuantileAnswers answersOfPresent() {
    double retained = Forgetting.LASTING.retained();
    QuantileAnswers answers = answers(retained);
    for (int memory = 1; memory < MEMORIES && answers.drift(); memory++) {
      retained *= retained;
      answers = answers(retained);
    }
    return answers;
  }

  private QuantileAnswers answers(double retained) {
    List<AskedThreshold> all = new ArrayList<>();
    long turn = (long) asked[FIELDS * KEPT];
    double weight = 1;
    for (int i = 0; i < FIELDS * KEPT && weight > LEAST_WEIGHT; i += FIELDS) {
      turn--;
      if (asked[i + INFORMATION] >= AnswerTally.LEAST_INFORMATION) {
        all.add(
            new AskedThreshold(
                asked[i + THRESHOLD],
                level(turn),
                isLower(turn),
                weight,
                asked[i + RESPONSE],
                asked[i + INFORMATION],
                asked[i + FOURTH],
                asked[i + ANSWERS]));
      }
      weight *= retained;
    }
    return new QuantileAnswers(all);
  }

  /** Returns d, from the answers that a level has had if all had equally many. */
  private double spread(QuantileAnswers answers, double level, double errors, double share) {
    double most = share * Math.min(level, 1 - level);
    return answers.isEmpty()
        ? most
        : Math.min(most, errors * answers.standardError(level) * Math.sqrt(levels.length));
  }

  /** Returns how many answers of equal weight the weights by age correspond to [Kis65]. */
  public long answers() {
    return answersOfPresent().size();
  }

  /** Returns one estimate for each level, in their order; empty without answers. */
  public List<QuantileEstimate> estimates() {
    QuantileAnswers answers = answersOfPresent();
    if (answers.isEmpty()) {
      return List.of();
    }
    List<QuantileEstimate> estimates = new ArrayList<>();
    for (double level : levels) {
      double spread = 2 * spread(answers, level, NEAR, LARGEST_NEAR);
      double least = down(answers.inverse(Math.max(0, level - spread)));
      double largest = up(answers.inverse(Math.min(1, level + spread)));
      estimates.add(answers.estimate(level, least, largest));
    }
    return estimates;
  }

  @Override
  public void visit(String name, LearnerState.Visitor visitor) {
    visitor.vector(name, asked);
  }
}
