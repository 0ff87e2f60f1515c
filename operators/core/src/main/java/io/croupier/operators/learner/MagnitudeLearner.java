package io.croupier.operators.learner;

import java.io.Serializable;
import java.util.Map;

/**
 * One-dimensional coin betting on the distance along the direction of another learner. With S the
 * sum of the coins, and for each side s of the betting fractions V_s their variance and h_s the
 * bound on coins, e the unit of the wealth (see {@link RoundWeighting}):
 *
 * <pre>
 *   m = e W0 (I_+ - I_-),  I_s = integral over (0, rho / h_s] of v exp(s v S - v^2 V_s) dP(v)
 * </pre>
 *
 * <p>As long as every report names the newest publication, both sides are equal, and m is W0 times
 * the prediction of a {@link Potential}. The range of fractions only shrinks; what falls out of it
 * is lost. With one round a publication, a convex loss, symmetric noise, people who are drawn from
 * one population, and a bound on coins that is known (from G) or measured (the largest so far), the
 * learner loses in expectation at most W0, the initial wealth, times a logarithm against doing
 * nothing, plus what rounds cost whose mean jumps beyond that bound (docs/theory/rounds.md,
 * theorems 1 to 3).
 *
 * <p>Source: [vdH19, Algorithm 1] and [JO19, Algorithm 1] where each round is one report that names
 * the newest publication; otherwise our own, see {@link RoundCoins} and {@link BettingRule}.
 *
 * <p>A magnitude beyond {@link #LIMIT} (because the gradient bound or the noise bound is wrong, or
 * the loss is unbounded below) saturates there and is counted.
 */
public final class MagnitudeLearner implements Serializable {

  /** Largest |magnitude|: squares of weights, and inner products with features, stay finite. */
  public static final double LIMIT = 1e150;

  private final Prior prior;
  private final Potential potential;
  private final BettingRule rule;
  private final double initialWealth;
  private final double largestFraction;

  /**
   * Creates a magnitude learner.
   *
   * @param rule what a coin changes
   * @param largestFraction of a single report's coin, in units of 1 / gradient; may be infinite
   * @param initialWealth W0, positive and finite
   */
  MagnitudeLearner(Prior prior, BettingRule rule, double largestFraction, double initialWealth) {
    this.prior = prior;
    potential = new Potential(prior, 0.5);
    this.rule = rule;
    this.largestFraction = largestFraction;
    this.initialWealth = requireWealth(initialWealth);
  }

  static double requireWealth(double initialWealth) {
    if (!(initialWealth > 0) || Double.isInfinite(initialWealth)) {
      throw new IllegalArgumentException(
          "initial_wealth is " + initialWealth + "; it has to be positive and finite");
    }
    return initialWealth;
  }

  /** Returns whether it takes a round before there is a direction. */
  boolean betsWithoutDirection() {
    return rule.betsWithoutDirection();
  }

  /**
   * Observes a round's coins. {@link #bet} follows.
   *
   * @param share factor of every gradient on its way to the coins
   * @param lambda weight of the round
   */
  void observe(State state, RoundCoins coins, Round round, double lambda, double share) {
    double meanBound = lambda * round.gradientBound();
    double reports = round.effectiveReports();
    double noise = share * share * lambda * lambda * round.variance();
    double perReport = round.weight() / (lambda * round.largestWeight);
    state.largestFraction = Math.min(state.largestFraction, largestFraction * perReport);
    double coin = coins.total();
    double hint =
        Math.max(
                rule.hint(coin, meanBound, reports, noise), prior.leastBound(round.gradientBound()))
            + coins.outstanding();
    boolean isFirst = state.upper.bound == 0;
    double cap = BettingRule.SquaredCoin.KAPPA * meanBound;
    state.upper.bound = coins.bound(1, Math.max(state.upper.bound, hint), cap, rule.rho());
    state.upper.variance.add(rule.variance(coin, meanBound, reports, noise, coins.penalty()));
    state.lower.bound = coins.bound(-1, Math.max(state.lower.bound, hint), cap, rule.rho());
    state.lower.variance.add(rule.variance(coin, meanBound, reports, noise, coins.penalty()));
    if (isFirst) {
      state.mass = Potential.mass(prior, range(state, state.upper));
    }
    state.coins.add(coin);
  }

  /** Multiplies S by beta and V by its square, see {@link Memory}. {@link #bet} follows. */
  void discount(State state, double beta) {
    state.coins.scale(beta);
    state.upper.variance.scale(beta * beta);
    state.lower.variance.scale(beta * beta);
  }

  /**
   * Adds to the wealth of a proper prior that has bets, when its unit has doubled. {@link #bet}
   * follows.
   */
  void replenish(State state) {
    Side upper = state.upper;
    Side lower = state.lower;
    double variance = Math.min(upper.variance.value(), lower.variance.value());
    double range = range(state, upper.bound < lower.bound ? upper : lower);
    double quadratic = variance + prior.addedVariance();
    state.mass = potential.replenished(state.coins.value(), quadratic, range, state.mass);
  }

  /**
   * Sets the next magnitude; it stays 0 before the first coin.
   *
   * @param unit of the next coin, see {@link RoundWeighting}: that of the wealth
   */
  void bet(State state, double unit) {
    if (state.upper.bound == 0) {
      return;
    }
    // In this order, nothing but the bet itself can overflow: infinity times 0 would be no number.
    double magnitude = unit * prediction(state) * initialWealth;
    if (Math.abs(magnitude) > LIMIT) {
      magnitude = Math.copySign(LIMIT, magnitude);
      state.saturations++;
    }
    state.magnitude = magnitude;
  }

  private double range(State state, Side side) {
    return Potential.within(Math.min(rule.rho() / side.bound, state.largestFraction));
  }

  private double prediction(State state) {
    double coins = state.coins.value();
    double added = prior.addedVariance();
    double upper = state.upper.variance.value() + added;
    if (state.isSymmetric()) {
      return potential.prediction(coins, upper, range(state, state.upper), state.mass);
    }
    double lower = state.lower.variance.value() + added;
    return potential.side(coins, upper, range(state, state.upper), state.mass)
        - potential.side(-coins, lower, range(state, state.lower), state.mass);
  }

  /**
   * Describes the side that the coins favour.
   *
   * @param unit of the next coin
   */
  void diagnose(State state, double unit, Map<String, Double> diagnostics) {
    double coins = state.coins.value();
    Side side = coins >= 0 ? state.upper : state.lower;
    double variance = side.variance.value();
    if (side.bound > 0) {
      double quadratic = variance + prior.addedVariance();
      double range = range(state, side);
      diagnostics.put("log-potential", potential.logPotential(coins, quadratic, range, state.mass));
      double log = logMagnitude(state, coins, quadratic, range, unit);
      if (log > Double.NEGATIVE_INFINITY) {
        diagnostics.put("log-magnitude", log);
      }
      diagnostics.put("coin-bound", side.bound / unit);
    }
    if (variance > 0) {
      diagnostics.put("evidence", coins / variance * coins);
    }
    diagnostics.put("magnitude", state.magnitude);
    diagnostics.put("saturations", (double) state.saturations);
  }

  /** The logarithm of the bet, also where the bet itself is too small or too large for a double. */
  private double logMagnitude(
      State state, double coins, double quadratic, double range, double unit) {
    double magnitude = Math.abs(state.magnitude);
    if (!state.isSymmetric() && magnitude > 0 && magnitude < LIMIT) {
      return StrictMath.log(magnitude);
    }
    return potential.logPrediction(coins, quadratic, range, state.mass)
        + StrictMath.log(initialWealth)
        + StrictMath.log(unit);
  }

  /** V and h of one side. Invariants: V is finite, and falls by discounts alone; h never falls. */
  static final class Side {
    private final RunningSum variance = new RunningSum();

    /** h; 0 before the first coin. */
    private double bound;

    double variance() {
      return variance.value();
    }

    private void visit(LearnerState.Visitor visitor, String name) {
      variance.visit(visitor, name + "-variance");
      bound = visitor.scalar(name + "-bound", bound);
    }
  }

  /** S, both sides, and the values derived from them. Invariant: |magnitude| at most LIMIT. */
  static final class State {
    private final RunningSum coins = new RunningSum();
    private final Side upper = new Side();
    private final Side lower = new Side();

    /** The largest fraction that every report so far allows. */
    private double largestFraction = Double.POSITIVE_INFINITY;

    /** The mass of the prior over the first range, over what {@link #replenish} has added since. */
    private double mass = 1;

    private double magnitude;
    private long saturations;

    double magnitude() {
      return magnitude;
    }

    double coins() {
      return coins.value();
    }

    double upperVariance() {
      return upper.variance();
    }

    double lowerVariance() {
      return lower.variance();
    }

    double upperBound() {
      return upper.bound;
    }

    double lowerBound() {
      return lower.bound;
    }

    private boolean isSymmetric() {
      return upper.bound == lower.bound && upper.variance() == lower.variance();
    }

    void visit(LearnerState.Visitor visitor) {
      coins.visit(visitor, "coins");
      upper.visit(visitor, "upper");
      lower.visit(visitor, "lower");
      largestFraction = visitor.scalar("largest-fraction", largestFraction);
      mass = visitor.scalar("prior-mass", mass);
      magnitude = visitor.scalar("magnitude", magnitude);
      saturations = visitor.count("saturations", saturations);
    }
  }
}
