package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.Vectors;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One pass over people who choose how they report: every report that a learner's model admits is a
 * round, of a gradient at the newest weights. All learners receive the same people and choices,
 * each its own releases.
 */
final class MixedLevelsTrial {
  private final Participants participants;
  private final double clip;
  private final List<LevelChoice> choices;
  private final List<LearnerRun> runs;
  private final boolean[][] isAdmitted;
  private final double[][] variances;
  private final long[] refused;
  private final SeededRandom random;

  /**
   * One of the ways to report, which are equally likely.
   *
   * @param declared what the report declares
   */
  record LevelChoice(Release release, Mechanism declared) {}

  /**
   * Takes learners at their beginning.
   *
   * @param clip norm to which gradients are clipped
   * @param random the randomness of choices and releases
   */
  MixedLevelsTrial(
      Participants participants,
      double clip,
      List<LevelChoice> choices,
      List<LabelledLearner> learners,
      SeededRandom random) {
    this.participants = participants;
    this.clip = clip;
    this.choices = choices;
    this.runs = learners.stream().map(LearnerRun::new).toList();
    this.random = random;
    isAdmitted = new boolean[learners.size()][choices.size()];
    variances = new double[learners.size()][choices.size()];
    refused = new long[learners.size()];
    for (int l = 0; l < learners.size(); l++) {
      for (int c = 0; c < choices.size(); c++) {
        Mechanism declared = choices.get(c).declared;
        isAdmitted[l][c] = learners.get(l).accepts(declared);
        variances[l][c] = isAdmitted[l][c] ? learners.get(l).variance(declared) : 0;
      }
    }
  }

  /**
   * What a learner ended with.
   *
   * @param excess excess loss of its average
   * @param refused reports that its model refused
   */
  record LevelOutcome(double excess, long refused) {}

  /** Plays the given number of people, and returns the outcome of each learner. */
  List<LevelOutcome> play(int people) {
    for (int i = 0; i < people; i++) {
      participants.next();
      int choice = random.below(choices.size());
      for (int l = 0; l < runs.size(); l++) {
        if (isAdmitted[l][choice]) {
          report(runs.get(l), choice, variances[l][choice]);
        } else {
          refused[l]++;
        }
      }
    }
    return IntStream.range(0, runs.size())
        .mapToObj(
            l -> new LevelOutcome(participants.quality(runs.get(l).average()).excess(), refused[l]))
        .toList();
  }

  private void report(LearnerRun run, int choice, double variance) {
    double[] gradient = new double[participants.dimension()];
    participants.gradient(run.weights(), gradient);
    double norm = Math.sqrt(Vectors.squaredNorm(gradient));
    if (norm > clip) {
      Vectors.scale(clip / norm, gradient, gradient);
    }
    double[] released = new double[gradient.length];
    choices.get(choice).release.draw(gradient, random, released);
    run.add(released);
    run.step(1, variance);
  }
}
