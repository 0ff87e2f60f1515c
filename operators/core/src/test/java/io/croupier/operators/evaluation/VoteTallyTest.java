package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.learner.StateChunks;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VoteTallyTest {
  private static final int RUNS = 2000;

  /** Votes of simulated people, by the law that the client's draws have. */
  private static final class People {
    private final SplittableRandom random;
    private final double[] fractions;

    People(long seed, double... fractions) {
      random = new SplittableRandom(seed);
      this.fractions = fractions;
    }

    int category() {
      double u = random.nextDouble();
      int category = 0;
      while (category + 1 < fractions.length && u >= fractions[category]) {
        u -= fractions[category++];
      }
      return category;
    }

    void vote(double epsilon, int age, VoteTally... tallies) {
      int k = fractions.length;
      HashedResponseMechanism mechanism = HashedResponseMechanism.of(epsilon, k);
      boolean isHashed = HashedResponseMechanism.isHashed(epsilon, k);
      int groups = mechanism.groups();
      CategoryLaw law = CategoryLaw.of(epsilon, groups, isHashed);
      long seed = random.nextLong();
      int own = isHashed ? SeededGroups.group(seed, category(), groups) : category();
      boolean keeps = random.nextDouble() < law.hit();
      int group = keeps ? own : (own + 1 + random.nextInt(groups - 1)) % groups;
      for (VoteTally tally : tallies) {
        tally.add(law, j -> (isHashed ? SeededGroups.group(seed, j, groups) : j) == group, age);
      }
    }
  }

  @Test
  void anEmptyTallyEstimatesNothing() {
    VoteTally tally = VoteTally.lasting(3);
    assertThat(tally.estimates()).isEmpty();
    tally.age();
    assertThat(tally.estimates()).isEmpty();
  }

  /** Two of three categories by hand: p = 1/2, q = 1/4 without a seed. */
  @Test
  void theEstimateIsTheShareOfHitsLessThatOfChance() {
    CategoryLaw law = CategoryLaw.of(Math.log(2), 3, false);
    assertThat(law.hit()).isCloseTo(0.5, within(1e-15));
    assertThat(law.chance()).isCloseTo(0.25, within(1e-15));
    VoteTally tally = VoteTally.lasting(3);
    for (int i = 0; i < 40; i++) {
      int group = i < 16 ? 0 : i < 28 ? 1 : 2;
      tally.add(law, j -> j == group, 0);
    }
    List<FractionEstimate> estimates = tally.estimates();
    assertThat(estimates).extracting(FractionEstimate::answers).containsOnly(40L);
    assertThat(estimates.get(0).fraction()).isCloseTo((0.4 - 0.25) / 0.25, within(1e-12));
    assertThat(estimates.get(1).fraction()).isCloseTo((0.3 - 0.25) / 0.25, within(1e-12));
    // 0.4 of the votes hit: 0.4 (1 - 0.4) / (40 / 16)
    assertThat(estimates.get(0).standardError())
        .isCloseTo(Math.sqrt(0.24 * 16 / 40), within(1e-12));
  }

  /**
   * People of several levels who vote about 100 publications, 6 each: k-ary for some of them,
   * hashed for others. The seed is fixed; with random ones, the mean of the errors of a category
   * would fail by chance with probability 1e-6, the mean of the squares with about 1e-6, and the
   * coverage of an interval of exactly 95 % with 4e-5.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 8, 32})
  void isWithoutBiasAndCoversTheTruth(int k) {
    double[] truth = new double[k];
    double left = 1;
    for (int j = 0; j + 1 < k; j++) {
      truth[j] = left * 0.35;
      left -= truth[j];
    }
    truth[k - 1] = left;
    People people = new People(k, truth);
    double[] levels = {0.5, 1, 2, 4};
    int[] covered = new int[k];
    double[] errors = new double[k];
    double[] squares = new double[k];
    double[] variances = new double[k];
    for (int run = 0; run < RUNS; run++) {
      VoteTally tally = VoteTally.lasting(k);
      for (int publication = 0; publication < 100; publication++) {
        tally.age();
        for (int person = 0; person < 6; person++) {
          people.vote(levels[people.random.nextInt(4)], people.random.nextInt(3), tally);
        }
      }
      List<FractionEstimate> estimates = tally.estimates();
      for (int j = 0; j < k; j++) {
        FractionEstimate estimate = estimates.get(j);
        covered[j] += estimate.low() <= truth[j] && truth[j] <= estimate.high() ? 1 : 0;
        double error = estimate.fraction() - truth[j];
        errors[j] += error;
        squares[j] += error * error;
        variances[j] += estimate.standardError() * estimate.standardError();
      }
    }
    for (int j = 0; j < k; j++) {
      double deviation = Math.sqrt(squares[j] / RUNS);
      assertThat(errors[j] / RUNS).isCloseTo(0, within(4.9 * deviation / Math.sqrt(RUNS)));
      assertThat(squares[j] / variances[j]).isCloseTo(1, within(4.9 * Math.sqrt(2.0 / RUNS)));
      if (truth[j] > 0.01) {
        assertThat((double) covered[j] / RUNS).as("category " + j).isBetween(0.93, 0.97);
      }
    }
  }

  /**
   * The variance of simulated estimates over the formula's, of 25,000 estimates by 40 votes: its
   * standard deviation is at most sqrt(2 / (25,000 k)) times a little more, since the categories of
   * one estimate depend on each other. The seed is fixed.
   */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"8, 0.5", "8, 2", "32, 2", "32, 4"})
  void theVarianceIsThatOfTheFormula(int k, double epsilon) {
    int estimates = 25_000;
    int votes = 40;
    double[] truth = new double[k];
    Arrays.fill(truth, 1.0 / k);
    People people = new People(7, truth);
    double squares = 0;
    for (int run = 0; run < estimates; run++) {
      VoteTally tally = VoteTally.lasting(k);
      for (int i = 0; i < votes; i++) {
        people.vote(epsilon, 0, tally);
      }
      for (FractionEstimate estimate : tally.estimates()) {
        squares += Math.pow(estimate.fraction() - 1.0 / k, 2);
      }
    }
    HashedResponseMechanism mechanism = HashedResponseMechanism.of(epsilon, k);
    boolean isHashed = HashedResponseMechanism.isHashed(epsilon, k);
    double p = Math.exp(epsilon) / (Math.exp(epsilon) + mechanism.groups() - 1);
    double q = isHashed ? 1.0 / mechanism.groups() : p * Math.exp(-epsilon);
    double f = 1.0 / k;
    double noise = q * (1 - q) / (p - q) / (p - q) + f * (1 - p - q) / (p - q);
    double formula = (noise + f * (1 - f)) / votes;
    assertThat(squares / estimates / k / formula).isCloseTo(1, within(0.01));
    CategoryLaw law = CategoryLaw.of(epsilon, mechanism.groups(), isHashed);
    assertThat(law.variance(f) / law.strength() / law.strength() / votes)
        .isCloseTo(formula, within(1e-12));
  }

  /** So the error of an estimate above 1 is not too small. */
  @Test
  void noFractionHasLessThanHalfOfTheVarianceAtZero() {
    for (double epsilon = 0.01; epsilon <= HashedResponseMechanism.MOST_EPSILON; epsilon += 0.01) {
      for (int k : new int[] {2, 3, 5, 6, 8, 32, 128, 1024}) {
        int groups = HashedResponseMechanism.of(epsilon, k).groups();
        CategoryLaw law =
            CategoryLaw.of(epsilon, groups, HashedResponseMechanism.isHashed(epsilon, k));
        // A mean of Bernoulli variables has a concave variance, least at one of the ends.
        double hit = law.hit() * (1 - law.hit());
        assertThat(hit - law.variance(0) / 2).as("%s, %s", epsilon, k).isPositive();
      }
    }
  }

  /** A sender who chooses the seed, and with it which of the categories a vote is for. */
  @ParameterizedTest
  @CsvSource({"4, 2, false", "8, 2, true", "4, 1, true"})
  void aChosenSeedMovesACategoryByAtMostOneVote(int groups, double epsilon, boolean isHashed) {
    int k = isHashed ? 32 : groups;
    CategoryLaw law = CategoryLaw.of(epsilon, groups, isHashed);
    SplittableRandom random = new SplittableRandom(3);
    VoteTally all = VoteTally.lasting(k);
    VoteTally none = VoteTally.lasting(k);
    int n = 100;
    for (int i = 0; i < n - 1; i++) {
      long seed = random.nextLong();
      int group = random.nextInt(groups);
      all.add(law, j -> SeededGroups.group(seed, j, groups) == group, 0);
      none.add(law, j -> SeededGroups.group(seed, j, groups) == group, 0);
    }
    all.add(law, j -> true, 0);
    none.add(law, j -> false, 0);
    double most = 1 / (n * law.strength());
    for (int j = 0; j < k; j++) {
      double moved = all.estimates().get(j).fraction() - none.estimates().get(j).fraction();
      assertThat(moved).isBetween(0.0, most * (1 + 1e-9));
    }
  }

  @Test
  void aStaleVoteCountsAsAnAgedOneAndIsForgottenInTime() {
    People people = new People(5, 0.5, 0.3, 0.2);
    VoteTally aged = VoteTally.recent(3);
    VoteTally same = VoteTally.recent(3);
    CategoryLaw law = CategoryLaw.of(1, 3, false);
    aged.add(law, j -> j == 1, 0);
    for (int i = 0; i < 5; i++) {
      aged.age();
    }
    same.add(law, j -> j == 1, 5);
    people.vote(2, 0, aged, same);
    for (int j = 0; j < 3; j++) {
      assertThat(same.estimates().get(j).fraction())
          .isCloseTo(aged.estimates().get(j).fraction(), within(1e-14));
    }
    int publications = 0;
    VoteTally one = VoteTally.recent(3);
    one.add(law, j -> j == 1, 0);
    while (!one.estimates().isEmpty()) {
      one.age();
      publications++;
    }
    assertThat(publications).isEqualTo(202);
  }

  @Test
  void isRestoredBitForBit() {
    People people = new People(4, 0.2, 0.2, 0.2, 0.2, 0.2);
    VoteTally tally = VoteTally.lasting(5);
    for (int i = 0; i < 50; i++) {
      people.vote(0.1 + i / 20.0, i % 3, tally);
      tally.age();
    }
    Map<String, byte[]> chunks = new HashMap<>();
    tally.visit("votes-of-a", StateChunks.writer(chunks::put));
    VoteTally restored = VoteTally.lasting(5);
    restored.visit("votes-of-a", StateChunks.reader(chunks::get));
    assertThat(restored.estimates()).isEqualTo(tally.estimates());
    assertThat(chunks.keySet()).containsExactly("votes-of-a/0");
  }
}
