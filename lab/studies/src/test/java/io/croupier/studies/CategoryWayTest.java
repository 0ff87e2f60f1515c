package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.cli.data.Census;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import io.croupier.noise.SeededGroups;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Seeded, but for the device's own randomiser. */
class CategoryWayTest {
  private static final double[] EPSILONS = {0.5, 1, 2, 4};
  private static final int[] CATEGORIES = {2, 4, 8, 32};

  /** In closed form, of a category that hardly anyone has. */
  @Test
  void variancesAreThePublishedOnes() {
    for (double epsilon : EPSILONS) {
      double odds = Math.exp(epsilon);
      double root = Math.exp(epsilon / 2);
      // Wang et al. 2017, table 1.
      assertClose(CategoryWay.UNARY, epsilon, 32, 4 * odds / Math.pow(odds - 1, 2));
      assertClose(CategoryWay.RAPPOR, epsilon, 32, root / Math.pow(root - 1, 2));
      assertClose(CategoryWay.HASHED, epsilon, 4, (2 + odds) / Math.pow(odds - 1, 2));
    }
    int groups = HashedResponseMechanism.of(2, 32).groups();
    double odds = Math.exp(2);
    double expected = Math.pow(odds - 1 + groups, 2) / (Math.pow(odds - 1, 2) * (groups - 1));
    assertClose(CategoryWay.HASHED, 2, 32, expected);
    // Of k questions, each for a k-th of the people; Warner 1965.
    assertClose(CategoryWay.QUESTIONS, 2, 32, 32 * odds / Math.pow(odds - 1, 2));
  }

  private static void assertClose(CategoryWay way, double epsilon, int k, double variance) {
    assertThat(way.variance(epsilon, k, 0)).isCloseTo(variance, within(1e-12 * variance));
  }

  /** Where all fractions are equal. */
  @Test
  void subsetSelectionIsTheBest() {
    for (double epsilon : EPSILONS) {
      for (int k : CATEGORIES) {
        double best = CategoryWay.SUBSET.variance(epsilon, k, 1.0 / k);
        for (CategoryWay way : CategoryWay.values()) {
          assertThat(way.variance(epsilon, k, 1.0 / k)).isGreaterThan(best - 1e-12);
        }
      }
    }
    CategoryLaw law = CategoryWay.SUBSET.law(2, 32);
    double own = 4 * Math.exp(2);
    assertThat(law.hit()).as("in subsets of four").isCloseTo(own / (own + 28), within(1e-15));
  }

  /**
   * How often a release supports the own category, and another one: within 5.5 standard errors of
   * 100,000 releases.
   */
  @ParameterizedTest
  @EnumSource(names = {"HASHED", "SUBSET", "UNARY", "RAPPOR"})
  void releasesHaveTheirLaw(CategoryWay way) {
    SeededRandom random = new SeededRandom(5);
    int releases = 100_000;
    for (double epsilon : EPSILONS) {
      for (int k : CATEGORIES) {
        int hits = 0;
        int chances = 0;
        for (int i = 0; i < releases; i++) {
          IntPredicate supports = way.draw(1, epsilon, k, random);
          hits += supports.test(1) ? 1 : 0;
          chances += supports.test(0) ? 1 : 0;
        }
        assertShare(hits, releases, way.law(epsilon, k).hit());
        assertShare(chances, releases, way.law(epsilon, k).chance());
      }
    }
  }

  private static void assertShare(int count, int of, double expected) {
    double error = Math.sqrt(expected * (1 - expected) / of);
    assertThat((double) count / of).isCloseTo(expected, within(5.5 * error));
  }

  /** The same, by the randomiser of a device: fails by chance with probability 4 x 4e-8. */
  @ParameterizedTest
  @CsvSource({"1, 4", "2, 32"})
  void devicesReleaseByTheSameLaw(double epsilon, int k) {
    HashedResponseRandomiser device = new HashedResponseRandomiser(epsilon, k);
    int groups = device.mechanism().groups();
    int releases = 50_000;
    int hits = 0;
    int chances = 0;
    for (int i = 0; i < releases; i++) {
      HashedResponseRandomiser.ReleasedGroup release = device.release(1);
      IntPredicate supports =
          device.isHashed()
              ? j -> SeededGroups.group(release.seed(), j, groups) == release.group()
              : j -> j == release.group();
      hits += supports.test(1) ? 1 : 0;
      chances += supports.test(0) ? 1 : 0;
    }
    assertShare(hits, releases, CategoryWay.HASHED.law(epsilon, k).hit());
    assertShare(chances, releases, CategoryWay.HASHED.law(epsilon, k).chance());
  }

  /** The mean squared error of 400 runs of 2,000 people, in the mean over categories. */
  @ParameterizedTest
  @EnumSource
  void errorsAreThoseOfTheFormula(CategoryWay way) {
    SeededRandom random = new SeededRandom(6);
    int k = 4;
    int[] people = new int[2000];
    Arrays.setAll(people, i -> i % 10 < 4 ? 0 : i % 10 < 7 ? 1 : i % 10 < 9 ? 2 : 3);
    double[] truth = {0.4, 0.3, 0.2, 0.1};
    int runs = 400;
    double[] ratios = new double[runs];
    for (int run = 0; run < runs; run++) {
      int[] drawn = Arrays.stream(people).map(i -> people[random.below(people.length)]).toArray();
      double[] estimates = way.estimates(drawn, 1, k, random);
      for (int j = 0; j < k; j++) {
        double error = estimates[j] - truth[j];
        ratios[run] += error * error / (way.variance(1, k, truth[j]) / people.length) / k;
      }
    }
    Estimate ratio = Estimate.of(ratios);
    assertThat(ratio.mean()).isCloseTo(1, within(5.5 * ratio.error()));
    assertThat(ratio.error()).isLessThan(0.06);
  }

  /** The counts that the study draws people from are those of the census. */
  @Test
  void theCensusHasTheseRegions() {
    List<String> regions = Census.load().categories().get("region");
    List<String[]> rows = StatisticsStudy.rows("census-counts.csv");
    for (String region : regions.stream().distinct().toList()) {
      int counted =
          rows.stream()
              .filter(row -> row[0].equals(region))
              .mapToInt(row -> Integer.parseInt(row[2]))
              .sum();
      assertThat(counted).isEqualTo(Collections.frequency(regions, region));
    }
  }
}
