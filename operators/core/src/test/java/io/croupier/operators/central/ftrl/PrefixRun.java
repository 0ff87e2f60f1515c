package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;

/** A learner of prefix sums at work. */
final class PrefixRun<S extends LearnerState> {
  final PrefixLearner<S> learner;
  final S state;

  PrefixRun(PrefixLearner<S> learner) {
    this.learner = learner;
    state = learner.initial();
  }

  /** A round after which the sum, without noise, is this one. */
  void step(double... sum) {
    step(sum, 0);
  }

  void step(double[] sum, double noiseVariance) {
    learner.step(state, sum, noiseVariance);
  }

  Iterate publish() {
    Iterate out = new Iterate(learner.dimension());
    learner.publish(state, out);
    return out;
  }

  double[] weights() {
    return publish().weights;
  }
}
