package io.croupier.accounting.anonymity;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Bisection;
import io.croupier.accounting.ChoiceLoss;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WindowCompositionTest {

  private static double epsilon(AnonymousWindow window, long times, double delta) {
    return WindowComposition.of(Map.of(window, times)).epsilon(delta);
  }

  @Test
  void severalWindows() {
    assertGolden(true, 3);
  }

  @Tag("thorough")
  @Test
  void severalWindowsOfManyReports() {
    assertGolden(false, 7);
  }

  /** The golden values have six digits, and a relative error of 2e-5. */
  private static void assertGolden(boolean areFew, int count) {
    int checked = 0;
    for (JsonNode node : AnonymityGolden.cases("windows_composed", 10)) {
      if (node.get("windows").get(0).get("n").asInt() <= 1000 != areFew) {
        continue;
      }
      checked++;
      Map<AnonymousWindow, Long> windows = new LinkedHashMap<>();
      for (JsonNode each : node.get("windows")) {
        windows.put(AnonymousWindowTest.window(each), each.get("times").asLong());
      }
      double golden = node.get("epsilon_at_delta_1e-6").asDouble();
      assertThat(WindowComposition.of(windows).epsilon(1e-6))
          .as("%s", node)
          .isBetween(golden * (1 - 3e-6), golden * (1 + 6e-5));
    }
    assertThat(checked).isEqualTo(count);
  }

  @Tag("ci")
  @Test
  void oneWindowIsItsOwnBound() {
    for (double level : new double[] {0.5, 2, 6}) {
      for (long n : new long[] {1, 2, 40, 5000}) {
        AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(level, 3.5), n, 0.8);
        WindowComposition one = WindowComposition.of(Map.of(window, 1L));
        for (double delta : new double[] {1e-2, 1e-6, 1e-9}) {
          double exact = window.epsilon(delta);
          assertThat(one.epsilon(delta))
              .as("%s at %s", window, delta)
              .isBetween(exact * (1 - 1e-12), Math.min(level, exact * 1.005) + 1e-12);
        }
      }
    }
  }

  /** Two windows of seven reports: the sum over all pairs of counts. */
  @Tag("ci")
  @Test
  void twoWindowsEqualTheSumOverAllPairs() {
    int n = 7;
    double level = 1.5;
    double others = 3;
    AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(level, others), n, 1);
    for (double delta : new double[] {0.1, 1e-2, 1e-4, 1e-6}) {
      double exact =
          Bisection.root(0, 2 * level, 60, middle -> ofTwo(n, level, others, middle) > delta);
      assertThat(epsilon(window, 2, delta)).isBetween(exact * (1 - 1e-9), exact * 1.0005);
    }
  }

  private static double ofTwo(int n, double level, double others, double epsilon) {
    double e = Math.exp(level);
    double odds = Math.exp(epsilon);
    double[] weights = {
      1 / (e + others), 1 / (e + others), (others - 1) / (e + others), (e - 1) / (e + others)
    };
    int letters = n + 1;
    double[][][] counts = new double[letters][letters][letters];
    counts[0][0][0] = 1;
    for (int i = 0; i < n; i++) {
      double[][][] next = new double[letters][letters][letters];
      for (int x = 0; x < n; x++) {
        for (int y = 0; x + y < n; y++) {
          for (int c = 0; x + y + c < n; c++) {
            double w = counts[x][y][c];
            next[x + 1][y][c] += w * weights[0];
            next[x][y + 1][c] += w * weights[1];
            next[x][y][c + 1] += w * weights[2];
            next[x][y][c] += w * weights[3];
          }
        }
      }
      counts = next;
    }
    double sum = 0;
    for (int i = 0; i < letters * letters * letters; i++) {
      for (int j = 0; j < letters * letters * letters; j++) {
        int[] a = {i / (letters * letters), i / letters % letters, i % letters};
        int[] b = {j / (letters * letters), j / letters % letters, j % letters};
        double weight = counts[a[0]][a[1]][a[2]] * counts[b[0]][b[1]][b[2]];
        double p = (e * a[0] + a[1] + a[2]) * (e * b[0] + b[1] + b[2]);
        double q = (a[0] + e * a[1] + a[2]) * (b[0] + e * b[1] + b[2]);
        sum += weight * Math.max(0, p - odds * q) / n / n;
      }
    }
    return sum;
  }

  @Tag("thorough")
  @Test
  void moreWindowsCostMore() {
    AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(1, 2), 500, 1);
    double last = 0;
    for (long times : new long[] {1, 2, 5, 10, 100, 1000, 10_000}) {
      double epsilon = epsilon(window, times, 1e-6);
      assertThat(epsilon).as("%d windows", times).isBetween(last, times * 1.0);
      last = epsilon;
    }
  }

  /** k reports of one person hide among a k-th of the reports each. */
  @Tag("thorough")
  @Test
  void severalTokensCostMoreThanAsManyWindows() {
    ChoiceLoss law = new ChoiceLoss(2, 197.0 / 59);
    AnonymousWindow share = new AnonymousWindow(law, AnonymousWindow.counted(28_155, 1, 4), 1);
    assertThat(epsilon(share, 4, 1e-6)).isBetween(0.25366, 0.25368);
    assertThat(epsilon(new AnonymousWindow(law, 28_155, 1), 4, 1e-6)).isBetween(0.12, 0.122);
  }

  @Tag("ci")
  @Test
  void extremesAreFinite() {
    for (double level : new double[] {1e-6, 8, 16, 100}) {
      for (long n : new long[] {1, 10, 3000}) {
        for (long times : new long[] {1, 3, 2000}) {
          AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(level, 50), n, 1);
          assertThat(epsilon(window, times, 1e-10))
              .as("%s, %d times", window, times)
              .isBetween(0.0, level * times);
        }
      }
    }
  }

  @Test
  void invalidArgumentsAreReported() {
    AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(1, 2), 5, 1);
    assertRefused(
        () -> WindowComposition.of(Map.of()),
        "there are 0 windows; there must be from 1 to 100000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WindowComposition.of(Map.of(window, 100_001L)));
    assertThatIllegalArgumentException().isThrownBy(() -> WindowComposition.of(Map.of(window, 0L)));
    assertThatIllegalArgumentException().isThrownBy(() -> epsilon(window, 1, 1e-11));
  }
}
