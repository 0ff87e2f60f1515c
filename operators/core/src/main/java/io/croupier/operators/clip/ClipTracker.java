package io.croupier.operators.clip;

import io.croupier.operators.learner.LearnerState;
import io.croupier.schemas.AdaptiveClips;

/**
 * Finds the clip c: a running estimate of the 20 % quantile of sizes, from randomised answers to
 * "is your size above the clip?".
 *
 * <p>With s = +1 for a size above the clip of the named round and -1 otherwise, an answer b = +1 or
 * -1 has E b = h E s, h its strength. The caller passes the response h b. The answers between two
 * publications enter together, by stochastic approximation in ln c [RM51]:
 *
 * <pre>
 *   state  c = c0, N = 0, m = 0
 *   rho = 1/2 if N &lt; 12 or m &lt; 5, else 0.8
 *   S = sum of h_j b_j;  H = sum of h_j^2;  m += 1;  N = min(300, N + H)
 *   e = 3 (S - H (2 rho - 1)) / max(6, N, 16 H if rho = 0.8 and N = 300), at least -1.5 and at most 1.5
 *   c = c exp(e), at least c0 / 10^4 and at most c0 10^4
 *   scouting while N &lt; 12 or m &lt; 6
 * </pre>
 *
 * <p>E S / H = E s = 2 P(size &gt; c) - 1, so E e = 0 exactly where a share of 1 - rho of the sizes
 * is at most c. N counts answers in units of one without randomisation. The clip first moves
 * towards the median, which is the fastest to find, and with the first step from N &gt;= 12 and m
 * &gt;= 5 on towards the 20 % quantile. While the model scouts, it asks for no gradients. If N
 * reaches 12 only with the sixth publication or later, that step still moves towards the median and
 * ends the search. The search ends with the number of answers, whatever they are, so it may end far
 * from the quantile where c0 is. Steps shrink as 3 / N and stay at least 3 / 300, so the clip
 * follows sizes that change. All answers of a publication are about one clip, so many of them must
 * not move it far in one step: without 16 H, 600 answers a publication let it swing between 0.4 and
 * 1.8 times the quantile for ever. With it, and with N at its limit, answers without randomisation
 * multiply the clip by 0.74 to 1.08 in one publication; those of strength h by at most exp(3 (1/h -
 * 0.6) / 16).
 *
 * <p>While the model scouts, a publication needs no more information than 180: at N = 300, answers
 * that all agree then move the clip by the largest step. So each publication asks a share s of the
 * devices, which would have led to 180 at the one before:
 *
 * <pre>
 *   s = min(1, max(1/64, 180 s / H)) after a publication with answers that leaves the model scouting, 1 afterwards
 *   s = min(1, 2 s) when a publication is announced again for lack of answers
 * </pre>
 *
 * <p>A first clip that is too small takes longer to correct than one that is too large: an answer
 * "above" moves the clip by 0.4 times the gain, one "not above" by 1.6 times it. Up to a factor of
 * 100 too small costs little; lab/studies/results/clip.md has figures.
 *
 * <p>Invariants: (1) c0 / 10^4 &lt;= c &lt;= c0 10^4; (2) 0 &lt;= N &lt;= 300, and N and m never
 * fall, so scouting never begins again; (3) a publication without answers changes nothing but s;
 * (4) 1/64 &lt;= s &lt;= 1.
 *
 * <p>Accuracy: relative error at most 1e-12 after 150 publications, compared with 60 digits; never
 * NaN. The functions are equal on all platforms, so the same answers in the same order lead to the
 * same bits. O(1) for each answer and each publication; neither allocates. Not thread-safe.
 *
 * <p>[RM51] Robbins and Monro, Annals of Mathematical Statistics 1951. The gains and the scouting
 * are our own, chosen by simulation.
 */
public final class ClipTracker {
  private static final double SPAN = AdaptiveClips.SPAN;

  /** 2 rho - 1 for the 20 % quantile, rho = 0.8. */
  private static final double TARGET = 0.6;

  private static final double GAIN = 3;
  private static final double LARGEST_STEP = 1.5;

  /** The first steps are as short as if this information were there already. */
  private static final double LEAST_INFORMATION = 6;

  private static final double LARGEST_INFORMATION = 300;

  /** A publication's own information counts as at most one part in this many. */
  private static final double PUBLICATIONS_OF_INFORMATION = 16;

  /**
   * With 150, answers that all agree move the clip by the largest step at any N. A fifth more,
   * since the number of devices that answer varies, and so do their bits.
   */
  private static final double ENOUGH_INFORMATION = 1.2 * LARGEST_STEP * LARGEST_INFORMATION / GAIN;

  /** Devices that answer though they aren't asked outvote those that are by at most its inverse. */
  private static final double LEAST_SHARE = 1.0 / 64;

  private static final double SCOUTING_INFORMATION = 12;
  private static final int SCOUTING_PUBLICATIONS = 6;

  private final double initial;
  private double clip;

  /** N. */
  private double information;

  /** m. */
  private long publications;

  /** s. */
  private double share = 1;

  private double openResponses;
  private double openInformation;
  private long openAnswers;

  /**
   * Creates a tracker that has no answers yet.
   *
   * @param initial c0, in the unit of sizes; positive, c0 10^4 finite, c0 / 10^4 not subnormal
   * @throws IllegalArgumentException if it isn't
   */
  public ClipTracker(double initial) {
    if (!(initial / SPAN >= Double.MIN_NORMAL && initial * SPAN <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "the initial clip is "
              + initial
              + "; it must be positive, and a double must be able to represent 10^4 times and 10^-4"
              + " times its value");
    }
    this.initial = initial;
    this.clip = initial;
  }

  /**
   * Continues from the clip of a tracker that had ended its search, and whose state is lost: N and
   * m are as small as they can be then, so the clip moves as fast as after the search.
   */
  public void continueFrom(double found) {
    clip = within(initial / SPAN, found, initial * SPAN);
    information = SCOUTING_INFORMATION;
    publications = SCOUTING_PUBLICATIONS;
  }

  /** Returns c, the clip of the next round to be published; positive and finite. */
  public double clip() {
    return clip;
  }

  /**
   * Returns whether the model still searches for the magnitude of the clip. While it does, it asks
   * all devices for an answer, and none for a gradient.
   */
  public boolean isScouting() {
    return information < SCOUTING_INFORMATION || publications < SCOUTING_PUBLICATIONS;
  }

  /**
   * Returns s, the share of the devices to ask: below 1 only while the model scouts, where all
   * devices would be more than needed. Above 0.
   */
  public double share() {
    return share;
  }

  /** Doubles the share of the devices to ask, since those who were asked did not answer. */
  public void askMore() {
    share = Math.min(1, 2 * share);
  }

  /**
   * Adds an answer. It counts from the next {@link #advance} on.
   *
   * @param response h if the answer is "above", -h if it is "not above"; h from 0 to 1
   * @throws IllegalArgumentException if it is beyond [-1, 1]
   */
  public void add(double response) {
    if (!(Math.abs(response) <= 1)) {
      throw new IllegalArgumentException(
          "the response is " + response + "; it must be from -1 to 1");
    }
    openResponses += response;
    openInformation += response * response;
    openAnswers++;
  }

  /** Returns whether there are answers since the last {@link #advance}. */
  public boolean hasAnswers() {
    return openAnswers > 0;
  }

  /** Moves the clip by all answers since the last call; does nothing if there are none. */
  public void advance() {
    if (!hasAnswers()) {
      return;
    }
    boolean towardsMedian =
        information < SCOUTING_INFORMATION || publications < SCOUTING_PUBLICATIONS - 1;
    double target = towardsMedian ? 0 : TARGET;
    publications++;
    information = Math.min(LARGEST_INFORMATION, information + openInformation);
    double step = GAIN * (openResponses - openInformation * target) / divisor(towardsMedian);
    clip *= StrictMath.exp(within(-LARGEST_STEP, step, LARGEST_STEP));
    clip = within(initial / SPAN, clip, initial * SPAN);
    double wanted = share * (ENOUGH_INFORMATION / openInformation);
    share = isScouting() ? within(LEAST_SHARE, wanted, 1) : 1;
    openResponses = 0;
    openInformation = 0;
    openAnswers = 0;
  }

  private double divisor(boolean towardsMedian) {
    boolean isCrowded = !towardsMedian && information == LARGEST_INFORMATION;
    return Math.max(
        Math.max(LEAST_INFORMATION, information),
        isCrowded ? PUBLICATIONS_OF_INFORMATION * openInformation : 0);
  }

  private static double within(double least, double x, double largest) {
    return Math.max(least, Math.min(x, largest));
  }

  /** Passes the state to a visitor, which may restore it; the names begin with {@code name}. */
  public void visit(String name, LearnerState.Visitor visitor) {
    clip = visitor.scalar(name, clip);
    information = visitor.scalar(name + "-information", information);
    publications = visitor.count(name + "-publications", publications);
    share = visitor.scalar(name + "-share", share);
    openResponses = visitor.scalar(name + "-open-responses", openResponses);
    openInformation = visitor.scalar(name + "-open-information", openInformation);
    openAnswers = visitor.count(name + "-open-answers", openAnswers);
  }
}
