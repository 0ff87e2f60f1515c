package io.croupier.accounting.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GivenOrderTest {
  private static UserZetas zetas(Completion completion, long... userOfStep) {
    GivenOrder order = new GivenOrder(Schedule.NEVER, completion);
    for (long user : userOfStep) {
      order.step(user);
    }
    return order.zetas();
  }

  @Test
  void usageExample() {
    UserZetas zetas = zetas(Completion.NONE, 1, 2, 3, 1, 4);
    // [KMSTTX21, D.2.1]: sqrt(8) for the first, sqrt(3) for the next two, 1 for the last.
    assertThat(zetas.largest()).isEqualTo(8);
    assertThat(zetas.of(1)).isEqualTo(8);
    assertThat(zetas.of(2)).isEqualTo(3);
    assertThat(zetas.of(3)).isEqualTo(3);
    assertThat(zetas.of(4)).isEqualTo(1);
    assertThat(zetas.of(5)).isZero();
  }

  @Test
  void completionCostsWhatThePaperStates() {
    UserZetas zetas = zetas(Completion.EVERY_TREE, 1, 2, 3, 1, 4);
    // [KMSTTX21, D.3.1]: sqrt(12) for the first, 2 for the others.
    assertThat(zetas.of(1)).isEqualTo(12);
    assertThat(zetas.of(2)).isEqualTo(4);
    assertThat(zetas.of(3)).isEqualTo(4);
    assertThat(zetas.of(4)).isEqualTo(4);
    assertThat(zetas.users()).isEqualTo(4);
    assertThat(zetas.user(0)).isEqualTo(1);
  }

  @Test
  void givenOrdersAreThoseOfTheReference() {
    for (JsonNode c : Golden.cases("zeta_given_order", 6)) {
      GivenOrder plain = GivenOrder.ofOneTree();
      GivenOrder completed = new GivenOrder(Schedule.NEVER, Completion.EVERY_TREE);
      for (JsonNode step : c.get("order")) {
        long[] users = new long[step.isArray() ? step.size() : 1];
        for (int i = 0; i < users.length; i++) {
          users[i] = (step.isArray() ? step.get(i) : step).asLong();
        }
        plain.step(users);
        completed.step(users);
      }
      assertThat(plain.zetas().largest()).as("%s", c).isEqualTo(c.get("max").asLong());
      assertThat(completed.zetas().largest())
          .as("%s", c)
          .isEqualTo(c.get("max_completed").asLong());
      assertThat(plain.zetas().users()).as("%s", c).isEqualTo(c.get("ids").size());
      for (int i = 0; i < c.get("ids").size(); i++) {
        long user = c.get("ids").get(i).asLong();
        assertThat(plain.zetas().of(user)).as("%s", c).isEqualTo(c.get("zeta").get(i).asLong());
        assertThat(completed.zetas().of(user))
            .as("%s", c)
            .isEqualTo(c.get("zeta_completed").get(i).asLong());
      }
      assertThat((1L << Segments.ceilLog(plain.steps())) - plain.steps())
          .as("%s", c)
          .isEqualTo(c.get("virtual_leaves").asLong());
    }
  }

  @Test
  void restartsAreThoseOfTheReference() {
    for (JsonNode c : Golden.cases("restarts", 7)) {
      int epoch = c.get("steps_per_epoch").asInt();
      int epochsOfTree = c.get("epochs_per_tree").asInt();
      int trees = c.get("trees").asInt();
      Completion completion =
          c.get("complete_all_but_last").asBoolean() ? Completion.BEFORE_RESTART : Completion.NONE;
      GivenOrder order = new GivenOrder((long) epoch * epochsOfTree, completion);
      GivenOrder oneTree = GivenOrder.ofOneTree();
      GivenOrder oneCompletedTree = new GivenOrder(Schedule.NEVER, Completion.EVERY_TREE);
      for (int t = 0; t < epoch * epochsOfTree * trees; t++) {
        order.step(t % epoch);
        if (t < epoch * epochsOfTree) {
          oneTree.step(t % epoch);
          oneCompletedTree.step(t % epoch);
        }
      }
      assertThat(oneTree.zetas().largest()).as("%s", c).isEqualTo(c.get("zeta_tree").asLong());
      assertThat(oneCompletedTree.zetas().largest())
          .as("%s", c)
          .isEqualTo(c.get("zeta_tree_completed").asLong());
      assertThat(order.zetas().largest()).as("%s", c).isEqualTo(c.get("zeta_total").asLong());
    }
  }

  @Test
  void noOrderWithinTheLimitsCostsMoreThanTheSchedule() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 300; i++) {
      int steps = random.nextInt(1, 90);
      int xi = random.nextInt(0, 12);
      int e = random.nextInt(1, 12);
      int every = random.nextInt(1, 40);
      for (Completion completion : Completion.values()) {
        GivenOrder order = new GivenOrder(every, completion);
        int left = e;
        int next = 0;
        for (int t = 0; t < steps; t++) {
          if (t >= next && left > 0 && random.nextInt(3) > 0) {
            order.step(7);
            next = t + xi + 1;
            left--;
          } else {
            order.step();
          }
        }
        Schedule schedule = new Schedule(steps, new ParticipationLimits(e, xi), every, completion);
        assertThat(order.zetas().of(7)).as("%s", schedule).isLessThanOrEqualTo(schedule.zeta());
      }
    }
  }

  @Test
  void canBeAskedBeforeTheEnd() {
    GivenOrder order = new GivenOrder(2, Completion.BEFORE_RESTART);
    assertThat(order.zetas().largest()).isZero();
    long[] afterEach = {1, 6, 7, 8};
    for (int t = 0; t < afterEach.length; t++) {
      order.step(t < 3 ? 1 : 2);
      assertThat(order.zetas().of(1)).as("after %d", t).isEqualTo(afterEach[t]);
    }
  }

  @Test
  void userWhoOccursTwiceInOneStepCountsTwice() {
    GivenOrder order = GivenOrder.ofOneTree();
    order.step(3, 9, 3);
    assertThat(order.zetas().of(3)).isEqualTo(4);
    assertThat(order.zetas().of(9)).isEqualTo(1);
  }

  @Test
  void streamsAMillionSteps() {
    GivenOrder order = GivenOrder.ofOneTree();
    for (int t = 0; t < 1 << 20; t++) {
      order.step(t % 4096);
    }
    // 256 contributions, 4096 steps apart: one below each node up to there, then 2, 4, ..., 256.
    long zeta = 12 * 256L;
    for (long below = 1; below <= 256; below *= 2) {
      zeta += 256 / below * below * below;
    }
    assertThat(order.zetas().largest()).isEqualTo(zeta);
    assertThat(order.zetas().of(4095)).isEqualTo(zeta);
  }

  @Test
  void refusesWhatTheScheduleRefuses() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GivenOrder(-1, Completion.NONE))
        .withMessageStartingWith("restartEvery is -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GivenOrder(0, Completion.BEFORE_RESTART))
        .withMessageStartingWith("completion is BEFORE_RESTART");
  }
}
