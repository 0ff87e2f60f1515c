package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.math.Vectors;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One pass over people who choose how they report, through the job's models: all reports between
 * two publications that a model admits are a round, of gradients at the newest weights. All
 * learners receive the same people and choices, each its own releases.
 */
final class MixedLevelsTrial {
  private final Participants participants;
  private final double clip;
  private final List<LevelChoice> choices;
  private final List<ModelRun> runs;
  private final boolean[][] isAdmitted;
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
   * @param learners of specs
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
    PrivUnitLaws laws = new PrivUnitLaws();
    this.runs = learners.stream().map(l -> new ModelRun(l.spec().orElseThrow(), laws)).toList();
    this.random = random;
    isAdmitted = new boolean[learners.size()][choices.size()];
    refused = new long[learners.size()];
    for (int l = 0; l < learners.size(); l++) {
      for (int c = 0; c < choices.size(); c++) {
        Mechanism declared = choices.get(c).declared;
        isAdmitted[l][c] = learners.get(l).accepts(declared);
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

  /**
   * Plays the given number of people, and returns the outcome of each learner.
   *
   * @param publications the models publish so often, at most as often as there are people
   */
  List<LevelOutcome> play(int people, int publications) {
    long published = 0;
    for (int i = 0; i < people; i++) {
      participants.next();
      int choice = random.below(choices.size());
      for (int l = 0; l < runs.size(); l++) {
        if (isAdmitted[l][choice]) {
          report(runs.get(l), choices.get(choice));
        } else {
          refused[l]++;
        }
      }
      if ((i + 1L) * publications / people > published) {
        published = (i + 1L) * publications / people;
        runs.forEach(ModelRun::publish);
      }
    }
    return IntStream.range(0, runs.size())
        .mapToObj(l -> new LevelOutcome(participants.excess(runs.get(l).average()), refused[l]))
        .toList();
  }

  private void report(ModelRun run, LevelChoice choice) {
    double[] gradient = new double[participants.dimension()];
    participants.gradient(run.weights(0), gradient);
    double norm = Math.sqrt(Vectors.squaredNorm(gradient));
    if (norm > clip) {
      Vectors.scale(clip / norm, gradient, gradient);
    }
    double[] released = new double[gradient.length];
    choice.release.draw(gradient, random, released);
    run.add(released, choice.declared);
  }
}
