package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.client.Sizes;
import io.croupier.client.Softmax;
import io.croupier.client.loss.AbsoluteLoss;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.SoftmaxLoss;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.LossAbove;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.util.Collections;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProblemTest {

  static Stream<Problem> problems() {
    return Stream.of(
        Simulation.logistic(400, 1).problem(), Simulation.linear(400, 2).problem(), softmax(400));
  }

  /** Three classes, of which the one with the highest score is the most probable. */
  private static Problem softmax(int people) {
    Random random = new Random(6);
    double[] features = random.doubles(4L * people, -1, 1).toArray();
    double[] targets = new double[people];
    for (int i = 0; i < people; i++) {
      double[] scores = {
        4 * features[4 * i] + random.nextGaussian(),
        4 * features[4 * i + 1] + random.nextGaussian(),
        random.nextGaussian()
      };
      targets[i] = Softmax.predicted(scores);
    }
    return new Problem(features, targets, Scaling.ones(people), new SoftmaxLoss(3));
  }

  /** There is no minimum: the weights grow until the loss no longer decreases. */
  @Test
  void classesThatThresholdsSeparateArePredicted() {
    Random random = new Random(2);
    int people = 2000;
    double[] features = new double[2 * people];
    double[] targets = new double[people];
    for (int i = 0; i < people; i++) {
      int age = 20 + random.nextInt(60);
      features[2 * i] = 0.5;
      features[2 * i + 1] = (age - 50) / 40.0;
      targets[i] = age < 40 ? 2 : age < 60 ? 1 : 0;
    }
    Problem problem = new Problem(features, targets, Scaling.ones(people), new SoftmaxLoss(3));
    assertThat(problem.score(problem.optimum()).fit()).isEqualTo(1);
    assertThat(problem.score(problem.optimum()).loss()).isLessThan(1e-6);
  }

  @Test
  void theOptimumOfThreeClassesPredictsThem() {
    Problem problem = softmax(1000);
    assertThat(problem.dimension()).isEqualTo(12);
    assertThat(problem.score(new double[12]).loss()).isCloseTo(Math.log(3), within(1e-12));
    double[] optimum = problem.optimum();
    double[] gradient = new double[12];
    problem.derivatives(optimum, gradient, new double[12][12]);
    assertThat(Sizes.norm(gradient)).isLessThan(1e-5);
    assertThat(problem.score(optimum).fit()).isGreaterThan(0.7);
    assertThat(problem.gradientBound()).isLessThanOrEqualTo(2 * Math.sqrt(2));
  }

  @ParameterizedTest
  @MethodSource("problems")
  void gradientsAgreeWithFiniteDifferences(Problem problem) {
    int d = problem.dimension();
    Random random = new Random(3);
    double[] gradient = new double[d];
    double[] mean = new double[d];
    double[] weights = random.doubles(d, -1, 1).toArray();
    for (int i = 0; i < problem.size(); i++) {
      problem.gradient(i, weights, gradient);
      for (int j = 0; j < d; j++) {
        mean[j] += gradient[j] / problem.size();
      }
    }
    double[] derivative = new double[d];
    problem.derivatives(weights, derivative, new double[d][d]);
    double importance = mean[0] / derivative[0];
    for (int j = 0; j < d; j++) {
      assertThat(derivative[j]).isCloseTo(slope(problem, weights, j), within(1e-5));
      assertThat(mean[j]).isCloseTo(importance * derivative[j], within(1e-12));
    }
  }

  /** With the size FEATURES, the slope bound of the loss makes it a bound on every gradient. */
  @Test
  void sizesBoundGradients() {
    Problem problem = Simulation.logistic(400, 1).problem();
    double[] gradient = new double[problem.dimension()];
    double[] weights = new Random(3).doubles(problem.dimension(), -3, 3).toArray();
    RoundTerms features = terms(AdaptiveClip.Size.FEATURES, 1);
    RoundTerms half = terms(AdaptiveClip.Size.FEATURES, 0.5);
    RoundTerms norm = terms(AdaptiveClip.Size.GRADIENT, 0);
    double closest = 0;
    for (int i = 0; i < problem.size(); i++) {
      problem.gradient(i, weights, gradient);
      double size = problem.size(features, i, weights);
      assertThat(problem.size(features, i, new double[weights.length])).isEqualTo(size);
      assertThat(problem.size(half, i, weights)).isEqualTo(size / 2);
      assertThat(problem.size(norm, i, weights)).isEqualTo(Sizes.norm(gradient));
      closest = Math.max(closest, Sizes.norm(gradient) / size);
      assertThat(problem.times(100).size(features, i, weights)).isCloseTo(100 * size, within(1e-9));
    }
    assertThat(closest).isBetween(0.95, 1.0);
  }

  private static RoundTerms terms(AdaptiveClip.Size size, double slopeBound) {
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId("m")
            .setRound(0)
            .addAllWeights(Collections.nCopies(6, 0.0))
            .addAllAverage(Collections.nCopies(6, 0.0))
            .setGradientBound(1)
            .setGridExponent(-16)
            .setSize(size)
            .setSlopeBound(slopeBound)
            .setQuestionProbability(0.02)
            .build();
    return ModelSnapshot.parse(update.toByteArray()).terms();
  }

  /** The mean of a loss from 0 to 1 is the integral of the fractions above thresholds. */
  @ParameterizedTest
  @MethodSource("problems")
  void answersAddUpToTheScore(Problem problem) {
    double[] weights = new Random(5).doubles(problem.dimension(), -0.1, 0.1).toArray();
    if (problem.hasClasses()) {
      Question accuracy = Question.newBuilder().setAccuracy(Accuracy.getDefaultInstance()).build();
      assertThat(yes(problem, accuracy, weights)).isEqualTo(problem.score(weights).fit());
    }
    double mean = 0;
    int steps = 4000;
    double most = 40;
    for (int i = 0; i < steps; i++) {
      LossAbove above = LossAbove.newBuilder().setThreshold(most * (i + 0.5) / steps).build();
      Question question = Question.newBuilder().setLossAbove(above).build();
      mean += most / steps * yes(problem, question, weights);
    }
    double[] none = new double[problem.dimension()];
    double meanImportance = importance(problem, none);
    assertThat(mean)
        .isCloseTo(meanImportance * problem.score(weights).loss(), within(most / steps));
  }

  @Test
  void onlyClassesHaveAnAccuracy() {
    Question accuracy = Question.newBuilder().setAccuracy(Accuracy.getDefaultInstance()).build();
    Question loss = Question.newBuilder().setLossAbove(LossAbove.getDefaultInstance()).build();
    Problem classes = Simulation.logistic(4, 1).problem();
    Problem numbers = Simulation.linear(4, 2).problem();
    assertThat(classes.canAnswer(accuracy)).isTrue();
    assertThat(classes.canAnswer(loss)).isTrue();
    assertThat(numbers.canAnswer(accuracy)).isFalse();
    assertThat(numbers.canAnswer(loss)).isTrue();
    assertThat(numbers.canAnswer(Question.getDefaultInstance())).isFalse();
    double[] weights = new double[numbers.dimension()];
    assertThatThrownBy(() -> numbers.answer(accuracy, 0, weights))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only classes");
  }

  private static double yes(Problem problem, Question question, double[] weights) {
    int yes = 0;
    for (int i = 0; i < problem.size(); i++) {
      yes += problem.answer(question, i, weights) ? 1 : 0;
    }
    return (double) yes / problem.size();
  }

  /** The mean importance: the ratio of the mean gradient to the gradient of the mean loss. */
  private static double importance(Problem problem, double[] weights) {
    int d = problem.dimension();
    double[] derivative = new double[d];
    problem.derivatives(weights, derivative, new double[d][d]);
    double[] gradient = new double[d];
    double sum = 0;
    for (int i = 0; i < problem.size(); i++) {
      problem.gradient(i, weights, gradient);
      sum += gradient[0] / problem.size();
    }
    return sum / derivative[0];
  }

  @ParameterizedTest
  @MethodSource("problems")
  void secondDerivativesAgreeWithFiniteDifferences(Problem problem) {
    int d = problem.dimension();
    double[] weights = new Random(4).doubles(d, -1, 1).toArray();
    double[][] hessian = new double[d][d];
    problem.derivatives(weights, new double[d], hessian);
    for (int j = 0; j < d; j++) {
      double[] above = weights.clone();
      double[] below = weights.clone();
      above[j] += 1e-4;
      below[j] -= 1e-4;
      double[] gradientAbove = new double[d];
      double[] gradientBelow = new double[d];
      problem.derivatives(above, gradientAbove, new double[d][d]);
      problem.derivatives(below, gradientBelow, new double[d][d]);
      for (int k = 0; k < d; k++) {
        // Huber's second derivative jumps as a residual passes c: one of 400 people moves it by 0.1
        // %.
        assertThat(hessian[j][k])
            .isCloseTo((gradientAbove[k] - gradientBelow[k]) / 2e-4, within(5e-3));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("problems")
  void theOptimumHasNoSlopeAndNothingBesideItIsBetter(Problem problem) {
    double[] optimum = problem.optimum();
    double[] gradient = new double[problem.dimension()];
    problem.derivatives(optimum, gradient, new double[gradient.length][gradient.length]);
    assertThat(gradient).containsOnly(new double[gradient.length], within(1e-6));

    double[] beside = optimum.clone();
    beside[0] += 0.01;
    assertThat(problem.score(beside).loss()).isGreaterThan(problem.score(optimum).loss());
  }

  @ParameterizedTest
  @MethodSource("problems")
  void noGradientIsLongerThanTheBound(Problem problem) {
    double[] gradient = new double[problem.dimension()];
    double[] weights = new Random(5).doubles(problem.dimension(), -30, 30).toArray();
    double longest = 0;
    for (int i = 0; i < problem.size(); i++) {
      problem.gradient(i, weights, gradient);
      longest = Math.max(longest, Sizes.norm(gradient));
    }
    assertThat(longest)
        .isBetween(problem.gradientBound() / 2, problem.gradientBound() * (1 + 1e-12));
  }

  @Test
  void theSlopeRuleIsForClasses() {
    double[] features = {3, 4, 0, -2};
    double[] targets = {0, 1};
    double[] importance = {1, 1};
    Problem classes = new Problem(features, targets, importance, new LogisticLoss());
    Problem residuals = new Problem(features, targets, importance, new AbsoluteLoss());

    assertThat(classes.adaptiveClip().getSize()).isEqualTo(AdaptiveClip.Size.FEATURES);
    assertThat(classes.adaptiveClip().getSlopeRule()).isTrue();
    assertThat(residuals.adaptiveClip().getSize()).isEqualTo(AdaptiveClip.Size.GRADIENT);
    assertThat(residuals.adaptiveClip().getSlopeRule()).isFalse();
  }

  @Test
  void normsOfFeaturesAreThoseOfTheirRowsTimesImportance() {
    double[] features = {3, 4, 0, -2};
    Problem problem =
        new Problem(features, new double[] {0, 1}, new double[] {1, 7}, new LogisticLoss());

    assertThat(problem.featureNorm(0)).isEqualTo(5);
    assertThat(problem.featureNorm(1)).isEqualTo(7 * 2);
  }

  @Test
  void separableClassesEndSomewhere() {
    double[] features = {1, -1, 1, 1};
    double[] targets = {0, 1};
    Problem problem = new Problem(features, targets, new double[] {1, 1}, new LogisticLoss());

    double[] optimum = problem.optimum();

    assertThat(problem.score(optimum)).isEqualTo(new Score(problem.score(optimum).loss(), 1));
    assertThat(problem.score(optimum).loss()).isLessThan(1e-6);
  }

  @Test
  void repeatedColumnsDoNoHarm() {
    double[] features = {1, 1, 1, 1, -1, -1, 2, 2};
    double[] targets = {0, 1, 0, 1};
    Problem problem = new Problem(features, targets, Scaling.ones(4), new LogisticLoss());

    assertThat(problem.score(problem.optimum()).loss()).isLessThan(Math.log(2));
  }

  @Test
  void farOutWeightsGiveFiniteLosses() {
    Problem problem = Simulation.logistic(10, 6).problem();
    double[] weights = {1e150, -1e150, 0, 1e149, 0, 0};

    assertThat(problem.score(weights).loss()).isFinite().isPositive();
  }

  @Test
  void theFirstPeopleStayTheSamePeople() {
    Problem problem = Simulation.linear(10, 7).problem();
    double[] weights = {1, 1, 1, 1, 1, 1};
    double[] all = new double[6];
    double[] few = new double[6];
    problem.gradient(2, weights, all);
    problem.first(3).gradient(2, weights, few);

    assertThat(problem.first(3).size()).isEqualTo(3);
    assertThat(few).containsExactly(all);
    assertThat(problem.first(99)).isSameAs(problem);
  }

  @Test
  void refusesArraysThatDontBelongTogether() {
    assertThatThrownBy(
            () -> new Problem(new double[5], new double[2], new double[2], new LogisticLoss()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("features have 5 values; all of the 2 rows must have as many");
  }

  private static double slope(Problem problem, double[] weights, int j) {
    double[] above = weights.clone();
    double[] below = weights.clone();
    above[j] += 1e-6;
    below[j] -= 1e-6;
    return (problem.score(above).loss() - problem.score(below).loss()) / 2e-6;
  }
}
