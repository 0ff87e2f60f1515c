package io.croupier.operators.model;

import static io.croupier.operators.model.LiveModel.BundleOutcome.OPEN;
import static io.croupier.operators.model.LocalModels.average;
import static io.croupier.operators.model.LocalModels.publish;
import static io.croupier.operators.model.LocalModels.restored;
import static io.croupier.operators.model.LocalModels.save;
import static io.croupier.operators.model.LocalModels.sgd;
import static io.croupier.operators.model.LocalModels.spec;
import static io.croupier.operators.model.LocalModels.weights;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** States in the layout of release 0.2.0, written by hand. */
class FormerStateTest {
  private static final double[] MOVED = {0.5, -1, 2};
  private static final double[] AVERAGE = {0.25, -0.5, 1};

  /** A model after 40 rounds of which 37 to 40 may be named; 9 reports were used. */
  private static Map<String, byte[]> model() {
    Map<String, byte[]> store = new HashMap<>();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.count("used", 9);
    writer.count("dropped-stale", 3);
    writer.count("untold", 1);
    writer.count("open", 0);
    writer.count("open-parts", 0);
    writer.count("last", 0);
    writer.count("published", 2);
    writer.counts("published-rounds", new long[] {37, 40});
    writer.counts("published-answered", new long[] {1, 0});
    writer.vector("published-pulls", new double[2]);
    writer.vector("direction-of-37", new double[] {1, 0, 0});
    writer.vector("direction-of-40", new double[] {0, 1, 0});
    writer.count("has-published-weights", 1);
    writer.vector("published-weights", MOVED);
    writer.count("round", 40);
    writer.count("average-block-length", 40);
    writer.scalar("weight-ratio", 40);
    writer.vector("average", AVERAGE);
    return store;
  }

  private static Map<String, byte[]> blackBox() {
    Map<String, byte[]> store = model();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.scalar("coins", 7);
    writer.scalar("coins-low", 0);
    writer.scalar("variance", 30);
    writer.scalar("magnitude", 3);
    writer.vector("direction", new double[] {0.6, 0.8, 0});
    return store;
  }

  private static Map<String, byte[]> ofSgd() {
    Map<String, byte[]> store = model();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.vector("moved", MOVED);
    writer.scalar("norm-bound", 5);
    writer.count("saturations", 0);
    return store;
  }

  private static ModelSpec blackBoxSpec() {
    return LocalModels.spec("black_box {} initial_weights: [10, 20, 30]");
  }

  @Test
  void aBettorBeginsAnewAtTheLastAverage() {
    LocalModel model = restored(blackBoxSpec(), blackBox());
    assertThat(model.round()).isEqualTo(40);
    assertThat(model.publishedRound()).isEqualTo(40);
    assertThat(model.add(TestSums.dense(37, 1, 0, 0))).isEqualTo(OPEN);
    assertThat(model.add(TestSums.dense(40, 0, 1, 0))).isEqualTo(OPEN);
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getRound()).isEqualTo(41);
    assertThat(update.getUsed()).isEqualTo(11);
    assertThat(update.getDroppedStale()).isEqualTo(3);
    double[] average = {10.25, 19.5, 31};
    assertThat(weights(update)).as("no report had a bet").isEqualTo(average);
    assertThat(average(update)).isEqualTo(average);
    for (int t = 41; t < 44; t++) {
      model.add(TestSums.dense(t, -1, 0, 0));
      update = publish(model, 0);
    }
    assertThat(weights(update)[0]).as("it bets again").isNotEqualTo(average[0]);
  }

  /** The weights in force were those of another learner. */
  @Test
  void thereIsNoUpdateWithoutANewRound() {
    LocalModel model = restored(blackBoxSpec(), blackBox());
    assertThat(model.publish(false, 0)).isEmpty();
  }

  /** One that scouted took no step, so its weights are the initial ones, and it asks on. */
  @Test
  void aModelThatScoutedAsksMoreDevices() {
    ModelSpec spec =
        Specs.parse(
            "model_id: 'm' dimension: 3 black_box {} initial_weights: [10, 20, 30]"
                + " adaptive_clip { size: FEATURES }");
    Map<String, byte[]> store = new HashMap<>();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.count("untold", 0);
    writer.count("published", 1);
    writer.counts("published-rounds", new long[] {2});
    writer.counts("published-answered", new long[] {0});
    writer.count("has-published-weights", 1);
    writer.scalar("clip", 0.5);
    writer.scalar("clip-information", 9);
    writer.count("clip-publications", 2);
    writer.count("clip-scouted", 2);
    writer.scalar("clip-share", 0.25);
    LocalModel model = restored(spec, store);

    model.confirm();
    ModelUpdateView update = model.publish(false, 0).orElseThrow();
    assertThat(update.getQuestionProbability()).isEqualTo(1);
    assertThat(update.getAnswerProbability()).isEqualTo(0.5);
    assertThat(weights(update)).isEqualTo(new double[] {10, 20, 30});
  }

  @Test
  void sgdContinues() {
    LocalModel model = restored(sgd().build(), ofSgd());
    model.add(TestSums.dense(40, 1, 0, 0));
    ModelUpdateView update = publish(model, 0);
    assertThat(update.getRound()).isEqualTo(41);
    assertThat(weights(update)).containsExactly(-0.5, -1, 2);
  }

  @Test
  void reportsInOpenRoundsEnterTheNextOne() {
    Map<String, byte[]> store = ofSgd();
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.count("open", 3);
    writer.count("open-parts", 1 | 2 | 4);
    writer.counts("open-grid-sum", new long[] {1 << 16, 0, 0});
    writer.vector("open-sum", new double[] {0, 2, 0});
    writer.count("last", 1);
    writer.count("last-parts", 8);
    writer.count("last-touched-count", 1);
    writer.counts("last-touched", new long[] {2});
    writer.vector("last-touched-sum", new double[] {4});
    LocalModel model = restored(sgd().build(), store);
    assertThat(model.open()).isEqualTo(4);
    ModelUpdateView update = publish(model, 0);
    assertThat(weights(update)).containsExactly(new double[] {0.25, -1.5, 1}, within(1e-12));
    assertThat(update.getUsed()).isEqualTo(13);
  }

  /** A bundle of that release has no exponent and no weight. */
  @Test
  void bundlesThatWaitedForTheirSpecEnterTheNextRound() {
    LocalModel model = new LocalModel(sgd().build(), 0);
    publish(model, 0);
    RoundSum grid = TestSums.grid(0, 0, 1 << 16, 0, 0);
    RoundSum dense = TestSums.dense(0, 0, 0, 0);
    dense.form = VectorForm.DENSE;
    dense.exponent = 0;
    dense.values = PackedVectors.encode(new double[] {0, 2, 0});
    dense.count = 2;
    RoundSum sparse = TestSums.sparse(0, 3, new int[] {2}, 0);
    sparse.form = VectorForm.SPARSE;
    sparse.exponent = 0;
    sparse.values = PackedVectors.encode(new double[] {3});
    for (RoundSum bundle : List.of(grid, dense, sparse)) {
      assertThat(model.add(bundle)).isEqualTo(OPEN);
    }
    RoundSum present = TestSums.dense(0, 0, 0, 5);
    present.weightExponent = 7;
    model.add(present);
    Map<String, byte[]> store = new HashMap<>();
    save(model, store);
    for (LocalModel either : List.of(model, restored(sgd().build(), store))) {
      ModelUpdateView update = publish(either, 0);
      assertThat(weights(update))
          .as("the mean of five, all of the weight of the present one")
          .containsExactly(new double[] {-0.2, -0.4, -1.6}, within(1e-9));
      assertThat(update.getUsed()).isEqualTo(5);
    }
  }

  /** Nothing of the former layout stays. */
  @Test
  void theFirstSaveReplacesTheState() {
    Map<String, byte[]> store = blackBox();
    LocalModel model = restored(blackBoxSpec(), store);
    assertThat(model.isUnsaved()).isTrue();
    save(model, store);
    assertThat(store.keySet())
        .contains("learner/round")
        .doesNotContain("average/0", "coins", "direction/0", "direction-of-40/0", "open", "round");
    LocalModel again = restored(blackBoxSpec(), store);
    assertThat(again.isUnsaved()).isFalse();
    for (LocalModel either : List.of(again, model)) {
      assertThat(either.publish(false, 0)).isEmpty();
      either.add(TestSums.dense(40, -1, 0, 0));
    }
    assertThat(publish(again, 0)).isEqualTo(publish(model, 0));
    assertThat(model.replacesFormerState()).isTrue();
    save(model, store);
    assertThat(model.replacesFormerState()).isFalse();
  }
}
