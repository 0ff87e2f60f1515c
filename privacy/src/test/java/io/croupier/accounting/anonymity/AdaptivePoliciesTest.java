package io.croupier.accounting.anonymity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No adaptive policy of all people has a delta above the bound. */
class AdaptivePoliciesTest {

  private static double bound(int people, int candidates, int top, double level, double epsilon) {
    return AnonymousWindowTest.window(people, candidates, top, level, 1).delta(epsilon);
  }

  @Test
  void exactMaximaAreKnown() {
    for (JsonNode node : AnonymityGolden.cases("exact_maximum_over_all_adaptive_policies", 13)) {
      int people = node.get("n").asInt();
      int candidates = node.get("N").asInt();
      int top = node.get("K").asInt();
      double level = node.get("epsilon0").asDouble();
      double epsilon = node.get("epsilon").asDouble();
      double exact = new AdaptivePolicies(people, candidates, top, level, epsilon).largest();
      double bound = bound(people, candidates, top, level, epsilon);
      assertThat(exact)
          .as("%s", node)
          .isCloseTo(node.get("exact").asDouble(), within(1e-11))
          .isLessThanOrEqualTo(bound);
      assertThat(bound).as("%s", node).isCloseTo(node.get("bound").asDouble(), within(2e-9));
    }
  }

  @Tag("ci")
  @Test
  void noPolicyOfUpToFivePeopleIsAboveTheBound() {
    for (int people = 2; people <= 5; people++) {
      for (double level : new double[] {0.5, 2}) {
        for (double share : new double[] {0, 0.3, 0.8}) {
          assertBelow(people, 2, 1, level, share * level);
          if (people <= 4) {
            assertBelow(people, 3, 1, level, share * level);
          }
          if (people <= 3) {
            assertBelow(people, 4, 2, level, share * level);
          }
        }
      }
    }
  }

  private static void assertBelow(
      int people, int candidates, int top, double level, double epsilon) {
    double exact = new AdaptivePolicies(people, candidates, top, level, epsilon).largest();
    assertThat(exact)
        .as("%d people, %d of %d at %s: delta at %s", people, top, candidates, level, epsilon)
        .isPositive()
        .isBetween(
            0.7 * bound(people, candidates, top, level, epsilon),
            bound(people, candidates, top, level, epsilon));
  }
}
