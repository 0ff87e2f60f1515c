package io.croupier.operators.learner;

/** A learner at work: its state, and what it published last. */
final class TestRun<S extends LearnerState> {
  final Learner<S> learner;
  final S state;
  final Iterate newest;

  TestRun(Learner<S> learner) {
    this.learner = learner;
    state = learner.initial();
    newest = new Iterate(learner.dimension());
  }

  /** Makes a publication that is numbered by the steps so far; no report may name another one. */
  Iterate publish() {
    forget(Long.MAX_VALUE);
    return publish(state.round());
  }

  Iterate publish(long publication) {
    learner.publish(state, publication, newest);
    return newest;
  }

  /** A step, after which reports may name publications from the oldest on. */
  void step(Round round, long oldest) {
    step(round);
    forget(oldest);
  }

  void step(Round round) {
    learner.step(state, round);
  }

  void forget(long oldest) {
    learner.forget(state, oldest);
  }

  /** What it would publish now. */
  Iterate describe() {
    learner.describe(state, newest);
    return newest;
  }

  /** A round of one report without noise, of a gradient of at most 1. */
  void step(double... gradient) {
    step(1, gradient, 0);
  }

  /** A round of one report that names a publication made for it. */
  void step(double bound, double[] gradient, double variance) {
    publish();
    step(state.round(), 1, bound, gradient, variance);
  }

  /** A round of reports that name one publication, of which {@code mean} is the mean. */
  void step(long named, int reports, double bound, double[] mean, double variance) {
    Round round = new Round();
    TestRounds.add(round, named, reports, bound, mean, variance);
    step(round);
  }
}
