package io.croupier.operators.model;

import static io.croupier.operators.model.LiveModel.BundleOutcome.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many devices a model asks while it scouts. */
class ScoutingTest {
  private static final double STRENGTH = Math.tanh(2);

  private static ModelSpec spec(String more) {
    return spec("black_box", more);
  }

  private static ModelSpec initial(double clip) {
    return spec("adaptive_clip { initial: %s size: GRADIENT }".formatted(clip));
  }

  private static ModelUpdateView publish(LiveModel model) {
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    model.confirm();
    return update;
  }

  private static void answer(LiveModel model, long round, double response) {
    model.add(TestSums.answer(round, "clip", response));
  }

  /** Half of the answers are yes. */
  private static void answers(LiveModel model, long round, int count) {
    for (int i = 0; i < count; i++) {
      answer(model, round, i % 2 == 0 ? 1 : -1);
    }
  }

  /**
   * What scouting took.
   *
   * @param clips of all publications, with that of the first gradients
   * @param spent answers
   */
  private record Search(List<Double> clips, int spent) {
    double last() {
      return clips.get(clips.size() - 1);
    }
  }

  /**
   * All devices are there at each publication, with log-normal sizes around 1. A device keeps its
   * lot while a round is announced again.
   *
   * @param later number of devices after the first publication
   * @param follow whether devices follow the announced probability
   */
  private static Search scout(double initial, int devices, int later, boolean follow, int seed) {
    Random random = new Random(seed);
    LiveModel model = LiveModel.begin(initial(initial), 0);
    List<Double> clips = new ArrayList<>();
    int spent = 0;
    int announcements = 0;
    double[] lots = new double[0];
    boolean[] answered = new boolean[0];
    ModelUpdateView update = publish(model);
    for (long drawn = -1; update.getQuestionProbability() == 1; update = publish(model)) {
      if (update.getRound() != drawn) {
        drawn = update.getRound();
        lots = random.doubles(drawn == 0 ? devices : later).toArray();
        answered = new boolean[lots.length];
        clips.add(update.getGradientBound());
      }
      for (int i = 0; i < lots.length; i++) {
        if (!answered[i] && (!follow || lots[i] < update.getAnswerProbability())) {
          answered[i] = true;
          boolean isAbove = 0.8 * random.nextGaussian() > Math.log(update.getGradientBound());
          boolean isTrue = random.nextDouble() < (1 + STRENGTH) / 2;
          answer(model, drawn, isAbove == isTrue ? STRENGTH : -STRENGTH);
          spent++;
        }
      }
      assertThat(announcements++).isLessThan(200);
    }
    clips.add(update.getGradientBound());
    return new Search(clips, spent);
  }

  private static ModelSpec spec(String learner, String more) {
    return Specs.parse("model_id: 'm' dimension: 2 %s {} %s".formatted(learner, more));
  }

  /** The learner knows the publications by the numbers that reports name. */
  @ParameterizedTest
  @ValueSource(strings = {"black_box", "combined"})
  void afterScoutingAModelLearnsAsWithAFixedClip(String learner) {
    LiveModel moving = LiveModel.begin(spec(learner, "adaptive_clip { size: GRADIENT }"), 0);
    ModelUpdateView update = publish(moving);
    while (update.getQuestionProbability() == 1) {
      answers(moving, update.getRound(), 100);
      update = publish(moving);
    }
    double clip = update.getGradientBound();
    LiveModel fixed = LiveModel.begin(spec(learner, "gradient_bound: " + clip), 0);
    publish(fixed);
    Random random = new Random(4);
    for (int round = 0; round < 20; round++) {
      double[] gradient = {0.3 * clip, 0.6 * clip * (random.nextDouble() - 0.5)};
      int exponent = ReportWeight.gridExponent(clip, 0);
      for (LiveModel model : List.of(moving, fixed)) {
        RoundSum report = TestSums.dense(model.publishedRound(), 0, 0);
        report.exponent = exponent;
        report.values = PackedVectors.encode(TestSums.steps(gradient, exponent));
        report.gradientBound = model == moving ? clip : 0;
        assertThat(model.add(report)).isEqualTo(OPEN);
      }
      ModelUpdateView ofMoving = publish(moving);
      ModelUpdateView ofFixed = publish(fixed);
      assertThat(ofMoving.getWeights(0)).isEqualTo(ofFixed.getWeights(0));
      assertThat(ofMoving.getAverage(0)).isEqualTo(ofFixed.getAverage(0));
    }
    assertThat(LocalModels.weights(fixed.publish(false, 0).orElseThrow())[0]).isNegative();
  }

  /** Few devices are all asked, at every publication. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 100})
  void fewDevicesScoutAsIfAllWereAsked(int devices) {
    for (double initial : new double[] {1, 1e-4, 1e4}) {
      assertThat(scout(initial, devices, devices, true, 3))
          .isEqualTo(scout(initial, devices, devices, false, 3));
    }
  }

  /**
   * After the first publication, each asks about 180 / h^2 = 194 devices. The number of answers has
   * a standard deviation of 14 at each; seeds are fixed.
   */
  @ParameterizedTest
  @CsvSource({"1000, 1, 6000", "10000, 1, 60000", "10000, 100, 60000", "10000, 0.01, 60000"})
  void manyDevicesAreSpared(int devices, double initial, int ifAllAnswer) {
    double squares = 0;
    double squaresIfAll = 0;
    int seeds = 10;
    for (int seed = 0; seed < seeds; seed++) {
      Search asked = scout(initial, devices, devices, true, seed);
      Search all = scout(initial, devices, devices, false, seed);
      assertThat(all.spent).isEqualTo(ifAllAnswer);
      assertThat(asked.clips).hasSameSizeAs(all.clips);
      assertThat(asked.spent).isBetween(devices + 5 * 160, devices + 5 * 230);
      squares += Math.pow(Math.log(asked.last()), 2) / seeds;
      squaresIfAll += Math.pow(Math.log(all.last()), 2) / seeds;
    }
    assertThat(squares).as("squared logarithm of the clip over the median").isLessThan(0.5);
    assertThat(squares).isLessThan(squaresIfAll + 0.1);
  }

  /** Where the first clip is far off, each publication still takes the largest step. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-4, 1e4})
  void theSearchReachesAsFarAsIfAllWereAsked(double initial) {
    double asked = scout(initial, 10_000, 10_000, true, 1).last();
    double all = scout(initial, 10_000, 10_000, false, 1).last();
    assertThat(Math.log(asked)).isCloseTo(Math.log(all), within(0.1));
  }

  /** Nearly all devices leave after the first publication, so hardly any is asked at the second. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 50})
  void scoutingContinuesWithTheDevicesThatAreLeft(int left) {
    for (int seed = 0; seed < 10; seed++) {
      Search search = scout(1, 20_000, left, true, seed);
      assertThat(search.clips).hasSize(7);
      assertThat(search.spent).isBetween(20_000 + 5, 20_000 + 7 * left);
    }
  }

  @Test
  void theShareMultipliesTheProbabilityOfTheSpec() {
    LiveModel model =
        LiveModel.begin(spec("answer_probability: 0.5 adaptive_clip { size: GRADIENT }"), 0);
    assertThat(publish(model).getAnswerProbability()).isEqualTo(0.5);
    answers(model, 0, 3000);
    ModelUpdateView second = publish(model);
    assertThat(second.getRound()).isOne();
    assertThat(second.getAnswerProbability()).isEqualTo(0.5 * 180 / 3000);
    answers(model, 1, 120);
    assertThat(publish(model).getAnswerProbability()).isCloseTo(0.045, within(1e-15));
    for (long round = 2; round < 6; round++) {
      answers(model, round, 150);
      publish(model);
    }
    ModelUpdateView learning = model.publish(true, 0).orElseThrow();
    assertThat(learning.getQuestionProbability()).isLessThan(1);
    assertThat(learning.getAnswerProbability()).as("of all later rounds").isEqualTo(0.5);
  }

  /** Each announcement of a round without answers doubles the probability. */
  @Test
  void aRoundWithoutAnswersIsAnnouncedAgainToMoreDevices() {
    LiveModel model = LiveModel.begin(initial(1), 0);
    publish(model);
    assertThat(model.hasNews()).as("all are asked").isFalse();
    answers(model, 0, 1000);
    ModelUpdateView second = model.publish(true, 0).orElseThrow();
    assertThat(model.hasNews()).as("not visible yet").isFalse();
    model.confirm();
    assertThat(model.hasNews()).isTrue();
    assertThat(model.hasNewRound()).isFalse();
    List<Double> probabilities = new ArrayList<>(List.of(second.getAnswerProbability()));
    Map<String, byte[]> stored = new HashMap<>();
    for (int i = 0; model.hasNews(); i++) {
      assertThat(i).isLessThan(4);
      model = LocalModels.restarted(model, stored);
      ModelUpdateView again = model.publish(false, 0).orElseThrow();
      assertThat(again.getRound()).isOne();
      assertThat(again.getGradientBound()).isEqualTo(second.getGradientBound());
      probabilities.add(again.getAnswerProbability());
    }
    assertThat(probabilities).isEqualTo(Arrays.asList(0.18, 0.36, 0.72, 1.0));
    answer(model, 1, 1);
    publish(model);
    answers(model, 2, 720);
    assertThat(publish(model).getAnswerProbability()).isEqualTo(0.25);
    answer(model, 3, 1);
    model.publish(false, 0);
    assertThat(model.hasNews()).as("there are answers").isFalse();
    assertThat(model.publish(false, 0).orElseThrow().getAnswerProbability()).isEqualTo(0.25);
  }

  /** So that devices that ignore the probability can't outvote all others. */
  @Test
  void atLeastOneDeviceInManyIsAsked() {
    LiveModel model = LiveModel.begin(initial(1), 0);
    publish(model);
    answers(model, 0, 100_000);
    assertThat(publish(model).getAnswerProbability()).isEqualTo(1.0 / 64);
  }

  /** Information counts, not the number of answers. */
  @Test
  void weakAnswersMustBeMore() {
    LiveModel model = LiveModel.begin(initial(1), 0);
    publish(model);
    for (int i = 0; i < 1000; i++) {
      answer(model, 0, i % 2 == 0 ? 0.5 : -0.5);
    }
    assertThat(publish(model).getAnswerProbability()).isCloseTo(0.72, within(1e-12));
  }
}
