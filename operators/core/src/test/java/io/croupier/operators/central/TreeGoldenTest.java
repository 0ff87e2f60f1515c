package io.croupier.operators.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.tree.Completion;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.learner.Golden;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TreeGoldenTest {
  private static final JsonNode TREE = Golden.read("tree.json");
  private static final double[] NO_ROOM = new double[1];

  private static Estimator estimator(JsonNode golden) {
    return golden.get("honaker").asBoolean() ? Estimator.HONAKER : Estimator.VANILLA;
  }

  /** (((37h + 11i + 5k + 3hi + 13) mod 255) - 127) / 128. */
  private static double noise(long h, long i, long k) {
    return ((37 * h + 11 * i + 5 * k + 3 * h * i + 13) % 255 - 127) / 128.0;
  }

  /** The golden noise, in the order in which nodes are drawn. */
  private static final class Nodes implements NodeNoise {
    private final Estimator estimator;
    private final long tree;
    private final long period;
    private long leaf;
    private int height;

    Nodes(Estimator estimator, long tree, long period) {
      this.estimator = estimator;
      this.tree = tree;
      this.period = period;
    }

    @Override
    public void draw(long[] into) {
      int highest = Long.numberOfTrailingZeros(leaf % period + 1);
      int h = estimator == Estimator.VANILLA ? highest : height;
      double z = noise(h, leaf % period >> h, tree + leaf / period);
      Arrays.fill(into, (long) Math.scalb(z, 44));
      if (h == highest) {
        leaf++;
        height = 0;
      } else {
        height++;
      }
    }
  }

  private static PrefixSum tree(Estimator estimator, long tree) {
    return TestNoise.start(
        TreeNoise.of(estimator), 1, TestNoise.GRID, new Nodes(estimator, tree, 1L << 40));
  }

  private static double add(PrefixSum sum, double leaf) {
    double[] prefix = NO_ROOM.clone();
    sum.add(new long[] {(long) (leaf * 16)}, prefix);
    return prefix[0];
  }

  @Test
  void theNoiseIsTheGoldenOne() {
    JsonNode samples = TREE.get("node_noise_samples");
    assertThat(samples).hasSize(24);
    for (JsonNode sample : samples) {
      assertThat(
              noise(
                  sample.get("h").asLong(), sample.get("i").asLong(), sample.get("tree").asLong()))
          .isEqualTo(sample.get("noise").asDouble());
    }
  }

  @Test
  void variances() {
    JsonNode cases = TREE.get("variance");
    assertThat(cases).hasSize(78);
    for (JsonNode golden : cases) {
      long t = golden.get("t").asLong();
      assertThat(TreeNoise.of(Estimator.VANILLA).variance(t))
          .isEqualTo(golden.get("vanilla").asDouble());
      assertThat(TreeNoise.of(Estimator.HONAKER).variance(t))
          .isCloseTo(golden.get("honaker").asDouble(), within(1e-13));
    }
  }

  /** Virtual steps that carry noise are steps of zeros. */
  @Test
  void runs() {
    JsonNode cases = TREE.get("runs");
    assertThat(cases).hasSize(6);
    for (JsonNode golden : cases) {
      PrefixSum sum = tree(estimator(golden), 0);
      double[] leaves = Golden.vector(golden.get("leaves"));
      double last = 0;
      for (int t = 0; t < leaves.length; t++) {
        last = add(sum, leaves[t]);
        assertThat(last)
            .as("%s leaves, prefix %s", leaves.length, t)
            .isCloseTo(golden.get("prefix").get(t).asDouble(), within(1e-12));
      }
      assertThat(TreeNoise.of(estimator(golden)).vectors(leaves.length))
          .isEqualTo(1 + golden.get("stack_depth_after_last").asInt());
      for (int t = leaves.length; t < golden.get("completed_to").asInt(); t++) {
        last = add(sum, 0);
      }
      assertThat(last).isCloseTo(golden.get("completed_value").asDouble(), within(1e-12));
    }
  }

  /** Completed trees are assembled by hand, as their virtual steps carry noise. */
  @Test
  void restartRuns() {
    JsonNode cases = TREE.get("restart_runs");
    assertThat(cases).hasSize(4);
    for (JsonNode golden : cases) {
      long period = golden.get("period").asLong();
      double[] leaves = Golden.vector(golden.get("leaves"));
      double[] prefix =
          golden.get("complete").asBoolean()
              ? completedByHand(estimator(golden), leaves, period)
              : restarted(estimator(golden), leaves, period);
      for (int t = 0; t < leaves.length; t++) {
        assertThat(prefix[t])
            .as("period %s, prefix %s", period, t)
            .isCloseTo(golden.get("prefix").get(t).asDouble(), within(1e-11));
      }
    }
  }

  private static double[] restarted(Estimator estimator, double[] leaves, long period) {
    TreeNoise noise = new TreeNoise(estimator, period, Completion.NONE);
    PrefixSum sum = TestNoise.start(noise, 1, TestNoise.GRID, new Nodes(estimator, 0, period));
    return Arrays.stream(leaves).map(leaf -> add(sum, leaf)).toArray();
  }

  private static double[] completedByHand(Estimator estimator, double[] leaves, long period) {
    double[] prefix = new double[leaves.length];
    double frozen = 0;
    PrefixSum sum = tree(estimator, 0);
    for (int t = 0; t < leaves.length; t++) {
      if (t > 0 && t % period == 0) {
        for (long v = period; v < (1L << CompletedTree.height(period)) - 1; v++) {
          add(sum, 0);
        }
        boolean whole = Long.bitCount(period) == 1;
        frozen = whole ? prefix[t - 1] : frozen + add(sum, 0);
        sum = tree(estimator, t / period);
      }
      prefix[t] = frozen + add(sum, leaves[t]);
    }
    return prefix;
  }

  @Test
  void restartedVariances() {
    int compared = 0;
    for (JsonNode golden : TREE.get("restart_runs")) {
      if (golden.get("complete").asBoolean()) {
        continue;
      }
      TreeNoise noise =
          new TreeNoise(estimator(golden), golden.get("period").asLong(), Completion.NONE);
      Responses responses = new Responses(noise, golden.get("variance").size());
      for (int t = 1; t <= golden.get("variance").size(); t++) {
        double expected = golden.get("variance").get(t - 1).asDouble();
        assertThat(noise.variance(t)).isCloseTo(expected, within(1e-12));
        assertThat(responses.covariance(t, t)).isCloseTo(expected, within(1e-9));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(24);
  }

  @Test
  void covariances() {
    int compared = 0;
    for (JsonNode golden : TREE.get("prefix_noise_covariance")) {
      int steps = golden.get("T").asInt();
      Responses responses = new Responses(TreeNoise.of(estimator(golden)), steps);
      for (int s = 1; s <= steps; s++) {
        for (int t = 1; t <= steps; t++) {
          double expected = golden.get("cov").get(s - 1).get(t - 1).asDouble();
          assertThat(responses.covariance(s, t)).isCloseTo(expected, within(1e-9));
          compared++;
        }
      }
    }
    assertThat(compared).isEqualTo(64 + 64 + 169);
  }

  @Test
  void momentum() {
    int compared = 0;
    for (JsonNode golden : TREE.get("momentum_variance")) {
      int steps = golden.get("T").asInt();
      double gamma = golden.get("gamma").asDouble();
      Responses responses = new Responses(TreeNoise.of(estimator(golden)), steps);
      double[] velocity = new double[4 * steps];
      for (int t = 1; t <= steps; t++) {
        double[] prefix = responses.of(t);
        Arrays.setAll(velocity, i -> gamma * velocity[i] + prefix[i]);
        double expected = golden.get("variance_of_v").get(t - 1).asDouble();
        assertThat(Responses.dot(velocity, velocity)).isCloseTo(expected, within(1e-8));
        compared++;
      }
    }
    assertThat(compared).isEqualTo(48);
  }

  @Test
  void completion() {
    JsonNode cases = TREE.get("completion_virtual_aware_variance");
    assertThat(cases).hasSize(8);
    for (JsonNode golden : cases) {
      int leaves = golden.get("real_leaves").asInt();
      int height = golden.get("height").asInt();
      TreeNoise noise = new TreeNoise(Estimator.HONAKER, leaves, Completion.BEFORE_RESTART);
      assertThat(CompletedTree.height(leaves)).isEqualTo(height);
      assertThat(noise.variance(leaves))
          .isCloseTo(golden.get("not_completed").asDouble(), within(1e-12));
      assertThat(Estimator.HONAKER.variance(height))
          .isCloseTo(golden.get("honaker_completed").asDouble(), within(1e-12));
      double aware = golden.get("virtual_aware").asDouble();
      assertThat(CompletedTree.variance(Estimator.HONAKER, leaves)).isCloseTo(aware, within(1e-12));
      assertThat(noise.variance(leaves + 1)).isCloseTo(aware + 1, within(1e-12));
      Responses responses = new Responses(noise, leaves + 1);
      assertThat(responses.covariance(leaves + 1, leaves + 1)).isCloseTo(aware + 1, within(1e-9));
      // A node of each height of the real leaves, those above the last one, and one leaf.
      int nodes = 2 * leaves - Integer.bitCount(leaves);
      int above = height - Integer.numberOfTrailingZeros(leaves);
      assertThat(responses.draws()).isEqualTo(nodes + above + 1);
    }
  }

  @Test
  void aVanillaTreeIsCompletedByItsRootAlone() {
    TreeNoise noise = new TreeNoise(Estimator.VANILLA, 7, Completion.BEFORE_RESTART);
    Responses responses = new Responses(noise, 15);
    for (int t = 1; t <= 15; t++) {
      assertThat(responses.covariance(t, t)).isCloseTo(noise.variance(t), within(1e-9));
    }
    assertThat(noise.variance(8)).isEqualTo(2);
    assertThat(responses.draws()).isEqualTo(7 + 1 + 7 + 1 + 1);
  }
}
