package io.croupier.cli.demo;

import io.croupier.cli.NoiseMechanism;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpecOrBuilder;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;

/**
 * Parameters that all learners share.
 *
 * @param mechanism of every report
 * @param epsilon of every report; of gaussian noise, at {@link #delta}
 * @param undisclosed share of the people who don't declare their noise, from 0 to 1
 * @param clip norm at which gradients are clipped for learners that neither find nor state one
 * @param roundSize least number of reports per round
 * @param people number of people who report
 * @param seed of the order in which people report; the noise is never seeded
 */
record DemoParameters(
    NoiseMechanism mechanism,
    double epsilon,
    double undisclosed,
    double clip,
    int roundSize,
    int people,
    long seed) {

  /**
   * Whether the person at a place in the order, from 0, doesn't declare their noise. Such people
   * are spread evenly over the order, so a learner that refuses them receives reports at a steady
   * rate.
   */
  boolean isUndisclosed(int place) {
    return undisclosedBefore(place + 1) > undisclosedBefore(place);
  }

  /** The number of people who don't declare their noise. */
  long undisclosedPeople() {
    return undisclosedBefore(people);
  }

  /** The rounds of models that receive raw gradients. */
  Rounds rounds() {
    return Rounds.of(people);
  }

  /** The delta for the epsilon of raw reports. */
  double delta() {
    return Double.parseDouble(deltaInWords());
  }

  /**
   * The delta as a power of ten, at most 1e-5 and at most 1 / people^1.1, so the expected number of
   * people whose data are disclosed is below 1.
   */
  String deltaInWords() {
    return "1e" + Math.min(-5, (int) Math.floor(-1.1 * Math.log10(people)));
  }

  /**
   * The randomiser of every person for one report to a model: on its grid, or, if its clip moves,
   * on the finest of its grids.
   *
   * @param spec of the model; dimension and clip are sufficient
   * @throws IllegalArgumentException if epsilon is out of range
   */
  Randomiser randomiser(ModelSpecOrBuilder spec) {
    boolean moves = spec.hasAdaptiveClip();
    double bound = moves ? 1 : spec.getGradientBound();
    Calibration calibration =
        new Calibration(bound, spec.getDimension(), ModelSpecs.gridExponent(bound), 1, moves);
    return mechanism.randomiser(calibration, epsilon, delta());
  }

  /** What BANCO is to accept: the noise of all reports to its model. */
  StrongestNoise strongest(ModelSpecOrBuilder spec) {
    StrongestNoise.Builder strongest = StrongestNoise.newBuilder();
    Declarations.declare(randomiser(spec).mechanism(), strongest);
    return strongest.build();
  }

  /** The mechanism by its name in records: l2_laplace noise. */
  String mechanismInWords() {
    boolean addsNoise = mechanism != NoiseMechanism.PRIV_UNIT;
    return mechanism.recordName() + (addsNoise ? " noise" : "");
  }

  private long undisclosedBefore(int place) {
    return Math.round(place * undisclosed);
  }
}
