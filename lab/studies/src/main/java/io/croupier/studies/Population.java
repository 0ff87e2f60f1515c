package io.croupier.studies;

/**
 * A law of people, a loss of the prediction {@code <x, w>} convex in w, and the weights that are
 * best for them. Immutable; safe for any number of threads.
 */
interface Population {

  /** Number of coordinates d. */
  int dimension();

  /** Draws the next person. */
  void draw(SeededRandom random, Person into);

  /** Derivative of a person's loss in the prediction. */
  double slope(double prediction, double target);

  /** How much worse than the best weights these are, in expectation. O(d), or a design's size. */
  double excess(double[] weights);
}
