package io.croupier.operators.model;

import static io.croupier.operators.model.LocalModels.publish;
import static io.croupier.operators.model.LocalModels.restored;
import static io.croupier.operators.model.LocalModels.save;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A round is the same, bit for bit, in whatever order its reports arrive, and however they are
 * bundled on their way: reports of several weights, on the model's grid and on those of weights,
 * sparse ones among them, to any of the last publications.
 */
class LocalRoundsTest {
  private static final int D = LocalModels.D;
  private static final int ROUNDS = 40;
  private static final int GRID_EXPONENT = -16;
  private static final GradientSpace SPACE = new GradientSpace(D, 1, GRID_EXPONENT);

  /** One report of a random kind to one of the last publications. */
  private static RoundSum report(SplittableRandom random, long newest) {
    long named = Math.max(0, newest - random.nextInt(4));
    int k = random.nextInt(4) * 3;
    double size = Math.scalb(1.0, k / 2);
    double[] g = new double[D];
    Arrays.setAll(g, j -> size * (random.nextGaussian() - 0.4));
    int fine = ReportWeight.gridExponent(1, k);
    RoundSum report =
        switch (random.nextInt(3)) {
          case 0 -> TestSums.grid(named, GRID_EXPONENT, TestSums.fewSteps(g, GRID_EXPONENT));
          case 1 -> onGrid(TestSums.dense(named, g), fine, g);
          default -> {
            int[] indices = random.nextBoolean() ? new int[] {2, 0} : new int[] {1};
            double[] values = Arrays.stream(indices).mapToDouble(index -> g[index]).toArray();
            yield onGrid(TestSums.sparse(named, D, indices, values), fine, values);
          }
        };
    report.weightExponent = k;
    report.directionalVariance =
        ReportWeight.exactVariance(size * size * random.nextDouble(0.5, 2), SPACE, k);
    return report;
  }

  private static RoundSum onGrid(RoundSum sum, int exponent, double[] values) {
    sum.exponent = exponent;
    sum.values = PackedVectors.encode(TestSums.steps(values, exponent));
    return sum;
  }

  /** Bundles neighbours that may be bundled, at random, as pre-aggregators do. */
  private static List<RoundSum> bundled(List<RoundSum> reports, Random random) {
    List<Bundle> bundles = new ArrayList<>();
    List<RoundSum> firsts = new ArrayList<>();
    for (RoundSum report : reports) {
      int into = -1;
      for (int i = 0; i < firsts.size() && into < 0; i++) {
        into = isAlike(firsts.get(i), report) && random.nextInt(3) > 0 ? i : -1;
      }
      if (into < 0) {
        firsts.add(report);
        bundles.add(new Bundle(report));
      } else {
        bundles.get(into).add(report);
      }
    }
    List<RoundSum> sums = new ArrayList<>(bundles.stream().map(Bundle::seal).toList());
    Collections.shuffle(sums, random);
    return sums;
  }

  private static boolean isAlike(RoundSum a, RoundSum b) {
    return a.namedRound == b.namedRound
        && a.form == b.form
        && a.weightExponent == b.weightExponent
        && a.exponent == b.exponent;
  }

  @ParameterizedTest
  @MethodSource("io.croupier.operators.model.LocalModels#everyLearner")
  void neitherOrderNorBundlesMatter(ModelSpec spec) {
    LocalModel inOrder = new LocalModel(spec, 0);
    LocalModel shuffled = new LocalModel(spec, 0);
    LocalModel bundled = new LocalModel(spec, 0);
    LocalModel saved = new LocalModel(spec, 0);
    Map<String, byte[]> store = new HashMap<>();
    SplittableRandom random = new SplittableRandom(23);
    Random order = new Random(24);
    for (LocalModel model : List.of(inOrder, shuffled, bundled, saved)) {
      publish(model, 0);
    }
    Set<VectorForm> forms = EnumSet.noneOf(VectorForm.class);
    ModelUpdateView update = null;
    for (int t = 0; t < ROUNDS; t++) {
      List<RoundSum> reports = new ArrayList<>();
      int count = 1 + random.nextInt(60);
      for (int i = 0; i < count; i++) {
        reports.add(report(random, t));
      }
      reports.forEach(report -> forms.add(report.form));
      reports.forEach(inOrder::add);
      List<RoundSum> mixed = new ArrayList<>(reports);
      Collections.shuffle(mixed, order);
      mixed.forEach(shuffled::add);
      bundled(mixed, order).forEach(bundled::add);
      for (RoundSum sum : bundled(reports, order)) {
        saved.add(sum);
        if (order.nextInt(20) == 0) {
          save(saved, store);
          saved = restored(spec, store);
        }
      }
      update = publish(inOrder, t);
      assertThat(publish(shuffled, t)).isEqualTo(update);
      assertThat(publish(bundled, t)).isEqualTo(update);
      assertThat(publish(saved, t)).isEqualTo(update);
    }
    assertThat(forms)
        .containsExactlyInAnyOrder(VectorForm.GRID, VectorForm.GRID_SUM, VectorForm.SPARSE_SUM);
    assertThat(update.getRound()).isEqualTo(ROUNDS);
    assertThat(update.getWeights(0).toByteArray()).isNotEqualTo(new byte[D * Double.BYTES]);
  }

  /** Rounds of the same size weigh the same; after a backlog of any size, at most twice. */
  @Test
  void aBacklogWeighsAtMostTwice() {
    LocalModel model = new LocalModel(LocalModels.spec("black_box {}"), 0);
    publish(model, 0);
    for (int t = 0; t < 3; t++) {
      LocalModels.add(model, t, 10);
      assertThat(publish(model, 0).getDiagnosticsMap()).containsEntry("round-weight", 1.0);
    }
    LocalModels.add(model, 3, 10_000);
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getDiagnosticsMap())
        .containsEntry("round-weight", 2.0)
        .containsEntry("round-reports", 10_000.0);
    assertThat(update.getRound()).isEqualTo(4);
    LocalModels.add(model, 4, 25);
    assertThat(publish(model, 0).getDiagnosticsMap().get("round-weight"))
        .as("in units of twice the mean of 10, 10 and 10")
        .isEqualTo(25 / 20.0);
  }
}
