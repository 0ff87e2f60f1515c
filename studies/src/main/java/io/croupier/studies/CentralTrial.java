package io.croupier.studies;

import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.math.Vectors;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Central learners over the same people and the same noise, each at its own scale. A round's input
 * is the mean of its clipped gradients.
 */
final class CentralTrial {

  /**
   * A learner in a trial.
   *
   * @param noise which of the trial's
   * @param scale deviation of one draw of it, in units of the mean gradient; 0: none
   */
  record NoisedLearner(PrefixLearner<?> learner, int noise, double scale) {}

  /** The result of a learner. */
  record CentralResult(Participants.WeightQuality average, Participants.WeightQuality weights) {}

  private CentralTrial() {}

  /** Plays all rounds. */
  static List<CentralResult> run(
      Participants participants,
      List<NoisedLearner> entries,
      List<SumNoise> noises,
      int rounds,
      int perRound,
      double clip,
      SeededRandom random,
      LongConsumer progress) {
    int d = participants.dimension();
    List<? extends CentralRun<?>> runs =
        entries.stream().map(e -> new CentralRun<>(e.learner, e)).toList();
    List<SumNoise.Path> paths = noises.stream().map(noise -> noise.start(d, random)).toList();
    double[][] drawn = new double[paths.size()][d];
    double[] variances = new double[paths.size()];
    for (int t = 1; t <= rounds; t++) {
      for (int i = 0; i < perRound; i++) {
        participants.next();
        for (CentralRun<?> centralRun : runs) {
          centralRun.take(participants, clip, 1.0 / perRound);
        }
      }
      for (int n = 0; n < drawn.length; n++) {
        paths.get(n).next(drawn[n]);
        variances[n] = noises.get(n).variance(t);
      }
      for (CentralRun<?> centralRun : runs) {
        int noise = centralRun.entry.noise;
        centralRun.step(drawn[noise], variances[noise]);
      }
      progress.accept((long) perRound * runs.size());
    }
    return runs.stream().map(centralRun -> centralRun.outcome(participants)).toList();
  }

  private static final class CentralRun<S extends LearnerState> {
    private final PrefixLearner<S> learner;
    private final NoisedLearner entry;
    private final S state;
    private final Iterate iterate;
    private final double[] sum;
    private final double[] gradient;
    private final double[] noisy;

    CentralRun(PrefixLearner<S> learner, NoisedLearner entry) {
      this.learner = learner;
      this.entry = entry;
      state = learner.initial();
      iterate = new Iterate(learner.dimension());
      sum = new double[learner.dimension()];
      gradient = new double[learner.dimension()];
      noisy = new double[learner.dimension()];
      learner.publish(state, iterate);
    }

    void take(Participants participants, double clip, double share) {
      participants.gradient(iterate.weights, gradient);
      double norm = Math.sqrt(Vectors.squaredNorm(gradient));
      double factor = share * (norm > clip ? clip / norm : 1);
      Vectors.addScaled(factor, gradient, sum);
    }

    void step(double[] drawn, double variance) {
      Vectors.scale(1, sum, noisy);
      Vectors.addScaled(entry.scale, drawn, noisy);
      learner.step(state, noisy, entry.scale * entry.scale * variance);
      learner.publish(state, iterate);
    }

    CentralResult outcome(Participants participants) {
      learner.publish(state, iterate);
      return new CentralResult(
          participants.quality(iterate.average), participants.quality(iterate.weights));
    }
  }
}
