package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;

/**
 * Stochastic gradient descent on noised gradients, theta <- theta - eta n^-alpha g~ at the n-th
 * round, and the average of the iterates after each step (LDP-ASGD): [LDP, eq. 2]. The noise is in
 * g~ when it arrives, each person's own.
 *
 * <p>Overflow: a coordinate beyond {@link MagnitudeLearner#LIMIT} saturates there; the rounds in
 * which that happened are counted. Never NaN. A step costs O(d), one pass over three vectors, and
 * allocates nothing.
 */
public final class LdpSgd implements Learner<LdpSgd.State> {
  private static final double LIMIT = MagnitudeLearner.LIMIT;

  private final double stepSize;
  private final double decay;
  private final Averaging averaging;
  private final InitialWeights initialWeights;

  /**
   * An LDP-SGD learner.
   *
   * @param stepSize eta, positive and finite, in units of weights per gradient
   * @param decay alpha, at least 0 and finite
   */
  public LdpSgd(double stepSize, double decay, Averaging averaging, InitialWeights initialWeights) {
    if (!(stepSize > 0) || Double.isInfinite(stepSize)) {
      throw new IllegalArgumentException(
          "ldp_sgd.step_size is " + stepSize + "; it has to be positive and finite");
    }
    if (!(decay >= 0) || Double.isInfinite(decay)) {
      throw new IllegalArgumentException(
          "ldp_sgd.decay is " + decay + "; it has to be finite and at least 0");
    }
    this.stepSize = stepSize;
    this.decay = decay;
    this.averaging = averaging;
    this.initialWeights = initialWeights;
  }

  @Override
  public int dimension() {
    return initialWeights.dimension();
  }

  @Override
  public State initial() {
    return new State(initialWeights);
  }

  @Override
  public boolean bets() {
    return false;
  }

  @Override
  public void direction(State state, double[] into) {
    throw new UnsupportedOperationException("ldp_sgd doesn't bet on a direction");
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
    state.average.advance(averaging.decay(state.round));
    double step = stepSize * Math.pow((double) state.round, -decay);
    state.reach += step * Math.sqrt(round.squaredNorm);
    if (state.reach <= LIMIT) {
      move(state, round.subgradient, step);
    } else {
      moveWithinLimit(state, round.subgradient, step);
    }
  }

  private static void move(State state, double[] subgradient, double step) {
    double[] theta = state.theta;
    double[] mean = state.average.values;
    double gain = state.average.gain();
    for (int i = 0; i < theta.length; i++) {
      theta[i] -= step * subgradient[i];
      mean[i] += gain * (theta[i] - mean[i]);
    }
  }

  private static void moveWithinLimit(State state, double[] subgradient, double step) {
    double[] theta = state.theta;
    double[] mean = state.average.values;
    double gain = state.average.gain();
    boolean saturated = false;
    for (int i = 0; i < theta.length; i++) {
      double moved = theta[i] - step * subgradient[i];
      theta[i] = Math.max(-LIMIT, Math.min(LIMIT, moved));
      saturated |= theta[i] != moved;
      mean[i] += gain * (theta[i] - mean[i]);
    }
    if (saturated) {
      state.saturations++;
    }
    state.reach = Math.sqrt(Vectors.squaredNorm(theta));
  }

  @Override
  public void publish(State state, Iterate out) {
    out.round = state.round;
    System.arraycopy(state.theta, 0, out.weights, 0, dimension());
    System.arraycopy(state.average.values, 0, out.average, 0, dimension());
    out.diagnostics.clear();
    out.diagnostics.put("saturations", (double) state.saturations);
  }

  /**
   * Invariant: reach is at least the L2 norm of theta, or theta is checked coordinate by
   * coordinate.
   */
  public static final class State implements LearnerState {
    private final double[] theta;
    private final RunningAverage average;
    private long round;
    private double reach;
    private long saturations;

    private State(InitialWeights initialWeights) {
      theta = new double[initialWeights.dimension()];
      initialWeights.addTo(theta);
      average = new RunningAverage(theta.length);
      initialWeights.addTo(average.values);
      reach = Math.sqrt(Vectors.squaredNorm(theta));
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      reach = visitor.scalar("reach", reach);
      saturations = visitor.count("saturations", saturations);
      visitor.vector("weights", theta);
      average.visit(visitor);
    }
  }
}
