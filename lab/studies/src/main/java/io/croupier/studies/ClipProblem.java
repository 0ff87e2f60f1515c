package io.croupier.studies;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * One of the different problems on which ways to choose a clip are compared.
 *
 * @param loss with a slope of at most 1, except the squared one
 * @param unit scale of the gradients: the features' norms are multiples of it
 * @param mechanism of every report
 * @param epsilon of every report and answer
 */
record ClipProblem(
    String label,
    Loss loss,
    double unit,
    StudiedMechanism mechanism,
    double epsilon,
    Population population) {

  private static final int[] DIMENSIONS = {2, 5, 20};
  private static final List<FeatureLaw> FEATURES = List.of(FeatureLaw.values());
  private static final double[] NORMS = {0.1, 1, 10};
  static final double[] EPSILONS = {0.7, 2, 8};
  private static final double[] SPREADS = {0, 0.5, 1};

  /** The unit is from 10^-2 to 10^2. */
  private static final double DECADES = 2;

  /**
   * All combinations of loss, norm of the best weights, epsilon and mechanism; what they don't
   * determine is random.
   */
  static List<ClipProblem> suite(Random random, int designPoints) {
    List<ClipProblem> suite = new ArrayList<>();
    for (Loss loss : Loss.values()) {
      for (double norm : NORMS) {
        for (double epsilon : EPSILONS) {
          for (StudiedMechanism mechanism :
              List.of(StudiedMechanism.L2_LAPLACE, StudiedMechanism.PRIV_UNIT)) {
            suite.add(of(loss, norm, epsilon, mechanism, random, designPoints));
          }
        }
      }
    }
    return suite;
  }

  private static ClipProblem of(
      Loss loss,
      double norm,
      double epsilon,
      StudiedMechanism mechanism,
      Random random,
      int designPoints) {
    int dimension = DIMENSIONS[random.nextInt(DIMENSIONS.length)];
    FeatureLaw features = FEATURES.get(random.nextInt(FEATURES.size()));
    double spread = SPREADS[random.nextInt(SPREADS.length)];
    double unit = Math.pow(10, DECADES * (2 * random.nextDouble() - 1));
    double[] best = best(dimension, norm / unit, random);
    Design design = new Design(features, dimension, designPoints, unit, spread);
    String label =
        "%s, d = %d, norm of w* %s, %s, eps %s, %s, spread %s"
            .formatted(
                loss.label,
                dimension,
                NumberLabels.short3(norm),
                mechanism.label,
                NumberLabels.short3(epsilon),
                features.name().toLowerCase(Locale.ROOT),
                NumberLabels.short3(spread));
    Population population = new PredictionProblem(design, loss, best);
    return new ClipProblem(label, loss, unit, mechanism, epsilon, population);
  }

  /** Whether the size is that of the features, as for losses of classes. */
  boolean isByFeatures() {
    return loss == Loss.LOGISTIC || loss == Loss.SMOOTHED_HINGE;
  }

  /** Excess risk of never moving. */
  double zero() {
    return population.excess(new double[population.dimension()]);
  }

  /**
   * Equal coordinates, a random direction, or a fifth of the coordinates, at random; never only the
   * intercept, since the prediction would then be constant.
   */
  private static double[] best(int dimension, double norm, Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> PredictionProblem.dense(dimension, norm);
      case 1 -> normal(dimension, dimension, norm, random);
      default -> normal(dimension, Math.max(1, dimension / 5), norm, random);
    };
  }

  private static double[] normal(int dimension, int nonZero, double norm, Random random) {
    double[] best = new double[dimension];
    double square = 0;
    int first = 1 + random.nextInt(dimension - 1);
    for (int i = 0; i < nonZero; i++) {
      double value = random.nextGaussian();
      best[(first + i) % dimension] = value;
      square += value * value;
    }
    for (int j = 0; j < dimension; j++) {
      best[j] *= norm / Math.sqrt(square);
    }
    return best;
  }
}
