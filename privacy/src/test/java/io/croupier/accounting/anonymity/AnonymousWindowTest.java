package io.croupier.accounting.anonymity;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.ChoiceLoss;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AnonymousWindowTest {
  private static final double EPSILON_ERROR = 1e-9;

  /** Of the golden deltas 1e-8, and of our rounding up. */
  private static final double DELTA_ERROR = 2e-8;

  /** Windows of more reports take most of the time. */
  private static final int FEW = 10_000;

  private static List<JsonNode> choices(boolean areFew, int count) {
    List<JsonNode> choices = new ArrayList<>();
    for (JsonNode node : AnonymityGolden.cases("cases", 69)) {
      if (node.get("n").asInt() <= FEW == areFew) {
        choices.add(node);
      }
    }
    assertThat(choices).hasSize(count);
    return choices;
  }

  static AnonymousWindow window(JsonNode node) {
    return window(node, 1);
  }

  private static AnonymousWindow window(JsonNode node, double availability) {
    int candidates = node.get("N").asInt();
    return window(
        node.get("n").asLong(), candidates, node.get("K").asInt(), level(node), availability);
  }

  private static double level(JsonNode node) {
    return node.get("epsilon0").asDouble();
  }

  static AnonymousWindow window(
      long reports, int candidates, int top, double epsilon, double availability) {
    ChoiceLoss law = new ChoiceLoss(epsilon, (double) (candidates - top) / top);
    return new AnonymousWindow(law, reports, availability);
  }

  private static void assertDelta(JsonNode golden, double delta, String what) {
    double exact = golden.asDouble();
    assertThat(delta)
        .as(what)
        .isBetween(exact * (1 - 1e-8) - 1e-20, exact * (1 + DELTA_ERROR) + 1e-18);
  }

  @Tag("ci")
  @Test
  void choicesOfCandidates() {
    assertEpsilons(choices(true, 44));
    assertDeltas(choices(true, 44));
    assertDeltas(choices(false, 25));
  }

  @Tag("thorough")
  @Test
  void epsilonsOfWindowsOfManyReports() {
    assertEpsilons(choices(false, 25));
  }

  private static void assertEpsilons(List<JsonNode> cases) {
    for (JsonNode node : cases) {
      AnonymousWindow window = window(node);
      String what = node.toString();
      assertThat(window.epsilon(1e-6))
          .as(what)
          .isCloseTo(node.get("epsilon_at_delta_1e-6").asDouble(), within(EPSILON_ERROR));
      assertThat(window.epsilon(1e-8))
          .as(what)
          .isCloseTo(node.get("epsilon_at_delta_1e-8").asDouble(), within(EPSILON_ERROR));
    }
  }

  /** In one computation: two golden deltas, and those on both sides of the golden epsilons. */
  private static void assertDeltas(List<JsonNode> cases) {
    for (JsonNode node : cases) {
      String what = node.toString();
      double large = node.get("epsilon_at_delta_1e-6").asDouble();
      double small = node.get("epsilon_at_delta_1e-8").asDouble();
      double[] epsilons = {
        0.1,
        0.5,
        large + EPSILON_ERROR,
        small + EPSILON_ERROR,
        Math.max(0, large - EPSILON_ERROR),
        Math.max(0, small - EPSILON_ERROR)
      };
      double[] deltas = window(node).deltas(epsilons, 1);
      assertDelta(node.get("delta_at_epsilon_0.1"), deltas[0], what);
      assertDelta(node.get("delta_at_epsilon_0.5"), deltas[1], what);
      assertThat(deltas[2]).as(what).isLessThanOrEqualTo(1e-6);
      assertThat(deltas[3]).as(what).isLessThanOrEqualTo(1e-8);
      if (large > 0) {
        assertThat(deltas[4]).as(what).isGreaterThan(1e-6);
      }
      if (small > 0) {
        assertThat(deltas[5]).as(what).isGreaterThan(1e-8);
      }
    }
  }

  @Tag("ci")
  @Test
  void coarseBoundsAreAboveTheExactOnesAndNear() {
    assertCoarse(choices(true, 44));
  }

  @Tag("thorough")
  @Test
  void coarseBoundsOfManyReportsAreAboveTheExactOnesAndNear() {
    assertCoarse(choices(false, 25));
  }

  private static void assertCoarse(List<JsonNode> cases) {
    for (JsonNode node : cases) {
      AnonymousWindow window = window(node);
      double exact = node.get("epsilon_at_delta_1e-6").asDouble();
      assertThat(window.coarseEpsilon(1e-6))
          .as(node.toString())
          .isGreaterThanOrEqualTo(exact - EPSILON_ERROR)
          .isLessThanOrEqualTo(Math.min(level(node), exact * 1.001 + EPSILON_ERROR));
    }
  }

  /** The golden values name the candidates and the top that devices choose. */
  @Test
  void defaultCandidatesOfPrivUnit() {
    PrivUnitLaws laws = new PrivUnitLaws();
    int checked = 0;
    for (JsonNode node : AnonymityGolden.cases("cases", 69)) {
      if (node.get("mechanism").asText().equals("priv_unit")) {
        double epsilon = level(node);
        int candidates = PrivUnitLaw.defaultCandidates(epsilon);
        PrivUnitLaw law = laws.best(node.get("d").asInt(), epsilon, candidates);
        assertThat(law.candidates()).as("%s", node).isEqualTo(node.get("N").asInt());
        assertThat(law.top()).as("%s", node).isEqualTo(node.get("K").asInt());
        checked++;
      }
    }
    assertThat(checked).isEqualTo(40);
  }

  /** An attack of which the exact epsilon is known attains less, and nearly as much. */
  @Test
  void isAboveWhatAnAttackAttains() {
    int checked = 0;
    for (JsonNode node : AnonymityGolden.cases("cases", 69)) {
      JsonNode attained = node.get("achieved_epsilon_at_delta_1e-6");
      if (attained != null && level(node) <= 4 && window(node).reports() <= 1000) {
        double bound = window(node).epsilon(1e-6);
        assertThat(attained.asDouble()).as("%s", node).isBetween(0.75 * bound, bound * 1.00001);
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(10);
  }

  @Tag("ci")
  @Test
  void anyPureMechanism() {
    for (JsonNode node : AnonymityGolden.cases("any_pure_mechanism", 10)) {
      long reports = node.get("n").asLong();
      double golden = node.get("epsilon_at_delta_1e-6").asDouble();
      for (PureLoss loss :
          List.of(PureLoss.ofEpsilon(level(node)), PureLoss.ofRadial(level(node), 20))) {
        assertThat(AnonymousWindow.of(loss, reports, 1).epsilon(1e-6))
            .as("%s", node)
            .isCloseTo(golden, within(EPSILON_ERROR));
      }
    }
  }

  @Test
  void availability() {
    for (JsonNode node : AnonymityGolden.cases("availability", 4)) {
      AnonymousWindow window = window(node, node.get("availability").asDouble());
      assertThat(window.delta(node.get("epsilon").asDouble()))
          .as("%s", node)
          .isCloseTo(node.get("delta").asDouble(), within(1e-9));
    }
  }

  /** The bound is the mixture over how many others are available; n times lambda is no bound. */
  @Test
  void availabilityIsAMixture() {
    double lambda = 0.3;
    int n = 12;
    double mixture = 0;
    double weight = Math.pow(1 - lambda, n - 1.0);
    for (int j = 0; j < n; j++) {
      mixture += weight * window(j + 1, 8, 2, 1.5, 1).delta(0.4);
      weight *= (n - 1.0 - j) / (j + 1) * lambda / (1 - lambda);
    }
    assertThat(window(n, 8, 2, 1.5, lambda).delta(0.4)).isCloseTo(mixture, within(1e-8));
    assertThat(window(1000, 2, 1, 2, 0.05).delta(0.7))
        .isGreaterThan(1.01 * window(50, 2, 1, 2, 1).delta(0.7));
  }

  /** The general bound [FMT21, numerical], and its closed form [FMT21, theorem 3.1]. */
  @Test
  void isBelowTheGeneralBound() {
    for (JsonNode node : AnonymityGolden.cases("fmt_2021_for_comparison", 20)) {
      double epsilon = level(node);
      long reports = node.get("n").asLong();
      double bound = AnonymousWindow.of(PureLoss.ofEpsilon(epsilon), reports, 1).epsilon(1e-6);
      assertThat(bound)
          .as("%s", node)
          .isLessThan(node.get("epsilon_at_delta_1e-6").asDouble() + 1e-6);
      if (epsilon <= Math.log(reports / (16 * Math.log(2 / 1e-6)))) {
        double e = Math.exp(epsilon);
        double closed =
            (e - 1)
                / (e + 1)
                * (8 * Math.sqrt(e * Math.log(4 / 1e-6)) / Math.sqrt((double) reports)
                    + 8 * e / reports);
        assertThat(bound).as("%s", node).isLessThan(Math.log1p(closed));
      }
    }
  }

  /** The sum over all numbers of letters, with multinomial probabilities. */
  @Test
  void equalsTheSumOverAllCounts() {
    int compared = 0;
    for (int n : new int[] {1, 2, 3, 5, 8, 13, 30}) {
      for (double[] law : new double[][] {{1, 1}, {2, 1}, {2, 3.57}, {0.3, 5}, {4, 13.2}}) {
        for (double epsilon : new double[] {0, 0.1, 0.5, 0.9 * law[0]}) {
          AnonymousWindow window = new AnonymousWindow(new ChoiceLoss(law[0], law[1]), n, 1);
          double sum = sumOverCounts(n, law[0], law[1], Math.min(epsilon, law[0]));
          assertThat(window.delta(Math.min(epsilon, law[0])))
              .as("%s, epsilon %s", window, epsilon)
              .isCloseTo(sum, within(1e-12 + 2e-9 * sum));
          compared++;
        }
      }
    }
    assertThat(compared).isEqualTo(140);
  }

  private static double sumOverCounts(int n, double level, double others, double epsilon) {
    double e = Math.exp(level);
    double odds = Math.exp(epsilon);
    double p = 1 / (e + others);
    double c = (others - 1) / (e + others);
    double none = (e - 1) / (e + others);
    double[] logs = new double[n + 1];
    for (int k = 1; k <= n; k++) {
      logs[k] = logs[k - 1] + Math.log(k);
    }
    double sum = 0;
    for (int x = 0; x <= n; x++) {
      for (int y = 0; x + y <= n; y++) {
        for (int z = 0; x + y + z <= n; z++) {
          int rest = n - x - y - z;
          double value = (e - odds) * x + (1 - odds * e) * y + (1 - odds) * z;
          if (value > 0 && (c > 0 || z == 0)) {
            double log = logs[n] - logs[x] - logs[y] - logs[z] - logs[rest];
            log += (x + y) * Math.log(p) + (z > 0 ? z * Math.log(c) : 0) + rest * Math.log(none);
            sum += Math.exp(log) * value / n;
          }
        }
      }
    }
    return sum;
  }

  @Test
  void countsAloneAreNoBound() {
    AnonymousWindow window = window(2, 3, 1, Math.log(3), 1);
    assertThat(window.delta(Math.log(2.75))).isBetween(0.03 * (1 - 1e-12), 0.03 * (1 + 1e-8));
    assertThat(AnonymityGolden.VALUES.get("not_a_bound").get("comment").asText())
        .contains("exact 0.03");
  }

  @Test
  void growsAndFallsWithItsParameters() {
    double margin = 1 + 1e-8;
    List<AnonymousWindow> falling = new ArrayList<>();
    for (long n : new long[] {1, 2, 3, 10, 50, 51, 300, 2000, 10_000}) {
      falling.add(window(n, 256, 56, 2, 1));
    }
    List<AnonymousWindow> levels = new ArrayList<>();
    List<AnonymousWindow> tops = new ArrayList<>();
    List<AnonymousWindow> available = new ArrayList<>();
    for (int i = 1; i <= 12; i++) {
      levels.add(window(300, 256, 56, 4.0 / i, 1));
      tops.add(window(300, 256, 128 / i, 2, 1));
      available.add(window(300, 256, 56, 2, i / 12.0));
    }
    for (List<AnonymousWindow> windows : List.of(falling, levels, tops, available)) {
      for (double epsilon = 0; epsilon < 2; epsilon += 0.11) {
        double last = 1;
        for (AnonymousWindow window : windows) {
          double delta = window.delta(epsilon);
          assertThat(delta).as("%s at %s", window, epsilon).isLessThanOrEqualTo(last * margin);
          assertThat(window.delta(epsilon + 0.01)).isLessThanOrEqualTo(delta * margin);
          last = delta;
        }
      }
    }
  }

  @Test
  void isNeverAboveTheReportByItself() {
    for (double level : new double[] {0.01, 1, 4, 12, 16, 40, 1000, Double.MAX_VALUE}) {
      for (long n : new long[] {1, 2, 100, 3000}) {
        AnonymousWindow window = AnonymousWindow.of(PureLoss.ofEpsilon(level), n, 0.5);
        assertThat(window.delta(level)).isZero();
        assertThat(window.delta(0)).as("%s", window).isBetween(0.0, 1.0);
        assertThat(window.epsilon(1e-6)).as("%s", window).isBetween(0.0, level);
      }
    }
  }

  @Test
  void moreReportsThanAMillionCountAsThatMany() {
    AnonymousWindow most = AnonymousWindow.of(PureLoss.ofEpsilon(12), Long.MAX_VALUE, 1);
    AnonymousWindow million = AnonymousWindow.of(PureLoss.ofEpsilon(12), 1_000_000, 1);
    assertThat(most.delta(0.5)).isEqualTo(million.delta(0.5)).isPositive();
  }

  @Test
  void coarseDeltasAreRoundedUp() {
    double[] epsilons = {0, 0.003, 0.01, 0.05};
    for (long n : new long[] {1000, 30_000, 100_000}) {
      AnonymousWindow window = window(n, 256, 56, 2, 1);
      double[] coarse = window.coarseDeltas(epsilons);
      for (int i = 0; i < epsilons.length; i++) {
        double exact = window.delta(epsilons[i]);
        assertThat(coarse[i])
            .as("%s at %s", window, epsilons[i])
            .isBetween(exact * (1 - 1e-12), exact * (1 + 1e-4) + 1e-20);
      }
    }
  }

  @Test
  void whoCounts() {
    assertThat(AnonymousWindow.counted(28_155, 0.9, 1)).isEqualTo(25_339);
    assertThat(AnonymousWindow.counted(28_155, 1, 4)).isEqualTo(7038);
    assertThat(AnonymousWindow.counted(10, 0.7, 1)).isEqualTo(7);
    assertThat(AnonymousWindow.counted(100, 0.29, 1)).isEqualTo(29);
    assertThat(AnonymousWindow.counted(3, 0.5, 2)).isZero();
    assertThat(AnonymousWindow.counted(Long.MAX_VALUE, 1, 1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void invalidArgumentsAreReported() {
    ChoiceLoss law = new ChoiceLoss(1, 1);
    assertRefused(() -> new AnonymousWindow(law, 0, 1), "reports is 0; it must be at least 1");
    assertRefused(
        () -> new AnonymousWindow(law, 1, 0),
        "availability is 0.0; it must be above 0 and at most 1");
    AnonymousWindow window = new AnonymousWindow(law, 1, 1);
    assertThatIllegalArgumentException().isThrownBy(() -> window.delta(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> window.epsilon(0));
    assertRefused(
        () -> AnonymousWindow.counted(1, Double.NaN, 1),
        "honest is NaN; it must be above 0 and at most 1");
    assertThatIllegalArgumentException().isThrownBy(() -> AnonymousWindow.counted(1, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> AnonymousWindow.counted(-1, 1, 1));
  }
}
