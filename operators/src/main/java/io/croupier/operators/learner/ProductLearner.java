package io.croupier.operators.learner;

/**
 * Magnitude times direction, [CO18]: w = w0 + m q. With the squared coin for a variance this is the
 * black box of [vdH19, Algorithm 2]; with the declared variance and the uniform prior it is BANCO,
 * [JO19, Algorithm 1].
 *
 * <p>With a radius, the weights are kept in a ball around the initial ones, see {@link
 * BallConstraint}.
 *
 * <p>The average is over the weights that were played. A step costs O(d), one pass over three
 * vectors, and one evaluation of the potential; it allocates nothing.
 */
public final class ProductLearner implements Learner<ProductLearner.State> {
  private final MagnitudeLearner magnitude;
  private final DirectionLearner direction = new DirectionLearner();
  private final BallConstraint constraint;
  private final Averaging averaging;
  private final InitialWeights initialWeights;

  /** Creates a learner with as many coordinates as initial weights. */
  ProductLearner(
      MagnitudeLearner magnitude,
      BallConstraint constraint,
      Averaging averaging,
      InitialWeights initialWeights) {
    this.magnitude = magnitude;
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
    return new State(direction.initial(dimension()), dimension());
  }

  @Override
  public boolean bets() {
    return true;
  }

  @Override
  public double direction(State state, double[] into) {
    state.direction.copy(1, into);
    return constraint.pull(state.magnitude.magnitude(), state.direction.norm());
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
    state.average.advance(averaging.decay(state.round));
    double share = constraint.share();
    direction.observe(state.direction, round, playedMagnitude(state), state.average);
    magnitude.observe(
        state.magnitude, share * round.coin, share * share * round.directionalVariance);
  }

  private double playedMagnitude(State state) {
    return constraint.project(state.magnitude.magnitude(), state.direction.norm());
  }

  @Override
  public void publish(State state, Iterate out) {
    state.direction.copy(playedMagnitude(state), out.weights);
    initialWeights.addTo(out.weights);
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
    state.average.copy(out.average);
    initialWeights.addTo(out.average);
    out.diagnostics.clear();
    magnitude.diagnose(state.magnitude, out.diagnostics);
  }

  /** Magnitude, direction and the average of m q. */
  public static final class State implements LearnerState {
    private final MagnitudeLearner.State magnitude = new MagnitudeLearner.State();
    private final DirectionLearner.State direction;
    private final RunningAverage average;
    private long round;

    private State(DirectionLearner.State direction, int dimension) {
      this.direction = direction;
      this.average = new RunningAverage(dimension);
    }

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
      magnitude.visit(visitor);
      direction.visit(visitor);
      average.visit(visitor);
    }
  }
}
