package io.croupier.schemas;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The rules for the fields that every model has. */
final class SpecRules {
  /** What a model's id must be. */
  static final String MODEL_ID =
      "1 to 100 letters, digits, '.', '_' or '-', and neither '.' nor '..'";

  private static final int MAX_MODEL_ID_LENGTH = 100;

  /** Keeps sums of squares, and 1/G^2, far within the range of a double. */
  private static final double MIN_GRADIENT_BOUND = 1e-100;

  private static final double MAX_GRADIENT_BOUND = 1e100;

  /** Ensures that the square of every 32-bit multiple of 2^exponent is a normal double. */
  private static final int MAX_GRID_EXPONENT = 400;

  /**
   * t^p stays finite for every round t &lt; 2^63 only while p is at most 16; beyond, see the
   * average.
   */
  private static final double MAX_DEGREE = 100;

  /** Ten years: added to any time of day, it is a time. */
  private static final long MAX_ROUND_TIMEOUT_MS = Duration.ofDays(3650).toMillis();

  private static final int MAX_AVERAGES = 100;

  /** What only a model with a learner has. */
  private static final Set<Integer> OF_LEARNERS =
      Set.of(
          ModelSpec.DIMENSION_FIELD_NUMBER,
          ModelSpec.GRADIENT_BOUND_FIELD_NUMBER,
          ModelSpec.GRID_EXPONENT_FIELD_NUMBER,
          ModelSpec.INITIAL_WEIGHTS_FIELD_NUMBER,
          ModelSpec.INITIAL_WEALTH_FIELD_NUMBER,
          ModelSpec.AVERAGING_FIELD_NUMBER,
          ModelSpec.REPORT_BOUND_FIELD_NUMBER,
          ModelSpec.QUESTIONS_FIELD_NUMBER,
          ModelSpec.QUESTION_PROBABILITY_FIELD_NUMBER,
          ModelSpec.ADAPTIVE_CLIP_FIELD_NUMBER,
          ModelSpec.MEMORY_FIELD_NUMBER,
          ModelSpec.FEATURES_FIELD_NUMBER,
          ModelSpec.PREDICTS_FIELD_NUMBER,
          ModelSpec.ANONYMOUS_FIELD_NUMBER,
          ModelSpec.HISTORY_FIELD_NUMBER,
          ModelSpec.SERVED_ROUND_FIELD_NUMBER);

  private SpecRules() {}

  /** Whether it is a name that is no step of a path: clients resolve the URL of a model. */
  static boolean isModelId(String id) {
    return isName(id) && !id.equals(".") && !id.equals("..");
  }

  static boolean isName(String id) {
    boolean fits = !id.isEmpty() && id.length() <= MAX_MODEL_ID_LENGTH;
    for (int i = 0; fits && i < id.length(); i++) {
      fits = isOfModelId(id.charAt(i));
    }
    return fits;
  }

  /** Called for every report; several times as fast as a regular expression. */
  private static boolean isOfModelId(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  static void check(ModelSpec spec, Violations violations) {
    violations.require(
        isModelId(spec.getModelId()), "model_id", '"' + spec.getModelId() + '"', MODEL_ID);
    checkRounds(spec, violations);
    checkLimits(spec, violations);
    Statistics.check(spec, violations);
    checkExperiment(spec, violations);
    if (ModelSpecs.hasLearner(spec) || spec.getStatisticsCount() == 0) {
      checkLearning(spec, violations);
    } else {
      checkAlone(spec, violations);
    }
  }

  private static void checkExperiment(ModelSpec spec, Violations violations) {
    if (spec.hasExperiment()) {
      String name = spec.getExperiment();
      violations.require(isName(name), "experiment", '"' + name + '"', MODEL_ID);
      violations.require(
          spec.getQuestionsCount() > 0
              || spec.getStatisticsList().stream().anyMatch(Statistic::hasChoice),
          "experiment",
          '"' + name + '"',
          "left out: the model has neither questions nor choices");
    }
  }

  private static void checkAlone(ModelSpec spec, Violations violations) {
    for (FieldDescriptor field : spec.getAllFields().keySet()) {
      violations.require(
          !OF_LEARNERS.contains(field.getNumber()),
          field.getName(),
          field.isRepeated() || field.getJavaType() == JavaType.MESSAGE
              ? "set"
              : spec.getField(field),
          "left out, since the model has statistics and no learner; otherwise learner must be "
              + LearnerRules.LEARNERS);
    }
  }

  private static void checkLearning(ModelSpec spec, Violations violations) {
    checkVectors(spec, violations);
    if (spec.hasInitialWealth()) {
      violations.positive("initial_wealth", true, spec.getInitialWealth());
    }
    if (spec.hasAveraging()) {
      checkAveraging(spec.getAveraging(), violations);
    }
    violations.positiveIfPresent("report_bound", spec.hasReportBound(), spec.getReportBound());
    Questions.check(spec, violations);
    FeatureRules.check(spec, violations);
    PredictionRules.check(spec, violations);
    checkHistory(spec, violations);
    if (spec.hasAnonymous()) {
      AnonymousWindows.check(spec, violations);
    }
  }

  private static void checkHistory(ModelSpec spec, Violations violations) {
    if (spec.hasHistory()) {
      History history = spec.getHistory();
      violations.require(
          history.getAverages() >= 1 && history.getAverages() <= MAX_AVERAGES,
          "history.averages",
          history.getAverages(),
          "from 1 to " + MAX_AVERAGES);
      violations.atLeastOneIfPresent(
          "history.every_rounds", history.hasEveryRounds(), history.getEveryRounds());
    }
    if (spec.hasServedRound()) {
      violations.require(
          spec.getServedRound() >= 0, "served_round", spec.getServedRound(), "at least 0");
      violations.require(
          spec.hasHistory(), "served_round", spec.getServedRound(), "left out without history");
    }
  }

  private static void checkVectors(ModelSpec spec, Violations violations) {
    violations.require(
        spec.getDimension() >= 1 && spec.getDimension() <= ModelSpecs.MAX_DIMENSION,
        "dimension",
        spec.getDimension(),
        "from 1 to " + ModelSpecs.MAX_DIMENSION);
    if (spec.hasAdaptiveClip()) {
      AdaptiveClips.check(spec, violations);
    } else {
      checkBound(spec, violations);
    }
    checkInitialWeights(spec, violations);
  }

  private static void checkBound(ModelSpec spec, Violations violations) {
    String right = "a finite number above 0, unless adaptive_clip finds one";
    if (violations.required("gradient_bound", spec.hasGradientBound(), right)) {
      double g = spec.getGradientBound();
      violations.require(
          g >= MIN_GRADIENT_BOUND && g <= MAX_GRADIENT_BOUND,
          "gradient_bound",
          g,
          "a finite number above 0, from " + MIN_GRADIENT_BOUND + " to " + MAX_GRADIENT_BOUND);
    }
    if (spec.hasGridExponent()) {
      violations.require(
          Math.abs((long) spec.getGridExponent()) <= MAX_GRID_EXPONENT,
          "grid_exponent",
          spec.getGridExponent(),
          "from -" + MAX_GRID_EXPONENT + " to " + MAX_GRID_EXPONENT);
    }
  }

  private static void checkInitialWeights(ModelSpec spec, Violations violations) {
    int count = spec.getInitialWeightsCount();
    if (count == 0) {
      return;
    }
    violations.require(
        count == spec.getDimension(),
        "initial_weights",
        "of " + count + " values",
        "of as many as the dimension, " + spec.getDimension() + ", or left out");
    List<Double> weights = spec.getInitialWeightsList();
    for (int i = 0; i < count; i++) {
      if (!Double.isFinite(weights.get(i))) {
        violations.require(false, "initial_weights[" + i + "]", weights.get(i), "finite");
        return; // one violation is enough: a vector may have millions
      }
    }
  }

  private static void checkRounds(ModelSpec spec, Violations violations) {
    violations.atLeastOneIfPresent(
        "reports_per_round", spec.hasReportsPerRound(), spec.getReportsPerRound());
    if (spec.hasRoundTimeoutMs()) {
      violations.require(
          spec.getRoundTimeoutMs() >= 1 && spec.getRoundTimeoutMs() <= MAX_ROUND_TIMEOUT_MS,
          "round_timeout_ms",
          spec.getRoundTimeoutMs(),
          "from 1 to " + MAX_ROUND_TIMEOUT_MS + " (ten years), or left out: never");
    }
    if (spec.hasMaxStaleness()) {
      violations.require(
          spec.getMaxStaleness() >= 0 && spec.getMaxStaleness() <= ModelSpecs.MAX_STALENESS,
          "max_staleness",
          spec.getMaxStaleness(),
          "from 0 to " + ModelSpecs.MAX_STALENESS);
    }
    if (spec.hasAnswerProbability()) {
      double p = spec.getAnswerProbability();
      violations.require(p > 0 && p <= 1, "answer_probability", p, "above 0 and at most 1");
    }
  }

  private static void checkAveraging(Averaging averaging, Violations violations) {
    switch (averaging.getAveragingCase()) {
      case UNIFORM -> {}
      case POLYNOMIAL -> {
        String right = "from 0 to " + MAX_DEGREE;
        Averaging.Polynomial polynomial = averaging.getPolynomial();
        if (violations.required("averaging.polynomial.degree", polynomial.hasDegree(), right)) {
          double degree = polynomial.getDegree();
          violations.require(
              degree >= 0 && degree <= MAX_DEGREE, "averaging.polynomial.degree", degree, right);
        }
      }
      case AVERAGING_NOT_SET ->
          violations.add("averaging", "is empty: it must be uniform or polynomial, or left out");
    }
  }

  private static void checkLimits(ModelSpec spec, Violations violations) {
    Limits limits = spec.getLimits();
    if (limits.hasEpsilon()) {
      checkLimit("limits.epsilon", limits.getEpsilon(), ModelSpecs.LEAST_EPSILON, violations);
    }
    if (limits.hasMu()) {
      checkLimit("limits.mu", limits.getMu(), ModelSpecs.LEAST_MU, violations);
    }
    if (limits.hasDelta()) {
      double delta = limits.getDelta();
      violations.require(delta > 0 && delta < 1, "limits.delta", delta, "above 0 and below 1");
    }
    violations.atLeastOneIfPresent("limits.reports", limits.hasReports(), limits.getReports());
    violations.atLeastOneIfPresent(
        "limits.max_participations", limits.hasMaxParticipations(), limits.getMaxParticipations());
    if (limits.hasMinSeparation()) {
      violations.require(
          limits.getMinSeparation() >= 0,
          "limits.min_separation",
          limits.getMinSeparation(),
          "at least 0 (rounds strictly between two participations)");
    }
    if (limits.hasPerDays()) {
      checkPeriod(spec, violations);
    }
  }

  private static void checkLimit(String field, double limit, double least, Violations violations) {
    violations.require(
        limit >= least && Double.isFinite(limit),
        field,
        limit,
        "a finite number of at least " + least);
  }

  private static void checkPeriod(ModelSpec spec, Violations violations) {
    Limits limits = spec.getLimits();
    int days = limits.getPerDays();
    violations.require(
        days >= 1 && days <= ModelSpecs.MAX_PERIOD_DAYS,
        "limits.per_days",
        days,
        "from 1 to " + ModelSpecs.MAX_PERIOD_DAYS);
    violations.require(
        limits.hasEpsilon() || limits.hasMu() || limits.hasReports(),
        "limits.per_days",
        days,
        "left out unless limits.epsilon, limits.mu or limits.reports is set");
    violations.require(
        !ModelSpecs.isCentral(spec),
        "limits.per_days",
        days,
        "left out for a central model, whose later releases also depend on earlier reports");
  }
}
