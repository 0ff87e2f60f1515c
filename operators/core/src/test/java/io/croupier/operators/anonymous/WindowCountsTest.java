package io.croupier.operators.anonymous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.WindowGuarantee;
import io.croupier.schemas.WindowGuarantee.Bound;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a window's reports guarantee once no report of it enters the model any more. */
class WindowCountsTest {
  private static final ModelSpec SPEC =
      spec(
          "publications: 10 honest: 0.9 levels { priv_unit { epsilon: 2 } }"
              + " levels { priv_unit { epsilon: 4 } }");

  /** Rounds before this one are too old. */
  private long oldest;

  private WindowCounts counts = new WindowCounts(null);

  private static ModelSpec spec(String anonymous) {
    ModelSpec spec =
        Specs.of(
            8,
            1,
            "max_staleness: 3 black_box {} questions { name: 'q' accuracy {} } anonymous { %s }"
                .formatted(anonymous));
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    return spec;
  }

  private void count(ModelSpec spec, long round, int level, int reports) {
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = round;
    sum.count = reports;
    sum.anonymousLevel = level + 1;
    counts.count(sum, spec, other -> other < oldest);
    counts = new WindowCounts(counts.bytes());
  }

  private List<WindowGuarantee> close(ModelSpec spec) {
    return counts.close(spec, round -> round < oldest).stream()
        .map(GuaranteeEvent::getAnonymous)
        .toList();
  }

  /** The reference is the golden value of 28,155 reports of priv_unit with 59 of 256. */
  @Test
  void usageExample() {
    ModelSpec spec = spec("publications: 10 levels { priv_unit { epsilon: 2 } }");
    count(spec, 0, 0, 28_000);
    count(spec, 9, 0, 155);
    oldest = 9;
    assertThat(close(spec)).isEmpty();
    oldest = 10;
    List<GuaranteeEvent> events = counts.close(spec, round -> round < oldest);
    assertThat(events).hasSize(1);
    assertThat(close(spec)).isEmpty();
    assertThat(counts.isEmpty()).isTrue();
    assertThat(events.get(0).getModelId()).isEqualTo("m");
    assertThat(events.get(0).getDelta()).isEqualTo(1e-6);
    WindowGuarantee guarantee = events.get(0).getAnonymous();
    double exact = 0.0575085882;
    assertThat(guarantee.getEpsilon()).isBetween(exact, exact * 1.001);
    assertThat(guarantee.toBuilder().clearEpsilon().build())
        .isEqualTo(
            WindowGuarantee.newBuilder()
                .setWindow(0)
                .setFirstRound(0)
                .setLastRound(9)
                .setReports(28_155)
                .setHonest(1)
                .setAvailability(1)
                .setCounted(28_155)
                .setLocalEpsilon(2)
                .setBound(Bound.CHOICES)
                .setPrivUnit(guarantee.getPrivUnit())
                .build());
    assertThat(guarantee.getPrivUnit().getCandidates()).isEqualTo(256);
    assertThat(guarantee.getPrivUnit().getTop()).isEqualTo(59);
    assertThat(guarantee.getPrivUnit().getEpsilon()).isEqualTo(2);
  }

  @Test
  void levelsAndWindowsCountByThemselves() {
    count(SPEC, 3, 0, 700);
    count(SPEC, 4, 1, 90);
    count(SPEC, 5, 0, 301);
    count(SPEC, 12, 0, 50);
    oldest = 10;
    List<WindowGuarantee> closed = close(SPEC);
    assertThat(closed)
        .extracting(
            WindowGuarantee::getLocalEpsilon,
            WindowGuarantee::getReports,
            WindowGuarantee::getCounted)
        .containsExactly(tuple(2.0, 1001L, 900L), tuple(4.0, 90L, 81L));
    for (int level = 0; level < 2; level++) {
      Mechanism mechanism = AnonymousWindows.levels(SPEC).get(level);
      WindowGuarantee guarantee = closed.get(level);
      double exact =
          AnonymousWindow.of(mechanism.cost().loss(), guarantee.getCounted(), 1).epsilon(1e-6);
      assertThat(guarantee.getEpsilon()).isBetween(exact, exact * 1.001);
    }
    oldest = 20;
    assertThat(close(SPEC)).extracting(WindowGuarantee::getReports).containsExactly(50L);
  }

  /** People who may be away hide less: 0.110 and 0.287 instead of 0.0575. */
  @Test
  void theAvailabilityCounts() {
    for (double availability : List.of(0.3, 0.05)) {
      ModelSpec spec =
          spec(
              "publications: 10 levels { priv_unit { epsilon: 2 } } availability: " + availability);
      oldest = 0;
      count(spec, 0, 0, 28_155);
      oldest = 10;
      WindowGuarantee guarantee = close(spec).get(0);
      assertThat(guarantee.getAvailability()).isEqualTo(availability);
      assertThat(guarantee.getCounted()).isEqualTo(28_155);
      assertThat(guarantee.getEpsilon())
          .isCloseTo(availability == 0.3 ? 0.110 : 0.287, within(5e-4));
    }
  }

  @Test
  void answersAreRandomisedResponse() {
    ModelSpec spec =
        spec("publications: 10 delta: 1e-6 levels { randomised_response { epsilon: 2 } }");
    count(spec, 0, 0, 1000);
    oldest = 10;
    WindowGuarantee guarantee = close(spec).get(0);
    assertThat(guarantee.getRandomisedResponse().getEpsilon()).isEqualTo(2);
    assertThat(guarantee.getEpsilon()).isCloseTo(0.397087059, within(4e-4));
  }

  /** A report alone has no other to hide among, and little honesty leaves one. */
  @Test
  void fewReportsPromiseTheLocalEpsilon() {
    count(SPEC, 0, 0, 1);
    count(SPEC, 10, 0, 2);
    oldest = 20;
    assertThat(close(SPEC))
        .allSatisfy(
            guarantee -> {
              assertThat(guarantee.getEpsilon()).isEqualTo(2);
              assertThat(guarantee.getBound()).isEqualTo(Bound.LOCAL);
              assertThat(guarantee.getCounted()).isLessThan(2);
            });
  }

  /** At a high level, few reports don't lower the bound by more than its rounding. */
  @Test
  void aBoundThatIsNoBetterIsTheLocalOne() {
    ModelSpec spec = spec("publications: 10 delta: 1e-9 levels { priv_unit { epsilon: 16 } }");
    count(spec, 0, 0, 3);
    oldest = 10;
    WindowGuarantee guarantee = close(spec).get(0);
    assertThat(guarantee.getEpsilon()).isEqualTo(16);
    assertThat(guarantee.getBound()).isEqualTo(Bound.LOCAL);
  }

  @Test
  void aLateReportDoesNotCount() {
    count(SPEC, 3, 0, 5);
    oldest = 10;
    count(SPEC, 4, 0, 7);
    assertThat(close(SPEC)).extracting(WindowGuarantee::getReports).containsExactly(5L);
    count(SPEC, 4, 0, 7);
    assertThat(close(SPEC)).isEmpty();
  }

  @Test
  void reportsBeyondTheMostOnesLowerNothing() {
    ModelSpec spec = spec("publications: 10 levels { priv_unit { epsilon: 6 } }");
    count(spec, 0, 0, 100_000);
    count(spec, 10, 0, 300_000);
    oldest = 20;
    List<WindowGuarantee> closed = close(spec);
    assertThat(closed.get(1).getCounted()).isEqualTo(300_000);
    assertThat(closed.get(1).getEpsilon()).isEqualTo(closed.get(0).getEpsilon()).isLessThan(1);
  }

  /** It may return with windows of another length under the same numbers. */
  @Test
  void aRetiredModelClaimsNothingOfTheWindowsWithTokens() {
    count(SPEC, 23, 0, 500);
    counts.retire(SPEC, 24);
    ModelSpec next = spec("publications: 5 levels { priv_unit { epsilon: 2 } }");
    count(next, 13, 0, 600);
    count(next, 15, 0, 700);
    count(next, 20, 0, 800);
    oldest = 25;
    List<WindowGuarantee> closed = close(next);
    assertThat(closed)
        .extracting(
            WindowGuarantee::getWindow,
            WindowGuarantee::getReports,
            WindowGuarantee::getInterrupted)
        .containsExactly(tuple(2L, 1100L, true), tuple(3L, 700L, true), tuple(4L, 800L, false));
    for (WindowGuarantee interrupted : closed.subList(0, 2)) {
      assertThat(interrupted.getEpsilon()).isEqualTo(2);
      assertThat(interrupted.getCounted()).isOne();
      assertThat(interrupted.getBound()).isEqualTo(Bound.LOCAL);
    }
    assertThat(closed.get(2).getEpsilon()).isLessThan(1);
  }

  @Test
  void aModelThatReturnsWithoutWindowsClosesNone() {
    count(SPEC, 3, 0, 5);
    counts.retire(SPEC, 4);
    oldest = 100;
    assertThat(close(ModelSpec.newBuilder().setModelId("m").build())).isEmpty();
    assertThat(counts.isEmpty()).isFalse();
  }

  @Test
  void aWindowAtTheEndOfAllNumbers() {
    count(SPEC, Long.MAX_VALUE, 0, 1);
    oldest = Long.MAX_VALUE;
    assertThat(close(SPEC)).isEmpty();
  }
}
