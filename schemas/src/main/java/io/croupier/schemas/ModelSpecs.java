package io.croupier.schemas;

import java.util.ArrayList;
import java.util.List;

/**
 * The semantics of a {@link ModelSpec}: its defaults, its validation rules, and the rules for
 * changes of a running model's spec.
 */
public final class ModelSpecs {
  /**
   * Largest number of coordinates of a model: an update has 16 bytes per coordinate, and Protobuf
   * messages are limited to 2 GiB.
   */
  public static final int MAX_DIMENSION = 1 << 26;

  /** Largest allowed staleness in publications; the learner keeps a direction for each. */
  public static final int MAX_STALENESS = 1000;

  /**
   * The default degree of the average of black_box, banco, combined and coordinate_wise, in which
   * late rounds weigh more than early ones.
   */
  public static final int AVERAGING_DEGREE = 3;

  /** The least limit of epsilon: ledgers count in units of it, and round limits down. */
  public static final double LEAST_EPSILON = 1e-9;

  /** The least limit of mu, for the same reason: ledgers count its square in units of 1e-12. */
  public static final double LEAST_MU = 1e-6;

  /** The longest period of limits, in days. */
  public static final int MAX_PERIOD_DAYS = 370;

  /** Upper bound on the bytes of all scalar fields and ids of a message. */
  private static final long MESSAGE_OVERHEAD = 8192;

  /** Bytes of one estimate of a category: five numbers. */
  private static final long CATEGORY_BYTES = 5L * Double.BYTES;

  /** Upper bound on the bytes of what surrounds a list of estimates of one statistic. */
  private static final long LIST_BYTES = 32;

  /** Upper bound on the bytes of a kept average: its round, its time, and what surrounds them. */
  private static final long KEPT_BYTES = 25;

  private ModelSpecs() {}

  /**
   * The spec by which a model runs: {@code spec} with black_box instead of its deprecated name
   * adaptive_radius, or {@code spec} itself. The learner adaptive_radius of earlier releases
   * ignored initial_wealth and averaging, so the spec that is returned doesn't have them.
   */
  public static ModelSpec current(ModelSpec spec) {
    if (!spec.hasAdaptiveRadius()) {
      return spec;
    }
    return spec.toBuilder()
        .setBlackBox(BlackBox.getDefaultInstance())
        .clearInitialWealth()
        .clearAveraging()
        .build();
  }

  /** What the author of a valid spec should change, as sentences; usually empty. */
  public static List<String> warnings(ModelSpec spec) {
    if (!spec.hasAdaptiveRadius()) {
      return List.of();
    }
    List<String> warnings = new ArrayList<>();
    warnings.add(
        "adaptive_radius is a deprecated name of black_box, which the model runs as; the next"
            + " release refuses it: write black_box");
    if (spec.hasInitialWealth()) {
      warnings.add("initial_wealth is ignored with adaptive_radius: leave it out");
    }
    if (spec.hasAveraging()) {
      warnings.add("averaging is ignored with adaptive_radius: leave it out");
    }
    return List.copyOf(warnings);
  }

  /**
   * The gradient bound G of the first publication: with an adaptive clip the initial one, otherwise
   * that of all rounds.
   */
  public static double firstGradientBound(ModelSpec spec) {
    return spec.hasAdaptiveClip()
        ? AdaptiveClips.initial(spec.getAdaptiveClip())
        : spec.getGradientBound();
  }

  /** The exponent of the first publication's grid: as set, else that of its gradient bound. */
  public static int gridExponent(ModelSpec spec) {
    return spec.hasGridExponent() ? spec.getGridExponent() : gridExponent(firstGradientBound(spec));
  }

  /** The default exponent of the grid for a gradient bound G: floor(log2 G) - 16. */
  public static int gridExponent(double gradientBound) {
    return Math.getExponent(gradientBound) - 16;
  }

  /** The weights of round 0, shape [dimension], for the caller to keep. */
  public static double[] initialWeights(ModelSpec spec) {
    double[] weights = new double[spec.getDimension()];
    for (int i = 0; i < spec.getInitialWeightsCount(); i++) {
      weights[i] = spec.getInitialWeights(i);
    }
    return weights;
  }

  /** Least number of reports between two publications: as set, else 1. */
  public static int reportsPerRound(ModelSpec spec) {
    return spec.hasReportsPerRound() ? spec.getReportsPerRound() : 1;
  }

  /** Largest staleness of a report, in publications: as set, else 8. */
  public static int maxStaleness(ModelSpec spec) {
    return spec.hasMaxStaleness() ? spec.getMaxStaleness() : 8;
  }

  /** The average of each round is kept whose number is a multiple of this: as set, else 1. */
  public static long historyEveryRounds(ModelSpec spec) {
    return spec.getHistory().hasEveryRounds() ? spec.getHistory().getEveryRounds() : 1;
  }

  /** Probability with which a client answers a published round: as set, else 1. */
  public static double answerProbability(ModelSpec spec) {
    return spec.hasAnswerProbability() ? spec.getAnswerProbability() : 1;
  }

  /** The factor of the bets, which is the wealth that may be lost: as set, else 1. */
  public static double initialWealth(ModelSpec spec) {
    return spec.hasInitialWealth() ? spec.getInitialWealth() : 1;
  }

  /**
   * The degree of the average: as set, else {@link #AVERAGING_DEGREE} for the learners that bet on
   * noised reports and 0 for the others. 0 is uniform.
   */
  public static double averagingDegree(ModelSpec spec) {
    return switch (spec.getAveraging().getAveragingCase()) {
      case POLYNOMIAL -> spec.getAveraging().getPolynomial().getDegree();
      case UNIFORM -> 0;
      case AVERAGING_NOT_SET ->
          switch (spec.getLearnerCase()) {
            case BLACK_BOX, BANCO, COMBINED, COORDINATE_WISE -> AVERAGING_DEGREE;
            default -> 0;
          };
    };
  }

  /** Whether the job adds the noise (the DP-FTRL learners), so that reports come in raw. */
  public static boolean isCentral(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL, DP_FTRL_LEAST_SQUARES, DP_FTRL_PARAMETER_FREE -> true;
      default -> false;
    };
  }

  /** Whether a valid spec has a learner, and not statistics alone. */
  public static boolean hasLearner(ModelSpec spec) {
    return spec.getLearnerCase() != ModelSpec.LearnerCase.LEARNER_NOT_SET;
  }

  /** The name of the learner, such as black_box; none where the model has statistics alone. */
  public static String learner(ModelSpec spec) {
    return hasLearner(spec)
        ? ModelSpec.getDescriptor().findFieldByNumber(spec.getLearnerCase().getNumber()).getName()
        : "none";
  }

  /** The prior of the learner; by default improper, which has no scale. */
  public static Prior prior(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case COORDINATE_WISE -> orImproper(spec.getCoordinateWise().getPrior());
      case BLACK_BOX -> orImproper(spec.getBlackBox().getPrior());
      case COMBINED -> orImproper(Prior.getDefaultInstance());
      case DP_FTRL_PARAMETER_FREE -> orImproper(spec.getDpFtrlParameterFree().getPrior());
      default -> Prior.getDefaultInstance();
    };
  }

  private static Prior orImproper(Prior prior) {
    return prior.getPriorCase() == Prior.PriorCase.PRIOR_NOT_SET
        ? Prior.newBuilder().setImproper(Prior.Improper.getDefaultInstance()).build()
        : prior;
  }

  /** The b of a conjugate prior: as set, else G^2. */
  public static double conjugateB(ModelSpec spec) {
    Prior.Conjugate conjugate = prior(spec).getConjugate();
    double g = spec.getGradientBound();
    return conjugate.hasB() ? conjugate.getB() : g * g;
  }

  /** Whether a tree estimates its sums with Honaker's reduced variance: as set, else yes. */
  public static boolean varianceReduced(PrefixSumNoise.Tree tree) {
    return !tree.hasVarianceReduced() || tree.getVarianceReduced();
  }

  /** The bound on the labels of a least-squares model: as set, else 1. */
  public static double yBound(DpFtrlLeastSquares leastSquares) {
    return leastSquares.hasYBound() ? leastSquares.getYBound() : 1;
  }

  /**
   * Every rule that {@code spec} violates, each as a sentence that names the field, its value and
   * the valid values; empty if the spec is valid.
   */
  public static List<String> violations(ModelSpec spec) {
    Violations violations = new Violations();
    SpecRules.check(spec, violations);
    LearnerRules.check(spec, violations);
    return violations.sentences();
  }

  /**
   * Every forbidden difference between the spec of a running model and its proposed successor: only
   * limits, answer_probability, round_timeout_ms, max_staleness, question_probability, a larger
   * reports_per_round, another experiment, history and served_round are allowed, and questions and
   * statistics may be added and removed. An absent field equals its default, and a deprecated name
   * the current one. Both specs are valid.
   */
  public static List<String> changeViolations(ModelSpec current, ModelSpec next) {
    List<String> violations = new ArrayList<>();
    SpecChanges.compare(current(current), current(next), violations);
    return List.copyOf(violations);
  }

  /** Upper bound on the bytes of an encoded {@link ModelUpdate}, without key and framing. */
  public static long updateBytes(ModelSpec spec) {
    return MESSAGE_OVERHEAD
        + 2L * Double.BYTES * spec.getDimension()
        + KEPT_BYTES * spec.getHistory().getAverages()
        + featureBytes(spec)
        + statisticBytes(spec);
  }

  /** Bytes that the features of a spec, and what it predicts, take in a {@link ModelUpdate}. */
  public static long featureBytes(ModelSpec spec) {
    ModelUpdate.Builder update = ModelUpdate.newBuilder().addAllFeatures(spec.getFeaturesList());
    if (spec.hasPredicts()) {
      update.setPredicts(spec.getPredicts());
    }
    return update.build().getSerializedSize();
  }

  /** Upper bound on the bytes of the statistics and their estimates in a {@link ModelUpdate}. */
  public static long statisticBytes(ModelSpec spec) {
    ModelUpdate.Builder named = ModelUpdate.newBuilder();
    long lists = spec.hasExperiment() ? 3 : 2;
    long estimates = 0;
    for (Statistic statistic : spec.getStatisticsList()) {
      named.addStatisticsBuilder().setStatistic(statistic);
      estimates +=
          lists * (LIST_BYTES + CATEGORY_BYTES * Statistics.size(statistic))
              + Statistics.listBytes(statistic);
    }
    return named.build().getSerializedSize() + estimates;
  }

  /**
   * Upper bound on the bytes of an encoded {@link GradientReport}, without key and framing: dense
   * values, and with them a tau for every coordinate unless the model is central. (A sparse report
   * that names most coordinates would be longer than the equivalent dense one.)
   */
  public static long reportBytes(ModelSpec spec) {
    long vectors = isCentral(spec) ? 1 : 2;
    return MESSAGE_OVERHEAD + vectors * Double.BYTES * spec.getDimension();
  }
}
