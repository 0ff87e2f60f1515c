package io.croupier.operators.learner;

import java.io.Serializable;
import java.util.Map;

/**
 * One-dimensional coin betting on the distance along the direction of another learner.
 *
 * <p>For a round with coin c, L -= c and V += the coin's variance; the next magnitude is W0 times
 * the prediction of a {@link Potential} at (L, V), [vdH19, Algorithm 1], [JO19, Algorithm 1]. W0 is
 * the initial wealth: with a prior of finite mass it bounds the expected loss against doing
 * nothing; with the improper prior it is the unit of that loss, which grows like the logarithm of
 * the rounds.
 *
 * <p>A magnitude beyond {@link #LIMIT} (because the gradient bound or the noise bound is wrong, or
 * the loss is unbounded below) saturates there and is counted; its sign and logarithm stay exact.
 */
public final class MagnitudeLearner implements Serializable {

  /** Largest |magnitude|: squares of weights, and inner products with features, stay finite. */
  public static final double LIMIT = 1e150;

  private final Potential potential;
  private final CoinVariance variance;
  private final double initialWealth;

  /**
   * Creates a magnitude learner.
   *
   * @param initialWealth W0, positive and finite
   */
  MagnitudeLearner(Potential potential, CoinVariance variance, double initialWealth) {
    this.potential = potential;
    this.variance = variance;
    this.initialWealth = requireWealth(initialWealth);
  }

  static double requireWealth(double initialWealth) {
    if (!(initialWealth > 0) || Double.isInfinite(initialWealth)) {
      throw new IllegalArgumentException(
          "initial_wealth is " + initialWealth + "; it has to be positive and finite");
    }
    return initialWealth;
  }

  /** Observes a round's coin and the noise declared for it; sets the next magnitude. */
  void observe(State state, double coin, double directionalVariance) {
    state.coins.add(-coin);
    state.variance.add(variance.of(coin, directionalVariance));
    double magnitude =
        initialWealth * potential.prediction(state.coins.value(), state.variance.value());
    if (Math.abs(magnitude) > LIMIT) {
      magnitude = Math.copySign(LIMIT, magnitude);
      state.saturations++;
    }
    state.magnitude = magnitude;
  }

  void diagnose(State state, Map<String, Double> diagnostics) {
    diagnostics.put(
        "log-potential", potential.logPotential(state.coins.value(), state.variance.value()));
    diagnostics.put("magnitude", state.magnitude);
    double log =
        potential.logPrediction(state.coins.value(), state.variance.value())
            + StrictMath.log(initialWealth);
    if (log > Double.NEGATIVE_INFINITY) {
      diagnostics.put("log-magnitude", log);
    }
    diagnostics.put("saturations", (double) state.saturations);
  }

  /**
   * L, V and the values derived from them. Invariants: V >= 0 and finite; |magnitude| at most
   * LIMIT.
   */
  static final class State {
    private final RunningSum coins = new RunningSum();
    private final RunningSum variance = new RunningSum();
    private double magnitude;
    private long saturations;

    double magnitude() {
      return magnitude;
    }

    void visit(LearnerState.Visitor visitor) {
      coins.visit(visitor, "coins");
      variance.visit(visitor, "variance");
      magnitude = visitor.scalar("magnitude", magnitude);
      saturations = visitor.count("saturations", saturations);
    }
  }
}
