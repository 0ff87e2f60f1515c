package io.croupier.cli.demo;

/**
 * What is the same for every learner.
 *
 * @param epsilon of every report, l2_laplace
 * @param undisclosed the share of the people who say nothing of their noise, from 0 to 1
 * @param clip length at which gradients are clipped: the gradient bound of every model
 * @param roundSize reports in a round
 * @param people how many report
 * @param seed of the order in which they do; the noise is never seeded
 */
record DemoParameters(
    double epsilon, double undisclosed, double clip, int roundSize, int people, long seed) {

  /**
   * Whether the person at a place in the order, from 0, says nothing of their noise. Such people
   * are spread evenly over the order: a learner that refuses them sees as many at any time.
   */
  boolean isUndisclosed(int place) {
    return undisclosedBefore(place + 1) > undisclosedBefore(place);
  }

  /** How many say nothing of their noise. */
  long undisclosedPeople() {
    return undisclosedBefore(people);
  }

  /** When whom is asked for a raw gradient. */
  Rounds rounds() {
    return Rounds.of(people);
  }

  /** Of the epsilon of raw reports. */
  double delta() {
    return Double.parseDouble(deltaInWords());
  }

  /**
   * A power of ten, 1e-5 or less, and not above 1 / people^1.1: what is given away with such a
   * probability is less than one person.
   */
  String deltaInWords() {
    return "1e" + Math.min(-5, (int) Math.floor(-1.1 * Math.log10(people)));
  }

  private long undisclosedBefore(int place) {
    return Math.round(place * undisclosed);
  }
}
