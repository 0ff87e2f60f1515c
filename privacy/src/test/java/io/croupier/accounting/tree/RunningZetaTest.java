package io.croupier.accounting.tree;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RunningZetaTest {
  @Test
  void runningChargesAreThoseOfTheReference() {
    for (JsonNode c : Golden.cases("streaming_zeta", 4)) {
      RunningZeta running = RunningZeta.ofTree(1L << c.get("height").asInt());
      for (int i = 0; i < c.get("positions").size(); i++) {
        long leaf = c.get("positions").get(i).asLong();
        long expected = c.get("zeta_after_each").get(i).asLong();
        assertThat(running.after(leaf)).as("%s", c).isEqualTo(expected);
        assertThat(running.charge(leaf)).as("%s", c).isEqualTo(expected);
        assertThat(running.zeta).as("%s", c).isEqualTo(expected);
      }
    }
  }

  @Test
  void chargesTheZetaOfTheCompletedTree() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 200; i++) {
      int steps = random.nextInt(1, 100);
      RunningZeta running = RunningZeta.ofTree(steps);
      GivenOrder order = new GivenOrder(Schedule.NEVER, Completion.EVERY_TREE);
      GivenOrder released = GivenOrder.ofOneTree();
      for (int leaf = 0; leaf < steps; leaf++) {
        long[] users = random.nextInt(4) == 0 ? new long[] {1} : new long[] {};
        if (users.length > 0) {
          running.charge(leaf);
        }
        order.step(users);
        released.step(users);
        assertThat(running.zeta).isGreaterThanOrEqualTo(released.zetas().of(1));
      }
      assertThat(running.zeta).as("%d steps", steps).isEqualTo(order.zetas().of(1));
    }
  }

  @Test
  void everyStepOfTheLongestTreeOverflowsNothing() {
    RunningZeta running = RunningZeta.ofTree(Schedule.MAX_STEPS);
    assertThat(running.counts).hasSize(31);
    // All but the last of the leaves were charged.
    running.nextLeaf = Schedule.MAX_STEPS - 1;
    for (int height = 0; height < running.counts.length; height++) {
      running.counts[height] = (1 << height) - 1;
    }
    long all = (1L << 30) * ((1L << 31) - 1);
    running.zeta = all - ((1L << 32) - 33);
    assertThat(running.charge(Schedule.MAX_STEPS - 1)).isEqualTo(all);
    assertThat(running.counts[30]).isEqualTo(1 << 30);
  }

  @Test
  void refusesLeavesThatAreBehindOrBeyond() {
    RunningZeta running = RunningZeta.ofTree(5);
    running.charge(3);
    assertRefused(() -> running.charge(3), "leaf is 3; it must be between 4 and 7");
    assertRefused(() -> running.charge(8), "leaf is 8; it must be between 4 and 7");
    assertThat(running.zeta).isEqualTo(4);
    assertThat(running.charge(7)).isEqualTo(10);
  }

  @Test
  void theStateOfNoTreeChargesNothingForNothing() {
    assertThatIllegalStateException().isThrownBy(() -> new RunningZeta().after(0));
    assertRefused(() -> RunningZeta.ofTree(0), "steps is 0; it must be between 1 and 1073741824");
  }
}
