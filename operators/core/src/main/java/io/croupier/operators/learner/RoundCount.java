package io.croupier.operators.learner;

/** In place of the learner of a model of statistics alone: it has no weights, and counts rounds. */
final class RoundCount implements Learner<RoundCount.State> {

  @Override
  public int dimension() {
    return 0;
  }

  @Override
  public State initial() {
    return new State();
  }

  @Override
  public void step(State state, Round round) {
    state.round++;
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    out.round = state.round;
  }

  /** Does nothing: a step is the same whatever publication its votes name. */
  @Override
  public void forget(State state, long oldest) {}

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    state.round = rounds;
  }

  /** The number of rounds. */
  static final class State implements LearnerState {
    private long round;

    @Override
    public long round() {
      return round;
    }

    @Override
    public void visit(Visitor visitor) {
      round = visitor.count("round", round);
    }
  }
}
