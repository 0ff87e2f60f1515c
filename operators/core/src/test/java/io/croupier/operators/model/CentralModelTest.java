package io.croupier.operators.model;

import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_STALE;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_UNPUBLISHED;
import static io.croupier.operators.model.LiveModel.BundleOutcome.OPEN;
import static io.croupier.operators.model.LocalModels.weights;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CentralModelTest {
  private static final int ONE = 1 << 16;

  private static RoundSum report(long round, int... steps) {
    return TestSums.grid(round, 0, steps);
  }

  /** Publishes, and returns the weights. */
  private static double[] published(CentralModel model) {
    return weights(model.publish(true, 0).orElseThrow());
  }

  /** A model that has published its first update. */
  private static CentralModel begun(ModelSpec.Builder spec) {
    CentralModel model = model(spec);
    model.publish(true, 0);
    return model;
  }

  private static Map<String, byte[]> saved(CentralModel model) {
    Map<String, byte[]> saved = new HashMap<>();
    model.save(saved::put);
    return saved;
  }

  private static CentralModel restored(ModelSpec spec, int firstRound, Map<String, byte[]> store) {
    CentralModel model = new CentralModel(spec, firstRound);
    model.restore(store::get);
    return model;
  }

  private static CentralModel model(ModelSpec.Builder spec) {
    return new CentralModel(spec.build(), 0);
  }

  private static ModelSpec.Builder exact() {
    return CentralSpecs.linear(CentralSpecs.TREE, CentralSpecs.HARDLY_ANY);
  }

  @Test
  void usageExample() {
    CentralModel model = model(exact().setReportsPerRound(2));
    assertThat(model.publish(true, 5).orElseThrow().getRound()).isZero();
    assertThat(model.add(report(0, ONE / 2, 0))).isEqualTo(OPEN);
    assertThat(model.hasNews()).as("below the goal").isFalse();
    assertThat(model.add(report(0, 0, ONE))).isEqualTo(OPEN);
    assertThat(model.round()).as("only a publication closes the round").isZero();
    assertThat(model.hasNews()).isTrue();

    ModelUpdateView update = model.publish(true, 7).orElseThrow();
    assertThat(update.getRound()).isEqualTo(1);
    assertThat(update.getUsed()).isEqualTo(2);
    assertThat(update.getOpen()).isZero();
    assertThat(weights(update)).containsExactly(new double[] {-0.25, -0.5}, within(1e-7));
    assertThat(update.getDiagnosticsMap()).isEmpty();
    assertThat(model.hasNews()).isFalse();
  }

  @Test
  void everyUpdateHasTheFeaturesOfTheSpec() {
    ModelSpec.Builder spec = exact();
    spec.addFeaturesBuilder().setName("one").getInterceptBuilder();
    assertThat(model(spec).publish(true, 0).orElseThrow().getFeaturesList())
        .isEqualTo(spec.getFeaturesList());
  }

  @Test
  void theSumIsDividedByTheGoalWhateverTheCount() {
    CentralModel model = begun(exact().setReportsPerRound(2));
    for (int i = 0; i < 5; i++) {
      model.add(report(0, ONE, 0));
    }
    assertThat(published(model)[0]).isCloseTo(-2.5, within(1e-7));
  }

  @Test
  void aRoundTakesOnlyReportsThatNameIt() {
    CentralModel model = model(exact());
    assertThat(model.add(report(0, ONE, 0)))
        .as("before it is published")
        .isEqualTo(DROPPED_UNPUBLISHED);
    model.publish(true, 0);
    assertThat(model.add(report(1, ONE, 0))).isEqualTo(DROPPED_UNPUBLISHED);
    model.add(report(0, 0, ONE));
    model.publish(true, 0);
    assertThat(model.add(report(0, ONE, 0))).isEqualTo(DROPPED_STALE);
    ModelUpdateView reported = model.lastUpdate().orElseThrow();
    assertThat(reported.getDroppedStale()).as("dropped reports are no news").isZero();
    assertThat(model.hasNews()).isFalse();

    model.add(report(1, 0, ONE));
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    assertThat(update.getUsed()).isEqualTo(2);
    assertThat(update.getDroppedStale()).isEqualTo(1);
    assertThat(update.getDroppedUnpublished()).isEqualTo(2);
    assertThat(weights(update)).containsExactly(new double[] {0, -2}, within(1e-6));
  }

  @Test
  void bundlesAndSparseReportsAddUp() {
    CentralModel model = begun(exact().setReportsPerRound(4));
    RoundSum pair = report(0, 0, 0);
    pair.form = VectorForm.GRID_SUM;
    pair.values = PackedVectors.encode(new long[] {3L * ONE, -ONE});
    pair.count = 3;
    model.add(pair);
    RoundSum sparse = report(0, 0, 0);
    sparse.form = VectorForm.SPARSE_SUM;
    sparse.indices = new int[] {1};
    sparse.values = PackedVectors.encode(new long[] {ONE / 2});
    model.add(sparse);
    assertThat(published(model)).containsExactly(new double[] {-0.75, 0.125}, within(1e-7));
  }

  /** A bundle of release 0.2.0 that waited for its spec. */
  @Test
  void sparseReportsOfTheLastReleaseAddUp() {
    CentralModel model = begun(exact().setReportsPerRound(1));
    RoundSum sparse = report(0, 0, 0);
    sparse.form = VectorForm.SPARSE;
    sparse.indices = new int[] {1};
    sparse.values = PackedVectors.encode(new double[] {-0.5});
    assertThat(model.add(sparse)).isEqualTo(OPEN);
    RoundSum same = report(0, 0, -ONE / 2);
    CentralModel other = begun(exact().setReportsPerRound(1));
    other.add(same);
    assertThat(published(model)).containsExactly(published(other), within(1e-7));
  }

  @Test
  void leastSquaresLearnsFromExamples() {
    ModelSpec spec = CentralSpecs.leastSquares(CentralSpecs.TREE, CentralSpecs.HARDLY_ANY).build();
    CentralModel model = new CentralModel(spec, 0);
    model.publish(true, 0);
    Contribution contribution = new Contribution(spec, CentralMechanism.of(spec));
    double[][] xs = {{1, 0}, {0, 1}, {1, 1}};
    for (double[] x : xs) {
      var raw = new ExampleContent(PackedVectors.encode(x), 2 * x[0] - x[1]);
      RoundSum sum = report(0, 0, 0);
      contribution.put(raw, sum);
      model.add(sum);
    }
    assertThat(published(model)).containsExactly(new double[] {2, -1}, within(1e-4));
  }

  @Test
  void aRoundOfTheParameterFreeLearnerIsBounded() {
    CentralModel model =
        begun(CentralSpecs.parameterFree(CentralSpecs.TREE, 1).setReportsPerRound(2));
    for (int i = 0; i < 4; i++) {
      assertThat(model.add(report(0, ONE, 0))).isEqualTo(OPEN);
    }
    assertThat(model.add(report(0, ONE, 0))).isEqualTo(DROPPED_STALE);
  }

  @Test
  void bufferedNoiseEndsAtItsHorizon() {
    CentralModel model = begun(CentralSpecs.linear(CentralSpecs.blt(2), CentralSpecs.HARDLY_ANY));
    for (int round = 0; round < 2; round++) {
      assertThat(model.add(report(round, ONE, 0))).isEqualTo(OPEN);
      assertThat(model.publish(true, 0).orElseThrow().getRound()).isEqualTo(round + 1);
    }
    assertThat(model.add(report(2, ONE, 0))).isEqualTo(DROPPED_STALE);
    assertThat(model.hasNews()).isFalse();
  }

  @Test
  void aLaterModelOfTheSameNameBeginsAtItsLeaf() {
    CentralModel model = new CentralModel(exact().build(), 5);
    assertThat(model.publish(true, 0).orElseThrow().getRound()).isEqualTo(5);
    model.add(report(5, ONE, 0));
    assertThat(published(model)[0]).isCloseTo(-1, within(1e-6));
    Map<String, byte[]> saved = saved(model);
    assertThat(saved.keySet())
        .as("6 = 4 + 2 rounds: the nodes of those leaves")
        .contains("sums/node-1-3-0/0", "sums/node-2-1-0/0")
        .doesNotContain("sums/node-0-5-0/0");
  }

  static Stream<ModelSpec.Builder> everyLearner() {
    return Stream.of(
        CentralSpecs.linear(CentralSpecs.TREE, 2),
        CentralSpecs.linear(CentralSpecs.blt(50), 2),
        CentralSpecs.parameterFree(CentralSpecs.TREE, 2),
        CentralSpecs.parameterFree(CentralSpecs.blt(50), 2),
        CentralSpecs.leastSquares(CentralSpecs.TREE, 2),
        CentralSpecs.leastSquares(CentralSpecs.blt(50), 2));
  }

  /** Saves after every publication into one store, as an operator does, then restores from it. */
  @ParameterizedTest
  @MethodSource("everyLearner")
  void theLastUpdateIsRepeatedByteForByteAndNothingElseIsKept(ModelSpec.Builder builder) {
    ModelSpec spec = builder.setReportsPerRound(2).build();
    Map<String, byte[]> store = new HashMap<>();
    CentralModel model = new CentralModel(spec, 0);
    assertThat(model.lastUpdate()).as("nothing was published yet").isEmpty();
    int d = spec.hasDpFtrlLeastSquares() ? 5 : 2;
    for (int round = 0; round < 20; round++) {
      ModelUpdateView reported = model.publish(true, 1000 + round).orElseThrow();
      assertThat(reported.getRound()).isEqualTo(round);
      model.add(report(round, new int[d]));
      CentralModel before = model;
      Map<String, byte[]> saved = saved(model);
      store.keySet().removeIf(name -> !saved.containsKey(name) && before.isObsolete(name));
      store.putAll(saved);

      model = restored(spec, 0, store);
      assertThat(model.lastUpdate().orElseThrow().toByteArray()).isEqualTo(reported.toByteArray());
      assertThat(model.open()).isEqualTo(1);
      assertThat(model.isUnsaved()).isFalse();
      long nodes = store.keySet().stream().filter(name -> name.startsWith("sums/node-")).count();
      boolean tree = !spec.toString().contains("blt");
      assertThat(nodes).isEqualTo(tree ? Long.bitCount(round) : 0);
      model.add(report(round, new int[d]));
    }
  }

  /** As after a rebuild of the ledger; the noise begins at the model's next leaf. */
  @ParameterizedTest
  @MethodSource("everyLearner")
  void aModelWithoutStateContinuesFromItsLastUpdate(ModelSpec.Builder builder) throws Exception {
    ModelSpec spec = builder.build();
    CentralModel lost = new CentralModel(spec, 0);
    int[] sum = new int[spec.hasDpFtrlLeastSquares() ? 5 : 2];
    ModelUpdateView last = lost.publish(true, 0).orElseThrow();
    for (int round = 0; round < 3; round++) {
      lost.add(report(round, sum));
      last = lost.publish(true, 0).orElseThrow();
    }

    CentralModel model = new CentralModel(spec, 4);
    model.continueFrom(ModelUpdate.parseFrom(last.toByteString()));
    ModelUpdateView first = model.publish(true, 0).orElseThrow();
    assertThat(first.getRound()).isEqualTo(4);
    assertThat(first.getUsed()).isEqualTo(3);
    assertThat(first.getWeights(0)).isEqualTo(last.getAverage(0));
    model.add(report(4, sum));
    Map<String, byte[]> saved = saved(model);

    CentralModel restored = restored(spec, 4, saved);
    assertThat(restored.lastUpdate().orElseThrow()).isEqualTo(first);
    restored.publish(true, 0);
    Map<String, byte[]> later = new HashMap<>(saved);
    restored.save(later::put);
    CentralModel again = restored(spec, 4, later);
    assertThat(again.lastUpdate()).isEqualTo(restored.lastUpdate());
  }

  @ParameterizedTest
  @MethodSource("everyLearner")
  void noiseOrSumsMissingFromTheStateAreNoticed(ModelSpec.Builder builder) {
    ModelSpec spec = builder.build();
    CentralModel model = new CentralModel(spec, 0);
    model.publish(true, 0);
    model.add(report(0, new int[spec.hasDpFtrlLeastSquares() ? 5 : 2]));
    model.publish(true, 0);
    model.add(report(1, new int[spec.hasDpFtrlLeastSquares() ? 5 : 2]));
    Map<String, byte[]> store = saved(model);
    int removed = 0;
    for (String name : store.keySet()) {
      if ((name.startsWith("sums/") || name.startsWith("open-sum"))
          && !name.matches(".*/(theta|omega)/.*")) {
        removed++;
        assertThatThrownBy(
                () ->
                    new CentralModel(spec, 0)
                        .restore(chunk -> chunk.equals(name) ? null : store.get(chunk)))
            .as(name)
            .isInstanceOf(IllegalStateException.class);
      }
    }
    assertThat(removed).isGreaterThanOrEqualTo(3);
  }

  static Stream<ModelSpec.Builder> everyNoise() {
    return Stream.of(
        CentralSpecs.linear(CentralSpecs.TREE, 2), CentralSpecs.linear(CentralSpecs.blt(50), 2));
  }

  /**
   * Like two jobs that start from one savepoint. 512 independent pairs have a correlation beyond 7
   * deviations once in 4e11 times; equal draws would have one of 22 deviations.
   */
  @ParameterizedTest
  @MethodSource("everyNoise")
  void twoModelsRestoredFromOneStateShareNoDraw(ModelSpec.Builder builder) {
    int d = 512;
    ModelSpec spec = builder.setDimension(d).build();
    CentralModel model = new CentralModel(spec, 0);
    model.publish(true, 0);
    model.add(report(0, new int[d]));
    Map<String, byte[]> store = saved(model);
    double[][] noise = new double[2][];
    for (int job = 0; job < 2; job++) {
      CentralModel restored = restored(spec, 0, store);
      noise[job] = published(restored);
    }
    double both = Vectors.dot(noise[0], noise[1]);
    double each = Math.sqrt(Vectors.squaredNorm(noise[0]) * Vectors.squaredNorm(noise[1]));
    assertThat(both / each * Math.sqrt(d)).isBetween(-7.0, 7.0);
  }

  @Test
  void valuesOffTheGridAreRefused() {
    CentralModel model = begun(exact());
    RoundSum dense = report(0, 0, 0);
    dense.form = VectorForm.DENSE;
    assertThatThrownBy(() -> model.add(dense)).hasMessageContaining("not on the grid");
    assertThatThrownBy(() -> model.add(report(0, 1))).hasMessageContaining("dimension 1");
  }
}
