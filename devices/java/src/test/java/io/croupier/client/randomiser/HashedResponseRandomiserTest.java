package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import io.croupier.noise.SeededGroups;
import io.croupier.noise.Statistics;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link IndexDrawProofTest} has the draw of the group, exactly. */
class HashedResponseRandomiserTest {
  private static final int RELEASES = 1_000_000;

  /**
   * The law at a million draws from the secure generator: a false alarm has a probability of at
   * most 1.25e-9 for each of the cases. Groups are numbered from that of the category, so that the
   * law is the same for every seed.
   */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "4, 1, 4, false",
    "1024, 2, 8, true",
    "32, 1, 4, true",
    "32, 4, 32, false",
    "2, 0.1, 2, false"
  })
  void groupsHaveTheirLaw(int categories, double epsilon, int groups, boolean isHashed) {
    HashedResponseRandomiser randomiser = new HashedResponseRandomiser(epsilon, categories);
    assertThat(randomiser.mechanism().groups()).isEqualTo(groups);
    assertThat(randomiser.isHashed()).isEqualTo(isHashed);
    long[] observed = new long[groups];
    for (int i = 0; i < RELEASES; i++) {
      int category = i % categories;
      ReleasedGroup release = randomiser.release(category);
      int own = isHashed ? SeededGroups.group(release.seed(), category, groups) : category;
      observed[Math.floorMod(release.group() - own, groups)]++;
    }
    double[] law = new double[groups];
    double all = Math.exp(epsilon) + groups - 1;
    for (int n = 0; n < groups; n++) {
      law[n] = (n == 0 ? Math.exp(epsilon) : 1) / all;
    }
    Statistics.assertFrequencies("groups", observed, law);
  }

  /** The law of another epsilon is found out by this many draws, but with a chance below 1e-9. */
  @Tag("thorough")
  @Test
  void aWrongLawWouldBeFound() {
    HashedResponseRandomiser randomiser = new HashedResponseRandomiser(1.03, 4);
    long[] observed = new long[4];
    for (int i = 0; i < RELEASES; i++) {
      observed[randomiser.release(0).group()]++;
    }
    double all = Math.E + 3;
    double[] law = {Math.E / all, 1 / all, 1 / all, 1 / all};
    assertThatThrownBy(() -> Statistics.assertFrequencies("groups", observed, law))
        .isInstanceOf(AssertionError.class);
  }

  /**
   * Each category is in each group for one seed of N, and two share a group for one of N. The seed
   * of the seeds is fixed.
   */
  @Test
  void seedsAssignGroupsEvenly() {
    int groups = 8;
    SecureBits seeds = Statistics.seeded(3);
    long[] first = new long[groups];
    long[] pairs = new long[groups];
    double[] even = new double[groups];
    Arrays.fill(even, 1.0 / groups);
    for (int i = 0; i < 200_000; i++) {
      long seed = seeds.getAsLong();
      int group = SeededGroups.group(seed, 5, groups);
      first[group]++;
      pairs[Math.floorMod(SeededGroups.group(seed, 6, groups) - group, groups)]++;
    }
    Statistics.assertFrequencies("groups", first, even);
    Statistics.assertFrequencies("differences", pairs, even);
  }

  /** Golden values, which docs/theory/counting.md has. */
  @ParameterizedTest
  @CsvSource({
    "42, 0, 8, 5",
    "42, 1, 8, 2",
    "42, 31, 8, 4",
    "-1, 0, 8, 7",
    "0, 1023, 342, 336",
    "7, 3, 1024, 479"
  })
  void groupsAreAsDocumented(long seed, int category, int groups, int group) {
    assertThat(SeededGroups.group(seed, category, groups)).isEqualTo(group);
  }

  @Test
  void writesTheVoteAndItsDeclaration() {
    GradientReportView.Builder report = GradientReportView.newBuilder();
    new HashedResponseRandomiser(2, 4).release("screen", 3, report);
    assertThat(report.getVote().getStatistic()).isEqualTo("screen");
    assertThat(report.getVote().hasSeed()).isFalse();
    assertThat(report.getVote().getIndex()).isBetween(0, 3);
    assertThat(report.getHashedResponse().getEpsilon()).isEqualTo(2);
    assertThat(report.getHashedResponse().getGroups()).isEqualTo(4);
    new HashedResponseRandomiser(1, 100).release("screen", 99, report);
    assertThat(report.getVote().hasSeed()).isTrue();
    assertThat(report.getHashedResponse().getGroups()).isEqualTo(4);
  }

  @Test
  void costsItsLevel() {
    assertThat(new HashedResponseRandomiser(0.3, 4).cost().epsilon())
        .isEqualTo(new BigDecimal("0.3"));
    assertThat(new HashedResponseRandomiser(0.30000000049, 4).mechanism().epsilon()).isEqualTo(0.3);
    assertThat(HashedResponseRandomiser.costing(ReleaseCost.ofEpsilon(0.3), 4).orElseThrow().cost())
        .isEqualTo(ReleaseCost.ofEpsilon(0.3));
    assertThat(HashedResponseRandomiser.costing(ReleaseCost.ofEpsilon(20), 4).orElseThrow().cost())
        .isEqualTo(ReleaseCost.ofEpsilon(16));
    assertThat(HashedResponseRandomiser.costing(ReleaseCost.ofMu(0.3), 4)).isEmpty();
    assertThat(HashedResponseRandomiser.costing(ReleaseCost.ofEpsilon(0.3).unsaid(), 4)).isEmpty();
    assertThat(HashedResponseRandomiser.costing(ReleaseCost.UNKNOWN, 4)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, 4", "16.1, 4", "NaN, 4", "1, 1", "1, 4097"})
  void argumentsOutOfRangeAreRefused(double epsilon, int categories) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HashedResponseRandomiser(epsilon, categories));
  }

  @ParameterizedTest
  @CsvSource({"-1", "4"})
  void categoriesOutOfRangeAreRefused(int category) {
    assertRefused(
        () -> new HashedResponseRandomiser(1, 4).release(category),
        "category is out of range; it must be from 0 to 3");
  }

  /** The copies agree with probability 2^-64 for the seeds, and 0.26^50 for the groups. */
  @Test
  void copiesOfAProcessDrawDifferently() {
    SecureBits seeds = new SecureBits();
    SecureBits bits = new SecureBits();
    HashedResponseRandomiser one = new HashedResponseRandomiser(1e-9, 100, seeds, bits);
    HashedResponseRandomiser other =
        new HashedResponseRandomiser(
            1e-9, 100, InsecureNoise.copy(seeds), InsecureNoise.copy(bits));
    assertThat(one.release(3).seed()).isNotEqualTo(other.release(3).seed());
    boolean differ = false;
    for (int i = 0; i < 100; i++) {
      differ |= one.release(3).group() != other.release(3).group();
    }
    assertThat(differ).isTrue();
  }
}
