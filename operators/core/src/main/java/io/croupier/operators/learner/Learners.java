package io.croupier.operators.learner;

import io.croupier.operators.report.DirectionalNoise;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Locale;
import java.util.function.Function;

/**
 * Creates the learner of a local {@link ModelSpec}, and the settings that all learners share.
 * ldp_sgd ignores initial_wealth, since it doesn't bet, and has no memory.
 */
public final class Learners {

  private Learners() {}

  /**
   * Returns the learner of a valid spec.
   *
   * @throws IllegalArgumentException if the learner, or a setting of it, is not available
   */
  public static Learner<?> of(ModelSpec spec) {
    if (!ModelSpecs.hasLearner(spec)) {
      return new RoundCount();
    }
    if (spec.hasLdpSgd()) {
      return ldpSgd(spec);
    }
    if (spec.getMemory().hasAutomatic()) {
      return new AutomaticMemory(memory -> bettor(spec, memory));
    }
    double halfLife = spec.getMemory().getHalfLife();
    return bettor(spec, spec.hasMemory() ? new Memory(halfLife) : Memory.INFINITE);
  }

  private static Bettor<?> bettor(ModelSpec spec, Memory memory) {
    return switch (spec.getLearnerCase()) {
      case BANCO -> banco(spec, memory);
      case BLACK_BOX -> blackBox(spec, memory);
      case COMBINED -> combined(spec, memory);
      case COORDINATE_WISE -> coordinateWise(spec, memory);
      case ADAPTIVE_RADIUS,
          DP_FTRL,
          DP_FTRL_LEAST_SQUARES,
          DP_FTRL_PARAMETER_FREE,
          LDP_SGD,
          LEARNER_NOT_SET ->
          throw new IllegalArgumentException(
              "learner is "
                  + spec.getLearnerCase().name().toLowerCase(Locale.ROOT)
                  + "; learners of noised reports are banco, black_box, combined, coordinate_wise"
                  + " and ldp_sgd");
    };
  }

  private static Bettor<?> banco(ModelSpec spec, Memory memory) {
    Banco banco = spec.getBanco();
    MagnitudeLearner magnitude =
        new MagnitudeLearner(
            new Prior.Uniform(),
            new BettingRule.DeclaredNoise(),
            DirectionalNoise.of(spec).bettingRange(),
            ModelSpecs.initialWealth(spec));
    return new ProductLearner(
        magnitude,
        constraint(banco.hasRadius(), banco.getRadius()),
        averaging(spec),
        memory,
        initialWeights(spec));
  }

  private static Bettor<?> blackBox(ModelSpec spec, Memory memory) {
    BlackBox blackBox = spec.getBlackBox();
    MagnitudeLearner magnitude =
        new MagnitudeLearner(
            prior(spec),
            new BettingRule.SquaredCoin(),
            Double.POSITIVE_INFINITY,
            ModelSpecs.initialWealth(spec));
    return new ProductLearner(
        magnitude,
        constraint(blackBox.hasRadius(), blackBox.getRadius()),
        averaging(spec),
        memory,
        initialWeights(spec));
  }

  private static Bettor<?> combined(ModelSpec spec, Memory memory) {
    double half = ModelSpecs.initialWealth(spec) / 2;
    MagnitudeLearner magnitude =
        new MagnitudeLearner(
            prior(spec), new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, half);
    return new Combined(
        new ProductLearner(
            magnitude, BallConstraint.NONE, averaging(spec), memory, initialWeights(spec)),
        new CoordinateWise(
            prior(spec),
            half / spec.getDimension(),
            BallConstraint.NONE,
            averaging(spec),
            memory,
            InitialWeights.zero(spec.getDimension())));
  }

  private static Bettor<?> coordinateWise(ModelSpec spec, Memory memory) {
    var learner = spec.getCoordinateWise();
    return new CoordinateWise(
        prior(spec),
        ModelSpecs.initialWealth(spec),
        constraint(learner.hasRadius(), learner.getRadius()),
        averaging(spec),
        memory,
        initialWeights(spec));
  }

  private static Learner<?> ldpSgd(ModelSpec spec) {
    var sgd = spec.getLdpSgd();
    return new LdpSgd(
        sgd.getStepSize(),
        sgd.getDecay(),
        radius(sgd.hasRadius(), sgd.getRadius()),
        averaging(spec),
        initialWeights(spec));
  }

  private static BallConstraint constraint(boolean hasRadius, double radius) {
    return new BallConstraint(radius(hasRadius, radius));
  }

  /**
   * Returns the average of a bettor's state in releases up to 0.2.0, shape [d].
   *
   * @param chunks the parts of the state; null for unknown names
   */
  public static double[] formerAverage(ModelSpec spec, Function<String, byte[]> chunks) {
    LearnerState.Visitor reader = StateChunks.reader(chunks);
    RunningAverage average = new RunningAverage(spec.getDimension());
    if (spec.hasCoordinateWise()) {
      var learner = spec.getCoordinateWise();
      BallConstraint box = constraint(learner.hasRadius(), learner.getRadius());
      CoordinateChunks sections = new CoordinateChunks(spec.getDimension(), box, Memory.INFINITE);
      sections.visit(reader);
      average = sections.average;
    } else {
      average.visit(reader);
    }
    double[] weights = new double[spec.getDimension()];
    average.copy(weights);
    initialWeights(spec).addTo(weights);
    return weights;
  }

  private static double radius(boolean given, double radius) {
    return given ? radius : Double.POSITIVE_INFINITY;
  }

  /** Returns the prior over betting fractions of a learner that has one. */
  public static Prior prior(ModelSpec spec) {
    return switch (ModelSpecs.prior(spec).getPriorCase()) {
      case IMPROPER -> new Prior.Improper();
      case CONJUGATE -> new Prior.Conjugate(ModelSpecs.conjugateB(spec));
      case UNIFORM -> new Prior.Uniform();
      case CV -> new Prior.Cv();
      case PRIOR_NOT_SET ->
          throw new IllegalArgumentException(
              "prior is not set; it has to be improper, conjugate, uniform or cv");
    };
  }

  /** Returns the averaging of a spec. */
  public static Averaging averaging(ModelSpec spec) {
    return new Averaging(ModelSpecs.averagingDegree(spec));
  }

  /** Returns the weights of a spec's round 0. */
  public static InitialWeights initialWeights(ModelSpec spec) {
    return spec.getInitialWeightsCount() == 0
        ? InitialWeights.zero(spec.getDimension())
        : InitialWeights.of(ModelSpecs.initialWeights(spec));
  }
}
