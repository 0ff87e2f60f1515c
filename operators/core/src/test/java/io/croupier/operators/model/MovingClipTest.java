package io.croupier.operators.model;

import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_BOUND;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_STALE;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_UNPUBLISHED;
import static io.croupier.operators.model.LiveModel.BundleOutcome.OPEN;
import static io.croupier.operators.model.LiveModel.BundleOutcome.TALLIED;
import static io.croupier.operators.model.LocalModels.published;
import static io.croupier.operators.model.LocalModels.restarted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.operators.clip.SlopeRule;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole life of a model that finds its clip, with simulated devices. */
class MovingClipTest {
  private static final String SPEC =
      "model_id: 'm' dimension: 2 max_staleness: 3 question_probability: 0.2 black_box {}"
          + " adaptive_clip { initial: %s %s }";

  /** Strength of an answer of epsilon 2. */
  private static final double STRENGTH = Math.tanh(1);

  private static final double SPREAD = 0.8;
  private static final int DEVICES = 60;

  private static ModelSpec spec(double initial, String clip) {
    return Specs.parse(SPEC.formatted(initial, clip));
  }

  private static ModelSpec spec(double initial) {
    return spec(initial, "size: GRADIENT");
  }

  /** A model and its newest update. */
  private static final class Life {
    private LiveModel model;
    private final List<ModelUpdate> updates = new ArrayList<>();
    private final Map<String, byte[]> stored = new HashMap<>();

    Life(ModelSpec spec) {
      model = LiveModel.begin(spec, 0);
      publish();
    }

    ModelUpdate publish() {
      ModelUpdate update = published(model);
      model.confirm();
      updates.add(update);
      return update;
    }

    ModelUpdate newest() {
      return updates.get(updates.size() - 1);
    }

    BundleOutcome answer(long round, boolean isAbove, double strength) {
      return model.add(TestSums.answer(round, "clip", isAbove ? strength : -strength));
    }

    BundleOutcome gradient(long round, double bound, double... values) {
      return model.add(onGrid(report(round, VectorForm.GRID_SUM), bound, values));
    }

    /** Rounded to the grid of reports of weight 1. */
    private static RoundSum onGrid(RoundSum sum, double bound, double... values) {
      sum.gradientBound = bound;
      sum.dimension = values.length;
      sum.exponent = ReportWeight.gridExponent(bound, 0);
      sum.values = PackedVectors.encode(TestSums.steps(values, sum.exponent));
      return sum;
    }

    private static RoundSum report(long round, VectorForm form) {
      RoundSum sum = TestSums.dense(round);
      sum.form = form;
      return sum;
    }

    /** Answers until the model asks for gradients, half of them yes. */
    void scout() {
      for (int i = 0; newest().getQuestionProbability() == 1; i++) {
        for (int j = 0; j < 4; j++) {
          answer(newest().getRound(), (i + j) % 2 == 0, 1);
        }
        publish();
        assertThat(i).isLessThan(100);
      }
    }

    /** Saves everything, and continues with a model that restores it. */
    void restart() {
      model = restarted(model, stored);
    }
  }

  /**
   * Devices of log-normal sizes around {@code scale}. Each takes part once in a publication, or one
   * publication later, and answers or sends a gradient clipped to the bound that it has read. All
   * gradients point against the first coordinate.
   */
  private static Life live(ModelSpec spec, double scale, int publications, int restartEvery) {
    Random random = new Random(5);
    Life life = new Life(spec);
    int sent = 0;
    for (int p = 0; p < publications; p++) {
      for (int i = 0; i < DEVICES; i++) {
        if (restartEvery > 0 && ++sent % restartEvery == 0) {
          life.restart();
        }
        int back = random.nextInt(4) == 0 ? 2 : 1;
        ModelUpdate read = life.updates.get(Math.max(0, life.updates.size() - back));
        double size = scale * Math.exp(SPREAD * random.nextGaussian());
        double clip = read.getGradientBound();
        if (random.nextDouble() < read.getQuestionProbability()) {
          boolean isTrue = random.nextDouble() < (1 + STRENGTH) / 2;
          life.answer(read.getRound(), (size > clip) == isTrue, STRENGTH);
        } else {
          double length = Math.min(size, clip);
          life.gradient(read.getRound(), clip, -length, length * 0.5 * random.nextGaussian());
        }
      }
      life.publish();
    }
    return life;
  }

  private static long total(ModelUpdate update) {
    return update.getUsed()
        + update.getOpen()
        + update.getAnswers()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound();
  }

  /** From a clip that is right, or wrong by a factor of up to 10,000. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 0.01", "1, 100", "3000, 0.3", "1e-60, 1e-64", "1e60, 1e63"})
  void theClipBecomesTheQuantile(double scale, double initial) {
    int publications = 250;
    Life life = live(spec(initial), scale, publications, 0);
    int scouted = 0;
    for (ModelUpdate update : life.updates) {
      if (update.getQuestionProbability() == 1) {
        assertThat(update.getRound()).as("a round of its own").isEqualTo(scouted++);
        assertThat(update.getUsed() + update.getOpen()).isZero();
        assertThat(update.getWeightsList()).containsExactly(0.0, 0.0);
      } else {
        assertThat(update.getQuestionProbability()).isEqualTo(0.2);
      }
      assertThat(update.getGridExponent())
          .isEqualTo(Math.getExponent(update.getGradientBound()) - 16);
      assertThat(update.getSize()).isEqualTo(AdaptiveClip.Size.GRADIENT);
      assertThat(update.hasSlopeBound()).isFalse();
    }
    assertThat(scouted).isBetween(6, 12);
    ModelUpdate last = life.newest();
    double logs = 0;
    for (ModelUpdate update : life.updates.subList(publications - 50, publications)) {
      logs += Math.log(update.getGradientBound() / scale) / 50;
    }
    // The 20 % quantile; 10 % and 32 % are 0.35 away.
    assertThat(logs).isCloseTo(-0.8416 * SPREAD, within(0.3));
    assertThat(last.getRound()).isGreaterThan(scouted + 50);
    assertThat(last.getUsed()).isGreaterThan(DEVICES * 80);
    assertThat(total(last)).isEqualTo((long) publications * DEVICES);
    assertThat(last.getDroppedBound() + last.getDroppedUnpublished()).isZero();
    assertThat(last.getDroppedStale())
        .as("of those that named a scouting round late, about a quarter")
        .isLessThan((scouted + 1L) * DEVICES / 2);
    assertThat(last.getWeights(0)).as("what all gradients point to").isPositive();
  }

  /** The trajectory depends on the scale only through the unit of gradients. */
  @Test
  void weightsScaleInverselyWithGradients() {
    List<ModelUpdate> small = live(spec(1), 1, 60, 0).updates;
    List<ModelUpdate> large = live(spec(1024), 1024, 60, 0).updates;
    for (int i = 0; i < small.size(); i++) {
      assertThat(large.get(i).getRound()).isEqualTo(small.get(i).getRound());
      double weight = small.get(i).getWeights(0);
      assertThat(large.get(i).getWeights(0) * 1024)
          .isCloseTo(weight, within(1e-9 * Math.abs(weight)));
    }
    assertThat(small.get(small.size() - 1).getWeights(0)).isPositive();
  }

  /** In the middle of scouting, of a publication, and of a round. */
  @ParameterizedTest
  @ValueSource(ints = {1, 7, 61})
  void aRestartChangesNothing(int every) {
    ModelSpec spec = spec(0.05, "size: FEATURES slope_bound: 3 slope_rule: true");
    ModelSpec inRounds = spec.toBuilder().setReportsPerRound(7).build();
    for (ModelSpec one : List.of(spec, inRounds)) {
      assertThat(live(one, 1, 40, every).updates).isEqualTo(live(one, 1, 40, 0).updates);
    }
  }

  @Test
  void scoutingTakesOnlyAnswers() {
    Life life = new Life(spec(1));
    assertThat(life.newest().getQuestionProbability()).isEqualTo(1);
    assertThat(life.newest().getAnswers()).isZero();
    assertThat(life.gradient(0, 1, 0.5, 0)).isEqualTo(DROPPED_STALE);
    assertThat(life.gradient(1, 1, 0.5, 0)).isEqualTo(DROPPED_UNPUBLISHED);
    assertThat(life.model.hasNewRound()).as("without answers").isFalse();
    assertThat(life.model.isAnswered()).isFalse();
    assertThat(life.answer(0, true, 1)).isEqualTo(TALLIED);
    assertThat(life.model.hasNewRound()).isTrue();
    assertThat(life.model.isAnswered()).isTrue();
    ModelUpdate next = life.publish();
    assertThat(next.getRound()).isOne();
    assertThat(next.getGradientBound()).isCloseTo(Math.exp(0.5), within(1e-12));
    assertThat(life.answer(0, true, 1)).isEqualTo(DROPPED_STALE);
    assertThat(life.model.isAnswered()).as("only a late answer").isFalse();
    life.answer(1, true, 1);
    assertThat(life.model.isAnswered()).isTrue();
    assertThat(life.answer(0, true, 1)).isEqualTo(DROPPED_STALE);
    assertThat(life.model.isAnswered()).as("late answers hold nothing").isTrue();
    assertThat(life.publish().getDroppedStale()).isEqualTo(3);
    assertThat(life.newest().getDroppedUnpublished()).isOne();
    assertThat(life.newest().getAnswers()).isEqualTo(2);
    assertThat(life.newest().getUsed()).isZero();
  }

  @Test
  void whatNamesAScoutingRoundIsDroppedAfterwards() {
    Life life = new Life(spec(1));
    life.scout();
    ModelUpdate first = life.newest();
    long lastScouting = first.getRound() - 1;
    double bound = life.updates.get((int) lastScouting).getGradientBound();
    assertThat(life.answer(lastScouting, true, 1)).isEqualTo(DROPPED_STALE);
    assertThat(life.gradient(lastScouting, bound, 0.1, 0)).isEqualTo(DROPPED_STALE);
    assertThat(life.model.hasNewRound()).as("the clip alone opens no round").isFalse();
    assertThat(life.answer(first.getRound(), true, 1)).isEqualTo(TALLIED);
    assertThat(life.model.hasNewRound()).isFalse();
    assertThat(life.model.isAnswered()).as("no gradient has tried the weights").isFalse();
    ModelUpdate again = life.publish();
    assertThat(again.getRound()).isEqualTo(first.getRound());
    assertThat(again.getGradientBound()).isEqualTo(first.getGradientBound());
    assertThat(again.getDroppedStale()).isEqualTo(2);
    assertThat(life.gradient(first.getRound(), first.getGradientBound(), 0.1, 0)).isEqualTo(OPEN);
    ModelUpdate next = life.publish();
    assertThat(next.getRound()).isEqualTo(first.getRound() + 1);
    assertThat(next.getGradientBound())
        .as("the answer enters with the next round")
        .isGreaterThan(first.getGradientBound());
    assertThat(life.answer(first.getRound(), true, 1)).isEqualTo(TALLIED);
  }

  @Test
  void anotherBoundThanThatOfTheRoundIsDropped() {
    Life life = new Life(spec(1));
    life.scout();
    long first = life.newest().getRound();
    double bound = life.newest().getGradientBound();
    assertThat(life.gradient(first, Math.nextUp(bound), 0.1, 0)).isEqualTo(DROPPED_BOUND);
    assertThat(life.gradient(first, 0, 0.1, 0)).isEqualTo(DROPPED_BOUND);
    assertThat(life.model.hasNewRound()).isFalse();
    assertThat(life.model.isAnswered()).isFalse();
    life.answer(first, true, 1);
    life.gradient(first, bound, 0.1, 0);
    assertThat(life.publish().getDroppedBound()).isEqualTo(2);
    double next = life.newest().getGradientBound();
    assertThat(next).isNotEqualTo(bound);
    assertThat(life.gradient(first, next, 0.1, 0)).isEqualTo(DROPPED_BOUND);
    assertThat(life.gradient(first, bound, 0.1, 0)).isEqualTo(OPEN);
    life.restart();
    assertThat(life.gradient(first, next, 0.1, 0)).isEqualTo(DROPPED_BOUND);
    assertThat(life.gradient(first + 1, next, 0.1, 0)).isEqualTo(OPEN);
    life.model.drop(DROPPED_BOUND, 5);
    assertThat(life.publish().getDroppedBound()).isEqualTo(9);
    assertThat(life.newest().getUsed()).isEqualTo(3);
    assertThat(total(life.newest())).isEqualTo(life.newest().getAnswers() + 12);
  }

  @Test
  void lateAnswersDoNotMoveAClipThatScouts() {
    Life life = new Life(spec(1));
    life.answer(0, true, 1);
    double clip = life.publish().getGradientBound();
    for (int i = 0; i < 50; i++) {
      assertThat(life.answer(0, true, 1)).isEqualTo(DROPPED_STALE);
    }
    assertThat(life.model.hasNewRound()).as("only late answers").isFalse();
    life.answer(1, false, 1);

    assertThat(life.publish().getGradientBound()).isLessThan(clip);
    assertThat(life.newest().getAnswers()).isEqualTo(2);
    assertThat(life.newest().getDroppedStale()).isEqualTo(50);
  }

  /** All answers are the same, so the clip runs to the end of its span. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theClipStaysWithinItsSpan(boolean isAbove) {
    double initial = 3;
    double end = isAbove ? initial * 1e4 : initial / 1e4;
    Life life = new Life(spec(initial));
    for (int p = 0; p < 60; p++) {
      ModelUpdate read = life.newest();
      if (read.getQuestionProbability() < 1) {
        double bound = read.getGradientBound();
        assertThat(life.gradient(read.getRound(), bound, -bound, 0)).isEqualTo(OPEN);
      }
      for (int i = 0; i < 30; i++) {
        life.answer(read.getRound(), isAbove, 1);
      }
      life.publish();
    }
    assertThat(life.newest().getGradientBound()).isEqualTo(end);
    assertThat(life.newest().getGridExponent()).isEqualTo(Math.getExponent(end) - 16);
    assertThat(life.newest().getWeights(0)).isPositive().isFinite();
  }

  /**
   * A round of reports from two publications, in one unit: gradients are absolute, and each report
   * has the grid of its clip.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRoundMayHaveSeveralBounds(boolean isSummedUp) {
    ModelSpec spec =
        Specs.parse(
            "model_id: 'm' dimension: 2 max_staleness: 3 ldp_sgd { step_size: 1 decay: 0 }"
                + " adaptive_clip { initial: 1 size: GRADIENT }");
    Life life = new Life(spec);
    life.scout();
    long first = life.newest().getRound();
    double bound = life.newest().getGradientBound();
    life.gradient(first, bound, -0.5 * bound, 0);
    life.answer(first, true, 1);
    life.publish();
    double next = life.newest().getGradientBound();
    assertThat(next).isGreaterThan(bound);
    double before = life.newest().getWeights(0);
    assertThat(before).isCloseTo(0.5 * bound, within(1e-6 * bound));

    RoundSum grid = Life.report(first, VectorForm.GRID);
    grid.gradientBound = bound;
    grid.dimension = 2;
    grid.exponent = ModelSpecs.gridExponent(bound);
    int steps = (int) Math.scalb(bound / 4, -grid.exponent);
    grid.values = PackedVectors.encode(new int[] {steps, 0});
    Bundle bundle = new Bundle(grid);
    bundle.add(grid);
    life.model.add(isSummedUp ? bundle.seal() : grid);
    if (!isSummedUp) {
      life.model.add(grid);
    }
    RoundSum sparse = Life.report(first + 1, VectorForm.SPARSE_SUM);
    Life.onGrid(sparse, next, next);
    sparse.dimension = 2;
    sparse.indices = new int[] {1};
    life.model.add(sparse);
    life.restart();
    assertThat(life.gradient(first + 1, next, 0, next)).isEqualTo(OPEN);
    ModelUpdate update = life.publish();
    assertThat(update.getWeights(0)).isCloseTo(before - bound / 8, within(1e-4 * bound));
    assertThat(update.getWeights(1)).isCloseTo(-next / 2, within(1e-6 * next));
  }

  @Test
  void theSlopeBoundIsThatOfTheRound() {
    Life life = new Life(spec(1, "size: FEATURES slope_bound: 3 slope_rule: true"));
    assertThat(life.newest().getSize()).isEqualTo(AdaptiveClip.Size.FEATURES);
    assertThat(life.newest().getSlopeBound()).as("half while the learner scouts").isEqualTo(1.5);
    life.scout();
    assertThat(life.newest().getSlopeBound()).as("and before its first step").isEqualTo(1.5);
    for (int t = 0; t < 900 && life.newest().getSlopeBound() < 1.7; t++) {
      ModelUpdate read = life.newest();
      double c = read.getGradientBound();
      life.gradient(read.getRound(), c, (t % 2 == 0 ? 0.9 : -0.8) * c, 0.1 * c);
      ModelUpdate next = life.publish();
      double norm = Math.sqrt(next.getWeightsList().stream().mapToDouble(w -> w * w).sum());
      double features = next.getGradientBound() / read.getSlopeBound();
      assertThat(next.getSlopeBound())
          .isCloseTo(3 * SlopeRule.share(norm * features), withinPercentage(1e-9));
    }
    double announced = life.newest().getSlopeBound();
    assertThat(announced).isBetween(1.7, 2.97);
    long round = life.newest().getRound();
    life.gradient(round, life.newest().getGradientBound(), 0, 0);
    life.restart();
    ModelUpdate again = published(life.model, false);
    assertThat(again.getRound()).isEqualTo(round);
    assertThat(again.getSlopeBound()).as("fixed with its round").isEqualTo(announced);
    Life plain = new Life(spec(1, "size: FEATURES slope_bound: 3"));
    assertThat(plain.newest().getSlopeBound()).isEqualTo(3);
  }

  /** Reports of weights 1 and 1/4 have a mean of 5/8. */
  @Test
  void theSlopeBoundIsSmallerWhereReportsAreLessPrecise() {
    Life life = new Life(spec(1, "size: FEATURES slope_rule: true"));
    life.scout();
    ModelUpdate read = life.newest();
    for (int t = 0; t < 20; t++) {
      read = life.newest();
      double c = read.getGradientBound();
      life.gradient(read.getRound(), c, 0.9 * c, 0);
      RoundSum noisy = Life.report(read.getRound(), VectorForm.GRID_SUM);
      noisy.weightExponent = 2;
      life.model.add(Life.onGrid(noisy, c, 0.5 * c, 0));
      life.publish();
    }
    ModelUpdate next = life.newest();
    double norm = Math.sqrt(next.getWeightsList().stream().mapToDouble(w -> w * w).sum());
    double features = next.getGradientBound() / read.getSlopeBound();
    double share = SlopeRule.share(0.625 * norm * features);
    assertThat(share).isGreaterThan(0.51);
    assertThat(next.getSlopeBound()).isCloseTo(share, withinPercentage(1e-9));
  }

  /** Its rounds begin above those of an earlier model of the same name. */
  @Test
  void scoutingCountsFromTheFirstRound() {
    LiveModel model = LiveModel.begin(spec(1), 70);
    model.publish(true, 0);
    assertThat(model.publishedRound()).isEqualTo(70);
    model.add(TestSums.answer(70, "clip", 1));
    model.publish(true, 0);
    assertThat(model.publishedRound()).isEqualTo(71);
    assertThat(model.round()).isEqualTo(71);
  }

  @Test
  void aFixedBoundAnnouncesNoSize() {
    ModelUpdate update = new Life(Specs.of(2, 3, "black_box {}")).newest();
    assertThat(update.getGradientBound()).isEqualTo(3);
    assertThat(update.hasSize() || update.hasSlopeBound() || update.hasDroppedBound()).isFalse();
    assertThat(update.hasQuestionProbability() || update.hasAnswers()).isFalse();
  }
}
