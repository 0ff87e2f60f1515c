package io.croupier.studies;

import io.croupier.accounting.ResponseLaw;
import io.croupier.operators.clip.ClipTracker;
import io.croupier.operators.clip.SlopeRule;
import io.croupier.operators.math.Vectors;

/**
 * One pass of the black box over people, with a fixed or a moving clip. Every report is a round and
 * a publication; while the model scouts, every answer is a publication.
 *
 * <p>A fixed clip bounds the norm of gradients, as gradient_bound does. A moving one also scales
 * them by clip / size where the size exceeds it.
 */
final class ClipRun {
  /** Chance that a person is asked for an answer, after scouting. */
  private static final double QUESTION_PROBABILITY = 0.02;

  private final ClipWay way;
  private final boolean byFeatures;
  private final Release release;
  private final double strength;
  private final double precision;
  private final SeededRandom random;
  private final ClipTracker tracker;
  private final double[] start;
  private final double[] gradient;
  private final double[] released;

  /** Null before the first round. */
  private LearnerRun run;

  private double slopeBound;

  /**
   * @param byFeatures whether the size is the slope bound of 1 times the norm of the features,
   *     instead of the norm of the gradient
   * @param release of gradients of norm at most 1
   * @param precision of releases, for the slope rule
   * @param epsilon of answers
   * @param random the randomness of releases and answers
   */
  ClipRun(
      int dimension,
      ClipWay way,
      boolean byFeatures,
      Release release,
      double precision,
      double epsilon,
      SeededRandom random) {
    this.way = way;
    this.byFeatures = byFeatures;
    this.release = release;
    this.strength = ResponseLaw.ofEpsilon(epsilon).strength();
    this.precision = precision;
    this.random = random;
    this.tracker = new ClipTracker(way.clip());
    this.start = new double[dimension];
    this.gradient = new double[dimension];
    this.released = new double[dimension];
    this.slopeBound = slopeBound();
  }

  /** The next person takes part. */
  void next(LinearParticipants participants) {
    participants.gradient(run == null ? start : run.weights(), gradient);
    double norm = Math.sqrt(Vectors.squaredNorm(gradient));
    if (!way.moves()) {
      report(norm, norm);
      return;
    }
    double size = byFeatures ? slopeBound * participants.featureNorm() : norm;
    boolean scouting = tracker.isScouting();
    if (scouting || random.uniform() < QUESTION_PROBABILITY) {
      boolean isTrue = random.uniform() < (1 + strength) / 2;
      tracker.add(size > tracker.clip() == isTrue ? strength : -strength);
      if (scouting) {
        tracker.advance();
      }
    } else {
      report(norm, size);
      tracker.advance();
    }
  }

  private void report(double norm, double size) {
    double clip = tracker.clip();
    if (run == null) {
      run = new LearnerRun(new CandidateLearners(start.length, 1, clip).recommended());
    }
    // Scaled by the size, then clipped in any case, in units of the clip.
    double factor = Math.min(1, clip / size) / clip;
    Vectors.scale(Math.min(factor, 1 / norm), gradient, gradient);
    release.draw(gradient, random, released);
    Vectors.scale(clip, released, released);
    run.bound(clip);
    run.add(released);
    run.step(1);
    slopeBound = slopeBound();
  }

  private double slopeBound() {
    if (!way.slopeRule() || run == null) {
      return way.slopeRule() ? SlopeRule.share(0) : 1;
    }
    return SlopeRule.share(run.weights(), tracker.clip(), slopeBound, precision);
  }

  /** Returns the clip of the next round. */
  double clip() {
    return tracker.clip();
  }

  /** Returns the published average, not to be changed. */
  double[] average() {
    return run == null ? start : run.average();
  }
}
