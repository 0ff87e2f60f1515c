package io.croupier.studies;

/** One person's data. Reused from person to person. */
final class Person {
  /** Features, shape [d]. */
  final double[] x;

  double target;

  Person(int dimension) {
    x = new double[dimension];
  }
}
