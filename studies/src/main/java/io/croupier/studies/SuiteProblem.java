package io.croupier.studies;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One of the different problems on which learners without tuning are compared. */
final class SuiteProblem {
  private static final List<Loss> LOSSES =
      List.of(Loss.ABSOLUTE, Loss.LOGISTIC, Loss.HUBER, Loss.SMOOTHED_HINGE);
  private static final int[] DIMENSIONS = {2, 5, 20};
  private static final List<Features> FEATURES = List.of(Features.values());
  private static final double[] NORMS = {0.1, 1, 10};

  /** How much noise the people add. */
  enum NoiseStrength {
    HALF_EPSILON(0.5),
    EPSILON_1(1),
    EPSILON_4(4),
    EPSILON_16(16),
    NONE(Double.POSITIVE_INFINITY),
    MIX(0.5) {
      @Override
      PrivacyLevels levels(int people) {
        return PrivacyLevels.anyOf(0.5, 1, 4, 16, Double.POSITIVE_INFINITY);
      }
    },
    BURST(0.4) {
      @Override
      PrivacyLevels levels(int people) {
        return PrivacyLevels.first(people / 200 + 12, worst(), 4);
      }
    },
    HALF(1) {
      @Override
      PrivacyLevels levels(int people) {
        return PrivacyLevels.anyOf(worst(), Double.POSITIVE_INFINITY);
      }
    };

    private final double worst;

    NoiseStrength(double worst) {
      this.worst = worst;
    }

    /** The least epsilon. */
    double worst() {
      return worst;
    }

    PrivacyLevels levels(int people) {
      return PrivacyLevels.all(worst);
    }
  }

  /** Laws of noise of the same variance 4 (d + 1) / eps^2 along a direction. */
  enum NoiseKind {
    L2_LAPLACE,
    GAUSSIAN,
    COORDINATE_LAPLACE;

    Noise noise(int dimension) {
      return switch (this) {
        case L2_LAPLACE -> Noise.l2Laplace();
        case GAUSSIAN -> Noise.gaussian(2 * Math.sqrt(dimension + 1.0));
        case COORDINATE_LAPLACE ->
            Noise.coordinateLaplace(Math.sqrt(2 * (dimension + 1.0)), dimension);
      };
    }

    /** Three of five l2_laplace. */
    static NoiseKind any(Random random) {
      return switch (random.nextInt(5)) {
        case 0 -> GAUSSIAN;
        case 1 -> COORDINATE_LAPLACE;
        default -> L2_LAPLACE;
      };
    }
  }

  private final Loss loss;
  private final double norm;
  private final NoiseStrength privacy;
  private final Features features;
  private final NoiseKind kind;
  private final double[] best;

  private SuiteProblem(
      Loss loss, int dimension, double norm, NoiseStrength privacy, Random random) {
    this.loss = loss;
    this.norm = norm;
    this.privacy = privacy;
    this.features = FEATURES.get(random.nextInt(FEATURES.size()));
    this.kind = NoiseKind.any(random);
    this.best = best(dimension, norm, random);
  }

  /** All combinations; what they don't determine is random. */
  static List<SuiteProblem> suite(Random random) {
    List<SuiteProblem> suite = new ArrayList<>();
    for (Loss loss : LOSSES) {
      for (int dimension : DIMENSIONS) {
        for (double norm : NORMS) {
          for (NoiseStrength privacy : NoiseStrength.values()) {
            suite.add(new SuiteProblem(loss, dimension, norm, privacy, random));
          }
        }
      }
    }
    return suite;
  }

  /**
   * Equal coordinates, a random direction, or a fifth of the coordinates, at random; never only the
   * intercept, since the prediction would then be constant.
   */
  static double[] best(int dimension, double norm, Random random) {
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

  int dimension() {
    return best.length;
  }

  Loss loss() {
    return loss;
  }

  NoiseStrength privacy() {
    return privacy;
  }

  Features features() {
    return features;
  }

  /** The best weights. */
  double[] best() {
    return best;
  }

  /** The law of the noise. */
  NoiseKind kind() {
    return kind;
  }

  Noise noise() {
    return kind.noise(dimension());
  }

  String label() {
    return "%s, d = %d, ||w*|| = %s, %s, %s, %s"
        .formatted(
            loss.label,
            dimension(),
            NumberLabels.short3(norm),
            privacy.name(),
            features.name(),
            kind);
  }
}
