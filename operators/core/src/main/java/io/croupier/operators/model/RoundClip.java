package io.croupier.operators.model;

import io.croupier.operators.clip.ClipTracker;
import io.croupier.operators.clip.SlopeRule;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;

/**
 * The bound on the gradients of a local model: that of its spec, or a clip that moves from
 * publication to publication, by the answers to the question {@value AdaptiveClips#QUESTION}.
 *
 * <p>A model whose clip moves scouts at first. Its publications then ask for answers only, and each
 * takes a number of its own, although the learner takes no steps.
 *
 * <p>Reports state a bound that moves, and none that is fixed: 0 here.
 */
final class RoundClip {
  private final double fixed;
  private final int fixedExponent;
  private final AdaptiveClip spec;

  /** Null if the bound is fixed. */
  private final ClipTracker tracker;

  /** Publications that scouted, without the newest one. */
  private long scouted;

  /** The slope bound of the newest publication. */
  private double slopeBound;

  /** The mean weight of the reports of the newest round that had some. */
  private double precision = 1;

  private long dropped;

  /** Creates the clip of a valid spec before its first publication. */
  RoundClip(ModelSpec spec) {
    this.spec = spec.getAdaptiveClip();
    fixed = spec.getGradientBound();
    fixedExponent = ModelSpecs.gridExponent(spec);
    slopeBound = AdaptiveClips.slopeBound(this.spec);
    tracker = spec.hasAdaptiveClip() ? new ClipTracker(AdaptiveClips.initial(this.spec)) : null;
  }

  /** Continues from the bound of the last publication; a clip that moves doesn't scout again. */
  void continueFrom(double bound) {
    if (isMoving()) {
      tracker.continueFrom(bound);
    }
  }

  /** Returns whether the clip moves. */
  boolean isMoving() {
    return tracker != null;
  }

  /** Returns whether the newest publication asks for answers only. */
  boolean isScouting() {
    return isMoving() && tracker.isScouting();
  }

  /** Returns the number of publications that scouted, without the newest one. */
  long scouted() {
    return scouted;
  }

  /** Returns the gradient bound of the newest publication. */
  double value() {
    return isMoving() ? tracker.clip() : fixed;
  }

  /** Returns the bound that reports of the newest publication state; 0 if it is fixed. */
  double stated() {
    return isMoving() ? tracker.clip() : 0;
  }

  /** Returns the grid exponent of reports. */
  int gridExponent(RoundSum reports) {
    return isMoving() ? ModelSpecs.gridExponent(reports.gradientBound) : fixedExponent;
  }

  /** Returns whether an answer is one to the question of the clip. */
  boolean isAsked(RoundSum answer) {
    return isMoving() && answer.question.equals(AdaptiveClips.QUESTION);
  }

  /**
   * Takes an answer to the question of the clip.
   *
   * @param age how many publications are newer than the one that the answer is about
   * @return false for a late one while the model scouts: it is about a clip that others have moved
   *     far already
   */
  boolean add(RoundSum answer, int age) {
    boolean isTimely = age == 0 || !isScouting();
    if (isTimely) {
      tracker.add(answer.response);
    }
    return isTimely;
  }

  /** Returns whether there are answers since the newest publication. */
  boolean hasAnswers() {
    return isMoving() && tracker.hasAnswers();
  }

  /** Returns the share of the devices that the newest publication asks for anything. */
  double share() {
    return isMoving() ? tracker.share() : 1;
  }

  /** Returns whether the newest publication asks only a share of the devices, without an answer. */
  boolean lacksAnswers() {
    return share() < 1 && !tracker.hasAnswers();
  }

  /**
   * Prepares that the newest publication is announced again: if it lacks answers, the devices that
   * it asks may have gone, so it asks more. A device that is asked already stays so, since its lot
   * for the round doesn't change.
   */
  void announceAgain() {
    if (lacksAnswers()) {
      tracker.askMore();
    }
  }

  /** Counts reports that were made with another bound than that of the round that they name. */
  void drop(int reports) {
    dropped += reports;
  }

  /** Notes how precise the reports of a round are that closes. */
  void close(Round round) {
    precision = round.weight() / round.reports;
  }

  /**
   * Counts the newest publication if it has scouted. The number of the next one depends on this, so
   * it comes before that one.
   */
  void count() {
    if (isMoving() && tracker.isScouting() && tracker.hasAnswers()) {
      scouted++;
    }
  }

  /**
   * Moves the clip for a new publication, by the answers since the newest one.
   *
   * @param weights of the new publication, shape [d]
   * @return whether the publications so far have scouted, and the new one doesn't
   */
  boolean open(double[] weights) {
    if (!isMoving()) {
      return false;
    }
    boolean wasScouting = tracker.isScouting();
    tracker.advance();
    if (spec.getSlopeRule()) {
      double share = SlopeRule.share(weights, tracker.clip(), slopeBound, precision);
      slopeBound = AdaptiveClips.slopeBound(spec) * share;
    }
    return wasScouting && !tracker.isScouting();
  }

  /** Writes the bound of the newest publication, and what it bounds, into an update. */
  void describe(ModelUpdateView.Builder update) {
    update.setGradientBound(value());
    if (!isMoving()) {
      update.setGridExponent(fixedExponent);
      return;
    }
    update.setGridExponent(ModelSpecs.gridExponent(value()));
    update.setSize(spec.getSize()).setDroppedBound(dropped);
    if (spec.getSize() == AdaptiveClip.Size.FEATURES) {
      update.setSlopeBound(slopeBound);
    }
  }

  /** Passes the state to a visitor; nothing if the bound is fixed. */
  void visit(LearnerState.Visitor visitor) {
    if (isMoving()) {
      tracker.visit("clip", visitor);
      scouted = visitor.count("clip-scouted", scouted);
      slopeBound = visitor.scalar("clip-slope-bound", slopeBound);
      precision = visitor.scalar("clip-precision", precision);
      dropped = visitor.count("dropped-bound", dropped);
    }
  }
}
