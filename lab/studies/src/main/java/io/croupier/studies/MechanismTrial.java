package io.croupier.studies;

import io.croupier.operators.math.Vectors;
import java.util.List;

/**
 * One pass over people who report once each, through one mechanism: every report is a round, of a
 * gradient at the newest weights. All learners receive the same people, each its own releases.
 */
final class MechanismTrial {
  private final Participants participants;
  private final double clip;
  private final Release release;
  private final List<LearnerRun> runs;
  private final SeededRandom noise;

  /**
   * @param clip norm to which gradients are clipped
   * @param noise the randomness of releases
   */
  MechanismTrial(
      Participants participants,
      double clip,
      Release release,
      List<LabelledLearner> learners,
      SeededRandom noise) {
    this.participants = participants;
    this.clip = clip;
    this.release = release;
    this.runs = learners.stream().map(LearnerRun::new).toList();
    this.noise = noise;
  }

  /** The excess losses of the learners' averages after so many people. */
  double[] excess(int people) {
    double[] gradient = new double[participants.dimension()];
    double[] released = new double[participants.dimension()];
    for (int i = 0; i < people; i++) {
      participants.next();
      for (LearnerRun run : runs) {
        participants.gradient(run.weights(), gradient);
        double norm = Math.sqrt(Vectors.squaredNorm(gradient));
        if (norm > clip) {
          Vectors.scale(clip / norm, gradient, gradient);
        }
        release.draw(gradient, noise, released);
        run.add(released);
        run.step(1);
      }
    }
    return runs.stream().mapToDouble(run -> participants.excess(run.average())).toArray();
  }
}
