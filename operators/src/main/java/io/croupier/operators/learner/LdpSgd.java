package io.croupier.operators.learner;

/**
 * Stochastic gradient descent on noised gradients, theta <- theta - eta n^-alpha g~ at the n-th
 * round, and the average of the iterates after each step (LDP-ASGD): [LDP, eq. 2]. Each device adds
 * its noise to g~.
 *
 * <p>With a radius, every iterate is projected to the ball of that radius around the initial
 * weights.
 *
 * <p>Overflow: a distance from the initial weights beyond {@link MagnitudeLearner#LIMIT} saturates
 * there; the rounds in which that happened are counted. Never NaN. A step costs O(d), one pass over
 * three vectors (two where it may leave the ball), and allocates nothing.
 */
public final class LdpSgd implements Learner<LdpSgd.State> {
  private final double stepSize;
  private final double decay;

  /**
   * The bound on the distance from the initial weights: the radius, if it is below {@link
   * MagnitudeLearner#LIMIT}, otherwise that limit.
   */
  private final double reach;

  private final Averaging averaging;
  private final InitialWeights initialWeights;

  /**
   * Creates an LDP-SGD learner.
   *
   * @param stepSize eta, positive and finite, in units of weights per gradient
   * @param decay alpha, at least 0 and finite
   * @param radius radius of the ball around the initial weights that iterates are projected to,
   *     positive; infinite for none
   */
  LdpSgd(
      double stepSize,
      double decay,
      double radius,
      Averaging averaging,
      InitialWeights initialWeights) {
    if (!(stepSize > 0) || Double.isInfinite(stepSize)) {
      throw new IllegalArgumentException(
          "ldp_sgd.step_size is " + stepSize + "; it has to be positive and finite");
    }
    if (!(decay >= 0) || Double.isInfinite(decay)) {
      throw new IllegalArgumentException(
          "ldp_sgd.decay is " + decay + "; it has to be finite and at least 0");
    }
    if (!(radius > 0)) {
      throw new IllegalArgumentException("ldp_sgd.radius is " + radius + "; it has to be positive");
    }
    this.stepSize = stepSize;
    this.decay = decay;
    this.reach = Math.min(radius, MagnitudeLearner.LIMIT);
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

  /** Late gradients make none of its steps longer: the spec sets them. */
  @Override
  public int harmlessDelay(State state) {
    return Integer.MAX_VALUE;
  }

  @Override
  public boolean bets() {
    return false;
  }

  @Override
  public double direction(State state, double[] into) {
    throw new UnsupportedOperationException("ldp_sgd doesn't bet on a direction");
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
    state.average.advance(averaging.decay(state.round));
    double step = stepSize * StrictMath.exp(-decay * StrictMath.log((double) state.round));
    state.normBound += step * Math.sqrt(round.squaredNorm);
    if (state.normBound <= reach) {
      move(state, round.subgradient, step);
    } else {
      moveAndProject(state, round.subgradient, step);
    }
  }

  private static void move(State state, double[] subgradient, double step) {
    double[] moved = state.moved;
    double[] mean = state.average.recent;
    double gain = state.average.gain();
    for (int i = 0; i < moved.length; i++) {
      moved[i] -= step * subgradient[i];
      mean[i] += gain * (moved[i] - mean[i]);
    }
  }

  /**
   * Moves in two passes, since the projection needs the norm. Coordinates are clipped first, so
   * that squares are finite.
   */
  private void moveAndProject(State state, double[] subgradient, double step) {
    double limit = MagnitudeLearner.LIMIT;
    double[] moved = state.moved;
    double squares = 0;
    boolean saturated = false;
    for (int i = 0; i < moved.length; i++) {
      double z = moved[i] - step * subgradient[i];
      double cut = Math.max(-limit, Math.min(limit, z));
      saturated |= cut != z;
      moved[i] = cut;
      squares += cut * cut;
    }
    double norm = Math.sqrt(squares);
    double scale = norm > reach ? reach / norm : 1;
    if (saturated || norm > limit) {
      state.saturations++;
    }
    double[] mean = state.average.recent;
    double gain = state.average.gain();
    for (int i = 0; i < moved.length; i++) {
      moved[i] *= scale;
      mean[i] += gain * (moved[i] - mean[i]);
    }
    state.normBound = Math.min(norm, reach);
  }

  @Override
  public void publish(State state, Iterate out) {
    System.arraycopy(state.moved, 0, out.weights, 0, dimension());
    initialWeights.addTo(out.weights);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    state.average.copy(out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    out.diagnostics.put("saturations", (double) state.saturations);
  }

  /**
   * Invariant: normBound is at least the L2 norm of moved, which is at most the learner's reach.
   */
  public static final class State implements LearnerState {

    /** The weights minus the initial ones. */
    private final double[] moved;

    private final RunningAverage average;
    private long round;
    private double normBound;
    private long saturations;

    private State(int dimension) {
      moved = new double[dimension];
      average = new RunningAverage(dimension);
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      normBound = visitor.scalar("norm-bound", normBound);
      saturations = visitor.count("saturations", saturations);
      visitor.vector("moved", moved);
      average.visit(visitor);
    }
  }
}
