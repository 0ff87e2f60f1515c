package io.croupier.accounting.anonymity;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.ChoiceLoss;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An attack by the exact likelihood ratio on windows of 50 reports, K = 56 of N = 256 at epsilon 2,
 * where the sets of all others avoid both sets of the person. It proves an epsilon at delta 0.01:
 * the logarithm of (P - delta) / Q, P and Q bounds on the probabilities of its event under the two
 * data of the person, each of which fails with a probability of at most 2.9e-7 (five deviations).
 * So an attack proves more than a right bound with a probability of at most 6e-7. The seed is
 * fixed: the outcome is always the same.
 */
class AttackTest {
  private static final int PEOPLE = 50;
  private static final int CANDIDATES = 256;
  private static final int TOP = 56;
  private static final double LEVEL = 2;
  private static final double DELTA = 0.01;
  private static final double DEVIATIONS = 5;

  private static double bound() {
    ChoiceLoss law = new ChoiceLoss(LEVEL, (double) (CANDIDATES - TOP) / TOP);
    return new AnonymousWindow(law, PEOPLE, 1).epsilon(DELTA);
  }

  @Test
  @Tag("thorough")
  void findsMostOfTheBound() {
    double bound = bound();
    assertThat(proved(1_000_000, bound)).isBetween(0.8 * bound, bound);
  }

  @Test
  void findsPartOfTheBound() {
    double bound = bound();
    assertThat(proved(100_000, bound)).isBetween(0.55 * bound, bound);
  }

  /** The same attack finds out a bound for ten times the reports. */
  @Test
  void exceedsAWrongBound() {
    ChoiceLoss law = new ChoiceLoss(LEVEL, (double) (CANDIDATES - TOP) / TOP);
    double wrong = new AnonymousWindow(law, 10L * PEOPLE, 1).epsilon(DELTA);
    assertThat(proved(100_000, bound())).isGreaterThan(wrong);
  }

  private static double proved(int windows, double threshold) {
    double likely = frequency(windows, true, threshold);
    double unlikely = frequency(windows, false, threshold);
    double least = likely - DEVIATIONS * Math.sqrt(likely * (1 - likely) / windows);
    double most = unlikely + DEVIATIONS * Math.sqrt(unlikely * (1 - unlikely) / windows);
    return Math.log((least - DELTA) / most);
  }

  /** How often the likelihood ratio is above exp(threshold). */
  private static double frequency(int windows, boolean isFirst, double threshold) {
    SplittableRandom random = new SplittableRandom(isFirst ? 33 : 34);
    double e = Math.exp(LEVEL);
    double total = TOP * e + CANDIDATES - TOP;
    double ratio = Math.exp(threshold);
    int found = 0;
    for (int w = 0; w < windows; w++) {
      // Numbers of reports from the set of the first data, of the second, of the others.
      int[] counts = new int[4];
      counts[one(random, isFirst ? 0 : 1, e, total)]++;
      for (int i = 1; i < PEOPLE; i++) {
        counts[one(random, 2, e, total)]++;
      }
      double rest = counts[3] + counts[2] / e;
      double first = e * counts[0] + counts[1] + rest;
      double second = counts[0] + e * counts[1] + rest;
      if (first > ratio * second) {
        found++;
      }
    }
    return (double) found / windows;
  }

  /** One report of a person with one of three disjoint sets: whose set its index is in, or 3. */
  private static int one(SplittableRandom random, int own, double e, double total) {
    double u = random.nextDouble() * total;
    for (int set = 0; set < 3; set++) {
      u -= TOP * (set == own ? e : 1);
      if (u < 0) {
        return set;
      }
    }
    return 3;
  }
}
