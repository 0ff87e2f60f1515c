package io.croupier.operators.model;

import io.croupier.operators.learner.LearnerState;
import java.util.Arrays;

/**
 * The newest published rounds, oldest first, each with the direction that was in force: what a
 * report may still name.
 *
 * <p>Invariants: (1) rounds increase strictly; (2) there are at most {@code maxStaleness + 1}.
 */
final class PublishedRounds {
  /** {@link #indexOf} of a round older than any kept. */
  static final int STALE = -1;

  /** {@link #indexOf} of a round that was never published. */
  static final int UNPUBLISHED = -2;

  private final int dimension;
  private final boolean withDirections;
  private long[] rounds;
  private double[][] directions;
  private double[] pulls;
  private boolean[] saved;
  private int size;

  /**
   * An empty memory of publications.
   *
   * @param maxStaleness how many publications behind the newest a report may be, at least 0
   * @param dimension length of a direction
   * @param withDirections whether directions are kept; if not, {@link #direction} is null
   */
  PublishedRounds(int maxStaleness, int dimension, boolean withDirections) {
    this.dimension = dimension;
    this.withDirections = withDirections;
    rounds = new long[maxStaleness + 1];
    directions = new double[maxStaleness + 1][];
    pulls = new double[maxStaleness + 1];
    saved = new boolean[maxStaleness + 1];
  }

  /** Where {@code round} stands, or {@link #STALE} or {@link #UNPUBLISHED}. */
  int indexOf(long round) {
    if (size > 0 && round < rounds[0]) {
      return STALE;
    }
    int index = Arrays.binarySearch(rounds, 0, size, round);
    return index >= 0 ? index : UNPUBLISHED;
  }

  /** How many publications behind the newest the one at {@code index} is. */
  int staleness(int index) {
    return size - 1 - index;
  }

  /** The direction of the publication at {@code index}, shape [d]; null if none are kept. */
  double[] direction(int index) {
    return directions[index];
  }

  /** The multiple of its direction by which gradients of the publication at {@code index} grow. */
  double pull(int index) {
    return pulls[index];
  }

  /** Sets the {@link #pull} of the newest publication. */
  void setPull(double pull) {
    pulls[size - 1] = pull;
  }

  /** Whether {@code round} is the newest publication. */
  boolean isNewest(long round) {
    return size > 0 && rounds[size - 1] == round;
  }

  /**
   * Adds a publication, forgetting the oldest one if there is no room.
   *
   * @return the array that the caller fills with the direction; null if none are kept
   */
  double[] add(long round) {
    double[] reused = null;
    if (size == rounds.length) {
      reused = directions[0];
      System.arraycopy(rounds, 1, rounds, 0, size - 1);
      System.arraycopy(directions, 1, directions, 0, size - 1);
      System.arraycopy(pulls, 1, pulls, 0, size - 1);
      System.arraycopy(saved, 1, saved, 0, size - 1);
      size--;
    }
    rounds[size] = round;
    directions[size] = !withDirections || reused != null ? reused : new double[dimension];
    pulls[size] = 0;
    saved[size] = false;
    return directions[size++];
  }

  /** Keeps the newest publications when the spec allows more or fewer of them. */
  void resize(int maxStaleness) {
    int kept = Math.min(size, maxStaleness + 1);
    rounds = Arrays.copyOf(Arrays.copyOfRange(rounds, size - kept, size), maxStaleness + 1);
    directions = Arrays.copyOf(Arrays.copyOfRange(directions, size - kept, size), maxStaleness + 1);
    pulls = Arrays.copyOf(Arrays.copyOfRange(pulls, size - kept, size), maxStaleness + 1);
    saved = Arrays.copyOf(Arrays.copyOfRange(saved, size - kept, size), maxStaleness + 1);
    size = kept;
  }

  /** Shows the rounds, and those directions that the visitor has not been shown before. */
  void save(LearnerState.Visitor visitor) {
    visitor.count("published", size);
    visitor.counts("published-rounds", Arrays.copyOf(rounds, size));
    visitor.vector("published-pulls", Arrays.copyOf(pulls, size));
    for (int i = 0; i < size; i++) {
      if (withDirections && !saved[i]) {
        visitor.vector(directionName(rounds[i]), directions[i]);
        saved[i] = true;
      }
    }
  }

  /** Restores what {@link #save} showed over time. */
  void restore(LearnerState.Visitor visitor) {
    int stored = (int) visitor.count("published", 0);
    long[] storedRounds = new long[stored];
    visitor.counts("published-rounds", storedRounds);
    double[] storedPulls = new double[stored];
    visitor.vector("published-pulls", storedPulls);
    for (int i = 0; i < stored; i++) {
      double[] direction = add(storedRounds[i]);
      setPull(storedPulls[i]);
      if (direction != null) {
        visitor.vector(directionName(storedRounds[i]), direction);
        saved[size - 1] = true;
      }
    }
  }

  /** Whether a stored part belongs to a publication that is no longer kept. */
  boolean isForgotten(String name) {
    if (!name.startsWith("direction-of-")) {
      return false;
    }
    String round = name.substring("direction-of-".length(), name.indexOf('/'));
    return indexOf(Long.parseLong(round)) < 0;
  }

  private static String directionName(long round) {
    return "direction-of-" + round;
  }
}
