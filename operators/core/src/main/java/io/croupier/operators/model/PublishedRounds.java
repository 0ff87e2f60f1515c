package io.croupier.operators.model;

import io.croupier.operators.learner.LearnerState;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The newest publications that a report may still name, oldest first.
 *
 * <p>A publication is visible once its checkpoint is complete. Until then it is unconfirmed, and
 * staleness does not count it.
 *
 * <p>Invariants: (1) rounds increase strictly; (2) at most {@code maxStaleness + 1} publications
 * are confirmed; (3) at most one, the newest, is unconfirmed.
 */
final class PublishedRounds {
  /** Result of {@link #indexOf} for a round older than any kept. */
  static final int STALE = -1;

  /** Result of {@link #indexOf} for a round that was never published. */
  static final int UNPUBLISHED = -2;

  private int maxStaleness;
  private Publication[] publications = new Publication[4];
  private int size;
  private boolean confirmed = true;

  /**
   * Creates an empty list of publications.
   *
   * @param maxStaleness how many visible publications behind the newest a report may be, at least 0
   */
  PublishedRounds(int maxStaleness) {
    this.maxStaleness = maxStaleness;
  }

  /** Returns whether there is no publication yet. */
  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the index of {@code round}, or {@link #STALE} or {@link #UNPUBLISHED}. */
  int indexOf(long round) {
    int i = size - 1;
    while (i >= 0 && publications[i].round > round) {
      i--;
    }
    if (i < 0) {
      return size == 0 ? UNPUBLISHED : STALE;
    }
    return publications[i].round == round ? i : UNPUBLISHED;
  }

  /** Returns why a report is dropped whose round has an {@code index} below 0. */
  static LiveModel.BundleOutcome outcome(int index) {
    return index == STALE
        ? LiveModel.BundleOutcome.DROPPED_STALE
        : LiveModel.BundleOutcome.DROPPED_UNPUBLISHED;
  }

  /** Returns the publication at {@code index}. */
  Publication at(int index) {
    return publications[index];
  }

  /** Returns the oldest round that a report may name. There must be one. */
  long oldest() {
    return publications[0].round;
  }

  /** Returns the newest publication. There must be one. */
  Publication newest() {
    return publications[size - 1];
  }

  /** Returns how many publications are newer than the one at {@code index}, visible or not. */
  int newer(int index) {
    return size - 1 - index;
  }

  /** Returns how many visible publications are newer than the one at {@code index}. */
  int staleness(int index) {
    return Math.max(0, size - 1 - index - (confirmed ? 0 : 1));
  }

  /** Returns whether the newest publication is visible; true if there is none. */
  boolean isConfirmed() {
    return confirmed;
  }

  /**
   * Records that the newest publication is visible, and drops those that are now too old.
   *
   * @return whether any were dropped
   */
  boolean confirm() {
    confirmed = true;
    return forgetOld();
  }

  private boolean forgetOld() {
    int old = size - (maxStaleness + 1) - (confirmed ? 0 : 1);
    if (old > 0) {
      System.arraycopy(publications, old, publications, 0, size - old);
      Arrays.fill(publications, size - old, size, null);
      size -= old;
    }
    return old > 0;
  }

  /**
   * Adds a publication, which is unconfirmed, and confirms the one before it.
   *
   * @return the publication; the caller sets its bound if the clip moves
   */
  Publication add(long round) {
    confirm();
    confirmed = false;
    if (size == publications.length) {
      publications = Arrays.copyOf(publications, 2 * size);
    }
    publications[size] = new Publication(round);
    return publications[size++];
  }

  /** Drops all publications, so that reports that name them are stale. The caller adds another. */
  void clear() {
    Arrays.fill(publications, 0, size, null);
    size = 0;
  }

  /** Changes the maximum staleness and drops publications that are now too old. */
  void resize(int newMaxStaleness) {
    maxStaleness = newMaxStaleness;
    forgetOld();
  }

  /** Passes the publications to a visitor. */
  void save(LearnerState.Visitor visitor) {
    visitor.count("published", size);
    visitor.counts("published-rounds", all().mapToLong(p -> p.round).toArray());
    if (all().anyMatch(p -> p.gradientBound != 0)) {
      visitor.vector("published-bounds", all().mapToDouble(p -> p.gradientBound).toArray());
    }
    visitor.counts("published-answered", all().mapToLong(p -> p.answered ? 1 : 0).toArray());
  }

  /**
   * Restores what {@link #save} wrote. All publications in the state count as visible: a start
   * commits them, or fails.
   */
  void restore(LearnerState.Visitor visitor) {
    int stored = (int) visitor.count("published", 0);
    long[] rounds = new long[stored];
    visitor.counts("published-rounds", rounds);
    double[] bounds = new double[stored];
    visitor.vector("published-bounds", bounds);
    long[] answered = new long[stored];
    visitor.counts("published-answered", answered);
    for (int i = 0; i < stored; i++) {
      Publication publication = add(rounds[i]);
      publication.gradientBound = bounds[i];
      publication.answered = answered[i] != 0;
    }
    confirm();
  }

  private Stream<Publication> all() {
    return Arrays.stream(publications, 0, size);
  }
}
