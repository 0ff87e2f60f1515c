package io.croupier.studies;

import io.croupier.cli.data.Census;
import io.croupier.cli.data.Problem;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Two classes to be predicted, from which a plan's law of errors is fitted.
 *
 * @param untrained loss without a model
 * @param gain that loss less the one of the best weights
 */
record PlanProblem(String label, Problem problem, double untrained, double gain) {
  private static final long SEED = 5000;
  private static final int[] DIMENSIONS = {3, 6, 12, 25, 50};
  private static final List<FeatureLaw> FEATURES = List.of(FeatureLaw.values());

  /** Standard deviations of the log odds. */
  private static final double[] ODDS = {0.7, 1.4, 2.8};

  /** Of the logarithm of the features' norms. */
  private static final double[] SPREADS = {0, 0.5};

  /** Number of dimensions that there are. */
  static final int MOST = DIMENSIONS.length;

  /** The number of problems of so many dimensions. */
  static int count(int dimensions) {
    return 1 + dimensions * FEATURES.size();
  }

  /** The census, and simulated people of the first dimensions and all laws of features. */
  static List<PlanProblem> all(int dimensions, int people) {
    List<PlanProblem> all = new ArrayList<>();
    all.add(of("census d = 8", Census.load().problem()));
    for (int d = 0; d < dimensions; d++) {
      for (int f = 0; f < FEATURES.size(); f++) {
        all.add(
            simulated(
                DIMENSIONS[d],
                FEATURES.get(f),
                ODDS[(d + f) % ODDS.length],
                SPREADS[(d + f) % SPREADS.length],
                people));
      }
    }
    return all;
  }

  private static PlanProblem simulated(
      int dimension, FeatureLaw features, double odds, double spread, int people) {
    SeededRandom random = new SeededRandom(SEED + dimension);
    Design design = new Design(features, dimension, people, spread);
    double[] best = new double[dimension];
    for (int j = 0; j < dimension; j++) {
      best[j] = random.normal();
    }
    double[] predictions =
        Arrays.stream(design.points).mapToDouble(x -> Vectors.dot(x, best)).toArray();
    double mean = Arrays.stream(predictions).average().orElseThrow();
    double variance =
        Arrays.stream(predictions).map(p -> (p - mean) * (p - mean)).average().orElseThrow();
    double[] all = new double[people * dimension];
    double[] targets = new double[people];
    double[] importance = new double[people];
    Arrays.fill(importance, 1);
    for (int i = 0; i < people; i++) {
      System.arraycopy(design.points[i], 0, all, i * dimension, dimension);
      targets[i] = Loss.LOGISTIC.target(random, odds / Math.sqrt(variance) * predictions[i]);
    }
    return of(
        "%s d = %d".formatted(features.name().toLowerCase(Locale.ROOT), dimension),
        new Problem(all, targets, importance, new LogisticLoss()));
  }

  private static PlanProblem of(String label, Problem problem) {
    double untrained = problem.score(new double[problem.dimension()]).loss();
    double best = problem.score(problem.optimum()).loss();
    return new PlanProblem(label, problem, untrained, untrained - best);
  }
}
