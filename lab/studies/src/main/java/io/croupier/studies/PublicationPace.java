package io.croupier.studies;

/**
 * How many people come while a model publishes.
 *
 * @param first between two of the first publications
 * @param later between two later ones
 * @param part of those who come between two, one in so many comes before the newer one is visible
 */
record PublicationPace(int first, int later, int part) {
  /** As many as a search for a clip takes, and as many again. */
  private static final int FIRST = 12;

  /** The people of an interval, which are counted from 0. */
  int people(int interval) {
    return interval < FIRST ? first : later;
  }

  /** Those of so many people who come before their publication is visible. */
  int late(int people) {
    return people / part;
  }
}
