package io.croupier.accounting.tree;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;
import java.time.Duration;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static Schedule oneTree(long steps, long maxParticipations, long minSeparation) {
    return Schedule.ofOneTree(steps, new ParticipationLimits(maxParticipations, minSeparation));
  }

  @Test
  void minimumSeparationIsThatOfTheReference() {
    for (JsonNode c : Golden.cases("zeta_min_separation", 24)) {
      Schedule schedule =
          oneTree(
              c.get("steps").asLong(), c.get("max_participation").asLong(), c.get("xi").asLong());
      assertThat(schedule.zeta()).as("%s", schedule).isEqualTo(c.get("zeta_dp").asLong());
      assertThat(schedule.zetaBound())
          .as("%s", schedule)
          .isEqualTo(c.get("zeta_algorithm3").asLong());
      assertThat(schedule.limits().most(schedule.steps()))
          .as("%s", schedule)
          .isEqualTo(c.get("effective_participation").asLong());
    }
  }

  @Test
  void oneParticipationIsThatOfTheReference() {
    for (JsonNode c : Golden.cases("zeta_single", 22)) {
      long n = c.get("n").asLong();
      Schedule once = Schedule.ofOneTree(n, ParticipationLimits.ONCE);
      assertThat(once.zeta()).as("n %d", n).isEqualTo(c.get("zeta").asLong());
      assertThat(once.zetaBound()).as("n %d", n).isEqualTo(c.get("zeta").asLong());
      long completed = Long.highestOneBit(2 * n - 1);
      assertThat(Schedule.ofOneTree(completed, ParticipationLimits.ONCE).zeta())
          .as("n %d", n)
          .isEqualTo(c.get("zeta_completed").asLong());
    }
  }

  @Test
  void isThePapersRecursionForAllSmallTrees() {
    int compared = 0;
    for (int xi = 0; xi <= 17; xi++) {
      ExhaustivePlacements.StatedRecursion stated = new ExhaustivePlacements.StatedRecursion(xi);
      for (int steps = 1; steps <= 34; steps++) {
        for (int e = 1; e <= (steps + xi) / (xi + 1); e++) {
          Schedule schedule = oneTree(steps, e, xi);
          assertThat(schedule.zeta()).as("%s", schedule).isEqualTo(stated.largest(e, steps));
          compared++;
        }
      }
    }
    assertThat(compared).isGreaterThan(2000);
  }

  @Test
  void isTheBestOfAllPlacementsWithRestartsAndCompletion() {
    for (int steps = 1; steps <= 11; steps++) {
      for (int every = 0; every <= steps; every++) {
        for (Completion completion : Completion.values()) {
          if (every == Schedule.NEVER && completion == Completion.BEFORE_RESTART) {
            continue;
          }
          for (int xi = 0; xi < steps; xi++) {
            for (int e = 1; e <= (steps + xi) / (xi + 1); e++) {
              Schedule schedule =
                  new Schedule(steps, new ParticipationLimits(e, xi), every, completion);
              long best = ExhaustivePlacements.largestZeta(schedule);
              assertThat(schedule.zeta()).as("%s", schedule).isEqualTo(best);
              assertThat(schedule.zetaBound()).as("%s", schedule).isGreaterThanOrEqualTo(best);
            }
          }
        }
      }
    }
  }

  @Test
  void isThePapersRecursionForSomeLargerTrees() {
    SplittableRandom random = new SplittableRandom(17);
    for (int i = 0; i < 60; i++) {
      int xi = random.nextInt(1, 20);
      int steps = random.nextInt(40, 180);
      int e = random.nextInt(2, 13);
      Schedule schedule = oneTree(steps, e, xi);
      int room = (int) schedule.limits().most(steps);
      assertThat(schedule.zeta())
          .as("%s", schedule)
          .isEqualTo(new ExhaustivePlacements.StatedRecursion(xi).largest(room, steps));
    }
  }

  @Test
  void countsWhatTheBaseCasesInTheStatedOrderOvercount() {
    assertThat(oneTree(55, 8, 6).zeta()).isEqualTo(77);
  }

  @Test
  void isFastForAHundredThousandStepsAndAHundredParticipations() {
    assertTimeout(
        Duration.ofSeconds(5),
        () -> {
          for (long xi : new long[] {0, 1, 98, 99, 254, 341, 510, 998, 1022}) {
            Schedule schedule = oneTree(100_000, 100, xi);
            assertThat(schedule.zeta())
                .isBetween(schedule.zetaBound() * 9 / 10, schedule.zetaBound());
          }
        });
  }

  @Test
  void restartsLimitHowOftenOneUserIsInOneTree() {
    ParticipationLimits limits = new ParticipationLimits(5, 341);
    // Five trees of 342 steps, the last one shorter; [KMSTTX21, Table 5] charges it as a full one.
    assertThat(new Schedule(1600, limits, 342, Completion.NONE).zeta()).isEqualTo(44);
    assertThat(new Schedule(1710, limits, 342, Completion.NONE).zeta()).isEqualTo(45);
    assertThat(new Schedule(1710, limits, 342, Completion.BEFORE_RESTART).zeta()).isEqualTo(49);
    assertThat(new Schedule(1710, limits, 342, Completion.EVERY_TREE).zeta()).isEqualTo(50);
  }

  @Test
  void manyTreesCostNoMoreTimeThanFew() {
    Schedule schedule =
        new Schedule(
            Schedule.MAX_STEPS, new ParticipationLimits(50, 999), 1000, Completion.BEFORE_RESTART);
    assertThat(schedule.trees()).isEqualTo(1_073_742);
    // Trees of 1000 steps, 1000 steps apart: one contribution each, before the last.
    assertThat(schedule.zeta()).isEqualTo(50 * 11);
  }

  @Test
  void doesNotOverflow() {
    Schedule all = oneTree(Schedule.MAX_STEPS, Long.MAX_VALUE, 0);
    assertThat(all.zetaBound()).isEqualTo((1L << 30) * ((1L << 31) - 1));
    assertThat(oneTree(Schedule.MAX_STEPS, Long.MAX_VALUE, Long.MAX_VALUE).zeta()).isEqualTo(31);
  }

  @Test
  void refusesUnsupportedSchedulesAndStatesTheRule() {
    assertRefused(() -> oneTree(0, 1, 0), "steps is 0; it must be between 1 and 1073741824");
    assertRefused(() -> oneTree(5, 0, 0), "maxParticipations is 0; it must be at least 1");
    assertRefused(() -> oneTree(5, 1, -1), "minSeparation is -1; it must be at least 0");
    assertRefused(
        () -> new Schedule(5, ParticipationLimits.ONCE, -2, Completion.NONE),
        "restartEvery is -2; it must be at least 1, or 0 for never");
    assertRefusedWith(
        () -> new Schedule(5, ParticipationLimits.ONCE, 0, Completion.BEFORE_RESTART),
        "completion must be NONE or EVERY_TREE");
    assertRefused(
        () -> oneTree(100_000, 50_000, 1).zeta(),
        "maxParticipations is 50000, of which 50000 fit into 100000 steps; an exact"
            + " answer supports at most 16384");
  }

  @Tag("ci")
  @Test
  void quickZetaIsABoundThatNeverDecreases() {
    Random random = new Random(17);
    for (int run = 0; run < 60; run++) {
      ParticipationLimits limits =
          new ParticipationLimits(1 + random.nextInt(90), random.nextInt(4));
      long restartEvery = random.nextInt(3) == 0 ? Schedule.NEVER : 1 + random.nextInt(70);
      Completion completion =
          restartEvery != Schedule.NEVER && random.nextBoolean()
              ? Completion.BEFORE_RESTART
              : Completion.NONE;
      long before = 0;
      for (long steps = 1; steps < 200; steps += 1 + random.nextInt(3)) {
        Schedule schedule = new Schedule(steps, limits, restartEvery, completion);
        long quick = schedule.quickZeta();
        assertThat(quick).as("%s", schedule).isBetween(schedule.zeta(), schedule.zetaBound());
        assertThat(quick).as("%s", schedule).isGreaterThanOrEqualTo(before);
        if (limits.most(steps) <= Schedule.MAX_QUICK_PARTICIPATIONS) {
          assertThat(quick).isEqualTo(schedule.zeta());
        }
        before = quick;
      }
    }
  }
}
