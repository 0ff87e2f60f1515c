package io.croupier.operators.learner;

import java.util.BitSet;

/**
 * A coin bettor in every coordinate: with -L_j the sum of the j-th coordinates of the rounds'
 * subgradients and V_j the sum of their squares, w_j = w0_j + W0 times the prediction of a {@link
 * Potential} at (L_j, V_j). The noise of every coordinate must satisfy E exp(x - x^2) <= 1 + E x
 * for coins x with |E x| <= 1/5, as symmetric noise and priv_unit do. G bounds each coordinate of
 * the mean; W0, the initial wealth, bounds the loss of each coordinate against doing nothing.
 *
 * <p>A step only updates L and V, in the coordinates that the round touches: O(non-zeros) for a
 * sparse round. Weights are evaluated when they are published, in the coordinates touched since the
 * last publication. Between two publications the published weights are played, so the average is
 * over published weights, each weighted by the rounds for which it was in force.
 *
 * <p>With a radius, weights stay in the box |w_j - w0_j| <= radius by [CO18, Algorithm 3] in every
 * coordinate, see {@link BallConstraint}: a coordinate that a round touches adds (g~_j + G n_j) /
 * 2, where n_j is the sign of z_j if |z_j| exceeds the radius, and otherwise 0; z_j is the
 * unclipped weight of the newest publication.
 *
 * <p>Source: [vdH19, Algorithm 3], whose condition on the mean is on |E g~_j|. Sums are compensated
 * (two doubles each); a weight beyond {@link MagnitudeLearner#LIMIT} saturates there and is counted
 * at every evaluation. A step allocates nothing.
 */
public final class CoordinateWise implements Learner<CoordinateWise.State> {
  private final Potential potential;
  private final double initialWealth;
  private final BallConstraint constraint;
  private final Averaging averaging;
  private final InitialWeights initialWeights;

  /**
   * Creates a coordinate-wise learner.
   *
   * @param initialWealth W0 of every coordinate, positive and finite
   */
  CoordinateWise(
      Potential potential,
      double initialWealth,
      BallConstraint constraint,
      Averaging averaging,
      InitialWeights initialWeights) {
    this.potential = potential;
    this.initialWealth = MagnitudeLearner.requireWealth(initialWealth);
    this.constraint = constraint;
    this.averaging = averaging;
    this.initialWeights = initialWeights;
  }

  @Override
  public int dimension() {
    return initialWeights.dimension();
  }

  @Override
  public State initial() {
    return new State(dimension());
  }

  @Override
  public boolean bets() {
    return false;
  }

  @Override
  public double direction(State state, double[] into) {
    throw new UnsupportedOperationException("coordinate_wise doesn't bet on a direction");
  }

  @Override
  public void step(State state, Round round) {
    if (state.average.isBlockFull()) {
      averagePlayed(state);
    }
    state.round++;
    double decay = averaging.decay(state.round);
    state.average.advance(decay);
    state.playedWeight = 1 + state.playedWeight * decay;
    if (round.isSparse()) {
      for (int i = 0; i < round.touchedCount(); i++) {
        int j = round.touched(i);
        book(state, j, round.subgradient[j]);
        state.touched.set(j);
      }
      return;
    }
    if (constraint.isActive()) {
      for (int j = 0; j < dimension(); j++) {
        book(state, j, round.subgradient[j]);
      }
    } else {
      bookAll(state, round.subgradient);
    }
    state.touched.set(0, dimension());
  }

  private void book(State state, int j, double subgradient) {
    double pull = subgradient == 0 ? 0 : constraint.pull(state.unprojected[j], 1);
    double h = constraint.share() * (subgradient + pull);
    add(-h, state.coins, state.coinsLow, j);
    add(h * h, state.squares, state.squaresLow, j);
  }

  /**
   * Adds by a two-sum as in {@link RunningSum}, on arrays. A sum of squares that overflows stays
   * infinite.
   */
  private static void add(double x, double[] high, double[] low, int j) {
    double before = high[j];
    double sum = before + x;
    double z = sum - before;
    low[j] += (before - (sum - z)) + (x - z);
    high[j] = sum;
  }

  private static void bookAll(State state, double[] subgradient) {
    double[] coins = state.coins;
    double[] coinsLow = state.coinsLow;
    double[] squares = state.squares;
    double[] squaresLow = state.squaresLow;
    for (int j = 0; j < subgradient.length; j++) {
      double g = subgradient[j];
      add(-g, coins, coinsLow, j);
      add(g * g, squares, squaresLow, j);
    }
  }

  /** Adds the weights in force to the average, for the rounds in which they were played. */
  private void averagePlayed(State state) {
    double gain = state.playedWeight * state.average.gain();
    double[] mean = state.average.recent;
    for (int j = 0; j < mean.length; j++) {
      mean[j] += gain * (constraint.project(state.unprojected[j], 1) - mean[j]);
    }
    state.playedWeight = 0;
  }

  @Override
  public void publish(State state, Iterate out) {
    if (state.playedWeight > 0) {
      averagePlayed(state);
    }
    BitSet touched = state.touched;
    for (int j = touched.nextSetBit(0); j >= 0; j = touched.nextSetBit(j + 1)) {
      evaluate(state, j);
    }
    touched.clear();
    for (int j = 0; j < out.weights.length; j++) {
      out.weights[j] = constraint.project(state.unprojected[j], 1);
    }
    initialWeights.addTo(out.weights);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    if (state.playedWeight > 0) {
      averagePlayed(state);
    }
    out.round = state.round;
    double largest = 0;
    for (double z : state.unprojected) {
      largest = Math.max(largest, Math.abs(constraint.project(z, 1)));
    }
    state.average.copy(out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    out.diagnostics.put("largest-magnitude", largest);
    out.diagnostics.put("saturations", (double) state.saturations);
  }

  private void evaluate(State state, int j) {
    double variance = state.squares[j] + state.squaresLow[j];
    if (!(variance <= Double.MAX_VALUE)) {
      variance = Double.MAX_VALUE;
    }
    double coins = state.coins[j] + state.coinsLow[j];
    double z = initialWealth * potential.prediction(coins, variance);
    if (Math.abs(z) > MagnitudeLearner.LIMIT) {
      z = Math.copySign(MagnitudeLearner.LIMIT, z);
      state.saturations++;
    }
    state.unprojected[j] = z;
  }

  /** Invariant: unprojected weights are up to date wherever touched is not set. */
  public static final class State implements LearnerState {
    private final double[] coins;
    private final double[] coinsLow;
    private final double[] squares;
    private final double[] squaresLow;

    /** z: the weights in force before clipping to the box, minus the initial ones. */
    private final double[] unprojected;

    private final BitSet touched;
    private final RunningAverage average;

    /** Weight of the rounds since the last publication, in units of the newest round's. */
    private double playedWeight;

    private long round;
    private long saturations;

    private State(int dimension) {
      coins = new double[dimension];
      coinsLow = new double[dimension];
      squares = new double[dimension];
      squaresLow = new double[dimension];
      unprojected = new double[dimension];
      touched = new BitSet(dimension);
      average = new RunningAverage(dimension);
    }

    @Override
    public long round() {
      return round;
    }

    /** A state saved between publications is restored as touched everywhere: the same weights. */
    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      saturations = visitor.count("saturations", saturations);
      playedWeight = visitor.scalar("played-weight", playedWeight);
      boolean isTouched = !touched.isEmpty();
      if (visitor.count("touched", isTouched ? 1 : 0) != 0 && !isTouched) {
        touched.set(0, unprojected.length);
      }
      visitor.vector("coins", coins);
      visitor.vector("coins-low", coinsLow);
      visitor.vector("squares", squares);
      visitor.vector("squares-low", squaresLow);
      visitor.vector("unprojected", unprojected);
      average.visit(visitor);
    }
  }
}
