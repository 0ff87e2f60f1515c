package io.croupier.operators.learner;

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
    return new State(dimension(), constraint);
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
  public void restore(State state, LearnerState.Visitor reader) {
    state.visit(reader);
    state.chunks.restoreWhole(reader);
  }

  @Override
  public boolean isObsolete(String part) {
    return CoordinateChunks.isOfWholeVectors(part);
  }

  @Override
  public void step(State state, Round round) {
    CoordinateChunks chunks = state.chunks;
    if (chunks.average.isBlockFull()) {
      averagePlayed(state);
    }
    state.round++;
    double decay = averaging.decay(state.round);
    chunks.advance(decay);
    state.playedWeight = 1 + state.playedWeight * decay;
    if (round.isSparse()) {
      for (int i = 0; i < round.touchedCount(); i++) {
        int j = round.touched(i);
        book(chunks, j, round.subgradient[j]);
        chunks.touch(j);
      }
      return;
    }
    if (constraint.isActive()) {
      for (int j = 0; j < dimension(); j++) {
        book(chunks, j, round.subgradient[j]);
      }
    } else {
      bookAll(chunks, round.subgradient);
    }
    chunks.touchAll();
  }

  private void book(CoordinateChunks chunks, int j, double subgradient) {
    double pull = subgradient == 0 ? 0 : constraint.pull(chunks.unprojected[j], 1);
    double h = constraint.share() * (subgradient + pull);
    add(-h, chunks.coins, chunks.coinsLow, j);
    add(h * h, chunks.squares, chunks.squaresLow, j);
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

  private static void bookAll(CoordinateChunks chunks, double[] subgradient) {
    double[] coins = chunks.coins;
    double[] coinsLow = chunks.coinsLow;
    double[] squares = chunks.squares;
    double[] squaresLow = chunks.squaresLow;
    for (int j = 0; j < subgradient.length; j++) {
      double g = subgradient[j];
      add(-g, coins, coinsLow, j);
      add(g * g, squares, squaresLow, j);
    }
  }

  /** Adds the weights in force to the average, for the rounds in which they were played. */
  private static void averagePlayed(State state) {
    state.chunks.averagePlayed(state.playedWeight);
    state.playedWeight = 0;
  }

  @Override
  public void publish(State state, Iterate out) {
    if (state.playedWeight > 0) {
      averagePlayed(state);
    }
    state.chunks.evaluateTouched(j -> evaluate(state, j));
    copyPublished(state, out.weights);
    describe(state, out);
  }

  @Override
  public boolean remembersPublished() {
    return true;
  }

  @Override
  public void copyPublished(State state, double[] into) {
    state.chunks.copyWeights(into);
    initialWeights.addTo(into);
  }

  @Override
  public void describe(State state, Iterate out) {
    if (state.playedWeight > 0) {
      averagePlayed(state);
    }
    out.round = state.round;
    state.chunks.average.copy(out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    out.diagnostics.put("largest-magnitude", state.chunks.largest());
    out.diagnostics.put("saturations", (double) state.saturations);
  }

  private void evaluate(State state, int j) {
    CoordinateChunks chunks = state.chunks;
    double variance = chunks.squares[j] + chunks.squaresLow[j];
    if (!(variance <= Double.MAX_VALUE)) {
      variance = Double.MAX_VALUE;
    }
    double coins = chunks.coins[j] + chunks.coinsLow[j];
    double z = initialWealth * potential.prediction(coins, variance);
    if (Math.abs(z) > MagnitudeLearner.LIMIT) {
      z = Math.copySign(MagnitudeLearner.LIMIT, z);
      state.saturations++;
    }
    chunks.unprojected[j] = z;
  }

  /** The coordinates, in chunks, and the numbers of the whole model. */
  public static final class State implements LearnerState {
    private final CoordinateChunks chunks;

    /** Weight of the rounds since the last publication, in units of the newest round's. */
    private double playedWeight;

    private long round;
    private long saturations;

    private State(int dimension, BallConstraint constraint) {
      chunks = new CoordinateChunks(dimension, constraint);
    }

    /** Returns the coordinates, not a copy. */
    CoordinateChunks coordinates() {
      return chunks;
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      saturations = visitor.count("saturations", saturations);
      playedWeight = visitor.scalar("played-weight", playedWeight);
      chunks.visit(visitor);
    }
  }
}
