package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;

/**
 * Stochastic gradient descent on noised gradients, theta &lt;- theta - eta n^-alpha g at the n-th
 * round, g the weighted mean of its reports, and the average of the iterates after each step
 * (LDP-ASGD): [LDP, eq. 2]. Each device adds its noise to g~.
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

  @Override
  public void step(State state, Round round) {
    state.round++;
    state.average.advance(averaging.decay(state.round));
    double step = stepSize * StrictMath.exp(-decay * StrictMath.log((double) state.round));
    double[] gradient = state.gradient;
    Arrays.fill(gradient, 0);
    double share = 1 / round.weight();
    for (int i = 0; i < round.size(); i++) {
      round.part(i).addTo(gradient, share);
    }
    state.normBound += step * Math.sqrt(Vectors.squaredNorm(gradient));
    if (state.normBound <= reach) {
      move(state, gradient, step);
    } else {
      moveAndProject(state, gradient, step);
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
  public void publish(State state, long publication, Iterate out) {
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

  /** Does nothing: a step is the same whatever publication its reports name. */
  @Override
  public void forget(State state, long oldest) {}

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    double[] moved = state.moved;
    Arrays.fill(moved, 0);
    initialWeights.addTo(moved);
    double squares = 0;
    for (int i = 0; i < moved.length; i++) {
      moved[i] = average[i] - moved[i];
      squares += moved[i] * moved[i];
    }
    state.normBound = Math.sqrt(squares);
    state.round = rounds;
    System.arraycopy(moved, 0, state.average.recent, 0, moved.length);
  }

  /**
   * Invariant: normBound is at least the L2 norm of moved, which is at most the learner's reach.
   */
  public static final class State implements LearnerState {

    /** The weights minus the initial ones. */
    private final double[] moved;

    private final RunningAverage average;
    private final double[] gradient;
    private long round;
    private double normBound;
    private long saturations;

    private State(int dimension) {
      moved = new double[dimension];
      average = new RunningAverage(dimension);
      gradient = new double[dimension];
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
