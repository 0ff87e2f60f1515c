package io.croupier.accounting.anonymity;

import io.croupier.accounting.ChoiceLoss;
import io.croupier.accounting.PureLoss;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The central guarantee of one report among the anonymous reports of a window: an upper bound of
 * delta at each epsilon, under replace-one, in both directions. That a person took part is public.
 *
 * <p>It falls with the number of reports and with the availability, and grows with the epsilon of
 * one report. It is never above what one report guarantees by itself. Rounded up; at most a
 * relative 2e-9 above the exact value of the bound, or 1e-20 absolutely where one report has an
 * epsilon of 12 or less.
 *
 * @param law of one report: the choice of K of N candidates, K at most N / 2. r = 1 of {@link
 *     ChoiceLoss} bounds every other pure mechanism of its epsilon
 * @param reports n, the honest reports of the window, this person's included: at least 1. More than
 *     {@link #MOST_REPORTS} count as that many, whose bound is higher
 * @param availability lambda, above 0 and at most 1: at every time, any other honest person reports
 *     with at least lambda times this person's probability, both given that they report in the
 *     window, and independently of the others. 1 if all times have the same law
 */
public record AnonymousWindow(ChoiceLoss law, long reports, double availability) {

  /** More reports than that don't lower the bound any further. */
  public static final int MOST_REPORTS = 1_000_000;

  /** From this epsilon on, no bound is below that of the report by itself. */
  private static final double MOST_EPSILON = 40;

  /** Below it, exp(epsilon) - 1 would lose its digits. */
  private static final double LEAST_EPSILON = 1e-6;

  /** More than the relative rounding errors, which are below 1e-10. */
  private static final double UP = 1 + 1e-9;

  private static final double PRECISION = 1e-12;

  /** More than the relative distance of coarse roots. */
  private static final double NEAR = 1e-3;

  private static final double COARSE_PRECISION = 1e-4;

  /** Values of C a step of the coarse bound apart: a part of their deviation. */
  private static final int COARSE_PARTS = 8;

  /**
   * @throws IllegalArgumentException if a parameter is out of range
   */
  public AnonymousWindow {
    if (!(law.epsilon() >= LEAST_EPSILON)) {
      throw new IllegalArgumentException(
          "epsilon is " + law.epsilon() + "; it must be at least " + LEAST_EPSILON);
    }
    if (reports < 1) {
      throw new IllegalArgumentException("reports is " + reports + "; it must be at least 1");
    }
    if (!(availability > 0 && availability <= 1)) {
      throw new IllegalArgumentException(
          "availability is " + availability + "; it must be above 0 and at most 1");
    }
  }

  /**
   * The window of reports of a pure mechanism: by its own law if it is a choice of candidates,
   * otherwise as randomised response of its epsilon.
   */
  public static AnonymousWindow of(PureLoss loss, long reports, double availability) {
    ChoiceLoss law = loss instanceof ChoiceLoss choice ? choice : new ChoiceLoss(loss.epsilon(), 1);
    return new AnonymousWindow(law, reports, availability);
  }

  /**
   * The number n that counts for each report of a person: floor(honest R / k). k reports of one
   * person in a window are k windows of that many reports each.
   *
   * @param reports R that arrived in the window, at least 0
   * @param honest share of them that honest devices sent, above 0 and at most 1
   * @param each k, the most reports of one person in the window, at least 1
   * @throws IllegalArgumentException if an argument is out of range
   */
  public static long counted(long reports, double honest, long each) {
    if (reports < 0) {
      throw new IllegalArgumentException("reports is " + reports + "; it must be at least 0");
    }
    if (!(honest > 0 && honest <= 1)) {
      throw new IllegalArgumentException(
          "honest is " + honest + "; it must be above 0 and at most 1");
    }
    if (each < 1) {
      throw new IllegalArgumentException("each is " + each + "; it must be at least 1");
    }
    return BigDecimal.valueOf(honest)
        .multiply(BigDecimal.valueOf(reports))
        .divide(BigDecimal.valueOf(each), 0, RoundingMode.FLOOR)
        .longValueExact();
  }

  private int n() {
    return (int) Math.min(reports, MOST_REPORTS);
  }

  /**
   * The delta at an epsilon. O(n) operations, O(sqrt n) memory.
   *
   * @param epsilon in nats, at least 0
   * @return from 0 to 1
   */
  public double delta(double epsilon) {
    if (!(epsilon >= 0)) {
      throw new IllegalArgumentException("epsilon is " + epsilon + "; it must be at least 0");
    }
    return deltas(new double[] {epsilon}, 1)[0];
  }

  /**
   * The least epsilon at a delta, rounded up by a relative 1e-12 at most; 0 if even that is more
   * than needed.
   *
   * @param delta above 0 and below 1
   */
  public double epsilon(double delta) {
    if (!(delta > 0 && delta < 1)) {
      throw new IllegalArgumentException("delta is " + delta + "; it must be between 0 and 1");
    }
    if (delta(0) <= delta) {
      return 0;
    }
    // The coarse root is cheap, at least the exact one, and very near to it.
    double coarse =
        new Root(x -> coarseDeltas(new double[] {x})[0], delta, 1e-8).between(0, law.epsilon());
    double below = coarse * (1 - NEAR);
    Root exact = new Root(this::delta, delta, PRECISION);
    return delta(coarse) <= delta && delta(below) > delta
        ? exact.between(below, coarse)
        : exact.between(0, law.epsilon());
  }

  /**
   * An upper bound of {@link #epsilon}, in a small part of its time: by a relative 1e-3 above it at
   * most.
   *
   * @param delta above 0 and below 1
   */
  public double coarseEpsilon(double delta) {
    if (!(delta > 0 && delta < 1)) {
      throw new IllegalArgumentException("delta is " + delta + "; it must be between 0 and 1");
    }
    Root root = new Root(x -> coarseDeltas(new double[] {x})[0], delta, COARSE_PRECISION);
    return coarseDeltas(new double[] {0})[0] <= delta ? 0 : root.between(0, law.epsilon());
  }

  /** The mu of the limit of many reports, (e - 1) sqrt(2 p / (lambda n)): below the truth. */
  public double limitingDeviation() {
    double e = StrictMath.exp(Math.min(law.epsilon(), 700));
    double p = 1 / (e + law.others());
    return (e - 1) * Math.sqrt(2 * p / (availability * n()));
  }

  /** An upper bound of delta at many epsilons, above the exact one by a relative 1e-4 at most. */
  double[] coarseDeltas(double[] epsilons) {
    double e = StrictMath.exp(Math.min(law.epsilon(), 700));
    double deviation = BinomialWeights.deviation(n(), neutral(e));
    return deltas(epsilons, Math.max(1, (int) (deviation / COARSE_PARTS)));
  }

  /** The probability of c of a letter that is neither x nor y. */
  private double neutral(double e) {
    return availability * (law.others() - 1) / (e + law.others() - 2 * availability);
  }

  /** What one report guarantees by itself. */
  private double local(double epsilon) {
    return epsilon >= law.epsilon()
        ? 0
        : -StrictMath.expm1(epsilon - law.epsilon())
            / (1 + law.others() * StrictMath.exp(-law.epsilon()));
  }

  /**
   * The mean of max(0, (e - E) A + (1 - e E) B + (1 - E) C) / (lambda n), E = exp(epsilon), at many
   * epsilons. Given A + B = s, A is binomial, and so is C, independently of A.
   *
   * @param step C is spread to multiples of it, which can only increase the mean
   */
  double[] deltas(double[] epsilons, int step) {
    double[] deltas = new double[epsilons.length];
    if (law.epsilon() >= MOST_EPSILON) {
      for (int j = 0; j < deltas.length; j++) {
        deltas[j] = Math.min(1, local(epsilons[j]) * UP);
      }
      return deltas;
    }
    int n = n();
    double e = StrictMath.exp(law.epsilon());
    double p = availability / (e + law.others());
    double neutral = neutral(e);
    double[] odds = new double[epsilons.length];
    double[] excess = new double[epsilons.length];
    for (int j = 0; j < odds.length; j++) {
      odds[j] = StrictMath.exp(Math.min(epsilons[j], law.epsilon()));
      excess[j] = StrictMath.expm1(Math.min(epsilons[j], law.epsilon()));
    }
    BinomialWeights pairs = new BinomialWeights();
    pairs.set(n, 2 * p);
    BinomialWeights ups = new BinomialWeights();
    ups.set(pairs.first, 0.5);
    BinomialWeights rest = new BinomialWeights();
    rest.setWide(n - pairs.first, n - pairs.first - pairs.size + 1, neutral);
    BinomialWeights coarse = new BinomialWeights();
    for (int i = 0; i < pairs.size; i++) {
      int s = pairs.first + i;
      if (i > 0) {
        ups.addFairTrial();
        rest.removeTrial(n - s + 1, neutral);
      }
      double[] tails = ups.tails();
      if (step > 1) {
        coarse.setCoarse(rest, step);
      }
      for (int j = 0; j < odds.length; j++) {
        double ratio = excess[j] / (e - 1);
        double mean =
            positivePart(s, odds[j], excess[j], ratio, step > 1 ? coarse : rest, step, ups, tails);
        deltas[j] += pairs.values[i] * mean;
      }
    }
    double lost = 6 * e * BinomialWeights.OMITTED / availability;
    for (int j = 0; j < deltas.length; j++) {
      double sum = (e - 1) * (1 + odds[j]) * deltas[j] / (availability * n) + lost;
      deltas[j] = Math.min(1, Math.min(sum, local(epsilons[j])) * UP);
    }
    return deltas;
  }

  /**
   * The mean of max(0, A - k0) given s, with k0 = (E s + th (s + C)) / (1 + E): with k the least
   * integer from k0 on, it is k / 2 P(A = k) - (k0 - s / 2) P(A >= k).
   */
  private static double positivePart(
      int s,
      double odds,
      double excess,
      double ratio,
      BinomialWeights rest,
      int step,
      BinomialWeights ups,
      double[] tails) {
    double sum = 0;
    double slope = ratio / (1 + odds);
    double base = odds / (1 + odds) * s;
    double gapBase = excess / (1 + odds) * s / 2;
    int i = 0;
    while (i < rest.size) {
      double total = (double) s + rest.first + (double) i * step;
      double least = Math.ceil(base + slope * total);
      int from = (int) Math.max(0, least - ups.first);
      if (from >= ups.size) {
        break;
      }
      // All values of C up to the one where k0 passes k.
      double reach = (Math.max(least, ups.first) - base) / slope - s - rest.first;
      double last = slope > 0 ? Math.max(i, Math.floor(reach / step)) : rest.size;
      int end = (int) Math.min(rest.size, last + 1);
      double weight = 0;
      double moment = 0;
      for (int c = i; c < end; c++) {
        weight += rest.values[c];
        moment += rest.values[c] * (c - i);
      }
      double gap = (gapBase + slope * total) * weight + slope * step * moment;
      double up = (ups.first + from) / 2.0 * ups.values[from];
      sum += Math.max(0, up * weight - gap * tails[from]);
      i = end;
    }
    return sum;
  }
}
