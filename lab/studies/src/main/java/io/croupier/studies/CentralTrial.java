package io.croupier.studies;

import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.SeededSums;
import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.math.Vectors;

/**
 * A central learner over some people, with the job's noise.
 *
 * @param clip norm at which each gradient is clipped; a round's input is the mean of its gradients
 * @param scale deviation of one draw of the noise, in units of the mean gradient
 */
record CentralTrial<S extends LearnerState>(
    PrefixLearner<S> learner, PrefixNoise noise, double clip, double scale) {

  /** Plays all rounds, and returns the excess loss of the average of the weights. */
  double run(Participants participants, int rounds, int perRound, SeededRandom random) {
    int d = participants.dimension();
    S state = learner.initial();
    Iterate iterate = new Iterate(d);
    learner.publish(state, iterate);
    PrefixSum sums = SeededSums.start(noise, d, random::normal);
    long[] nothing = new long[d];
    double[] sum = new double[d];
    double[] gradient = new double[d];
    double[] drawn = new double[d];
    for (int t = 1; t <= rounds; t++) {
      for (int i = 0; i < perRound; i++) {
        participants.next();
        participants.gradient(iterate.weights, gradient);
        double norm = Math.sqrt(Vectors.squaredNorm(gradient));
        double factor = 1.0 / perRound * (norm > clip ? clip / norm : 1);
        Vectors.addScaled(factor, gradient, sum);
      }
      sums.add(nothing, drawn);
      double[] noisy = sum.clone();
      Vectors.addScaled(scale, drawn, noisy);
      learner.step(state, noisy, scale * scale * noise.variance(t));
      learner.publish(state, iterate);
    }
    return participants.excess(iterate.average);
  }
}
