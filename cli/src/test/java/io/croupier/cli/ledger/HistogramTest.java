package io.croupier.cli.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.account.Json;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HistogramTest {

  private static Histogram of(double... values) {
    TreeMap<Double, Long> counts = new TreeMap<>();
    for (double value : values) {
      counts.merge(value, 1L, Long::sum);
    }
    return Histogram.of(counts, 9e9);
  }

  @Test
  void aBinIncludesItsUpperEnd() {
    assertThat(of(0.1, 0.2, 0.2, 0.3, 1).text())
        .isEqualTo(
            String.join(
                    System.lineSeparator(),
                    "  above   0 up to 0.1 | 1 | ####################",
                    "  above 0.1 up to 0.2 | 2 | ########################################",
                    "  above 0.2 up to 0.3 | 1 | ####################",
                    "  above 0.3 up to 0.4 | 0 |",
                    "  above 0.4 up to 0.5 | 0 |",
                    "  above 0.5 up to 0.6 | 0 |",
                    "  above 0.6 up to 0.7 | 0 |",
                    "  above 0.7 up to 0.8 | 0 |",
                    "  above 0.8 up to 0.9 | 0 |",
                    "  above 0.9 up to   1 | 1 | ####################")
                .replace("  above", " above"));
  }

  @Test
  void oneSizeIsOneBin() {
    Histogram histogram = of(4, 4, 4);
    assertThat(histogram.bins()).hasSize(1);
    assertThat(histogram.bins().get(0).count()).isEqualTo(3);
    assertThat(histogram.bins().get(0).upTo()).isEqualTo(4);
  }

  @Test
  void whatIsNotPositiveIsLeftOut() {
    assertThat(of(0, 0).bins()).isEmpty();
    assertThat(of().bins()).isEmpty();
    assertThat(of(0, 2).bins()).hasSize(1);
  }

  /** A saturated sum is infinite in records. */
  @Test
  void whatAnAccountCannotContainHasABin() {
    double infinite = Double.POSITIVE_INFINITY;
    assertThat(of(1, infinite).text())
        .isEqualTo(
            String.join(
                System.lineSeparator(),
                " above        0.9 up to          1 | 1 | ########################################",
                " above 9000000000 up to   infinite | 1 |"
                    + " ########################################"));
    assertThat(of(infinite, infinite).bins()).containsExactly(new Histogram.Bin(9e9, infinite, 2));
    assertThat(Json.of(of(infinite).bins()).getAsJsonArray())
        .hasToString("[{\"above\":9.0E9,\"upTo\":\"Infinity\",\"count\":1}]");
  }

  @Test
  void everySumOfAnAccountHasABin() {
    double[] extremes = {Double.MIN_VALUE, 1e-310, Double.MIN_NORMAL, 1e-9, 1, 9e9};
    for (double least : extremes) {
      for (double most : extremes) {
        Histogram histogram = of(least, most);
        assertThat(histogram.bins().stream().mapToLong(Histogram.Bin::count).sum())
            .as("%s, %s", least, most)
            .isEqualTo(2);
        assertThat(histogram.text()).doesNotContain("infinite").doesNotContain("not a number");
      }
    }
  }

  @Test
  void everyValueIsInTheRightBin() {
    SplittableRandom random = new SplittableRandom(7);
    for (int run = 0; run < 500; run++) {
      double scale = Math.pow(10, random.nextInt(-9, 10));
      double[] values =
          random.doubles(1 + random.nextInt(30), 1e-3, 1).map(u -> u * scale).toArray();
      Histogram histogram = of(values);
      assertThat(histogram.bins()).as("run %d", run).hasSizeBetween(1, 10);
      long counted = 0;
      for (Histogram.Bin bin : histogram.bins()) {
        long inside = 0;
        for (double value : values) {
          inside += value > bin.above() && value <= bin.upTo() ? 1 : 0;
        }
        assertThat(bin.count()).as("run %d", run).isEqualTo(inside);
        counted += inside;
      }
      assertThat(counted).as("run %d", run).isEqualTo(values.length);
    }
  }
}
