package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a coordinate-wise learner played and knew at the publications that a report may still name:
 * for each of them, the values that the round after it changed, as they were. A coordinate that no
 * round has changed since a publication still has that publication's values, so the history costs
 * what reports touch.
 */
final class CoordinateHistory {
  private static final String VALUES = "history-values-at-";
  private static final String COORDINATES = "history-coordinates-at-";
  private static final int WHOLE = -1;

  /** In place of the publications before the learner began at an average. */
  static final long UNKNOWN = Long.MIN_VALUE;

  /** The columns of a record: S, V of either side, and the weight before clipping to the box. */
  static final int COINS = 0;

  static final int UPPER = 1;
  static final int LOWER = 2;
  static final int WEIGHT = 3;

  /** With a memory also: the reports of the model up to the coordinate's last discount. */
  static final int DISCOUNTED = 4;

  /** The values at one publication of the coordinates that changed with the next round. */
  private static final class Values {
    private final long publication;

    /** Of the coins that the bets were placed for. */
    private double unit = 1;

    /** Ascending; null: all. */
    private int[] coordinates = {};

    private double[] values = {};
    private boolean isSaved;

    private Values(long publication) {
      this.publication = publication;
    }

    /** Returns where the values of a coordinate are; negative if it didn't change. */
    private int position(int coordinate) {
      return coordinates == null ? coordinate : Arrays.binarySearch(coordinates, coordinate);
    }
  }

  private final List<Values> publications = new ArrayList<>();
  private final int columns;

  /**
   * Creates the history of a learner that has published nothing.
   *
   * @param memory the learner's
   */
  CoordinateHistory(Memory memory) {
    columns = memory.isFinite() ? DISCOUNTED + 1 : WEIGHT + 1;
  }

  /**
   * Records a publication.
   *
   * @param unit of the coins that its bets are placed for, see {@link RoundWeighting}
   */
  void add(long publication, double unit) {
    Values values = new Values(publication);
    values.unit = unit;
    publications.add(values);
  }

  /** Returns the unit of the publication with this index. */
  double unit(int index) {
    return publications.get(index).unit;
  }

  /** Returns whether a step may follow: something was published since the last one. */
  boolean mayStep() {
    return !publications.isEmpty() && newest().values.length == 0;
  }

  private Values newest() {
    return publications.get(publications.size() - 1);
  }

  /** Returns the index of a publication; -1 if it isn't known. */
  int find(long publication) {
    for (int i = publications.size() - 1; i >= 0; i--) {
      if (publications.get(i).publication == publication) {
        return i;
      }
    }
    return -1;
  }

  /** Returns whether a publication is newer than the one with this index. */
  boolean isLate(int index) {
    return index < publications.size() - 1;
  }

  /**
   * Begins to record what the next round changes.
   *
   * @param coordinates that it touches, ascending; null: all
   * @param count how many
   */
  void keep(int[] coordinates, int count) {
    Values newest = newest();
    newest.coordinates = coordinates == null ? null : Arrays.copyOf(coordinates, count);
    newest.values = new double[Math.multiplyExact(columns, count)];
  }

  /** Records the values of the {@code position}-th coordinate before the round. */
  void keep(int position, double coins, double upper, double lower, double weight) {
    double[] values = newest().values;
    values[columns * position + COINS] = coins;
    values[columns * position + UPPER] = upper;
    values[columns * position + LOWER] = lower;
    values[columns * position + WEIGHT] = weight;
  }

  /** Records when the {@code position}-th coordinate was last discounted before the round. */
  void keepDiscounted(int position, double reports) {
    newest().values[columns * position + DISCOUNTED] = reports;
  }

  /** Returns a value of a coordinate at the publication with this index, given the present one. */
  double at(int index, int coordinate, int column, double present) {
    for (int i = index; i < publications.size() - 1; i++) {
      Values values = publications.get(i);
      int position = values.position(coordinate);
      if (position >= 0) {
        return values.values[columns * position + column];
      }
    }
    return present;
  }

  /** An action on a coordinate. */
  @FunctionalInterface
  interface Change {
    void on(int coordinate, double value);
  }

  /** Visits the coordinates that changed since a publication, with a value at that publication. */
  void forEachChanged(int index, int column, Change action) {
    for (int i = index; i < publications.size() - 1; i++) {
      Values values = publications.get(i);
      int count = values.values.length / columns;
      for (int p = 0; p < count; p++) {
        int coordinate = values.coordinates == null ? p : values.coordinates[p];
        if (i == index || isFirst(index, i, coordinate)) {
          action.on(coordinate, values.values[columns * p + column]);
        }
      }
    }
  }

  private boolean isFirst(int from, int to, int coordinate) {
    for (int i = from; i < to; i++) {
      if (publications.get(i).position(coordinate) >= 0) {
        return false;
      }
    }
    return true;
  }

  /** Forgets the publications before {@code oldest}. */
  void forget(long oldest) {
    publications.removeIf(values -> values.publication < oldest);
  }

  void visit(LearnerState.Visitor visitor) {
    int size = (int) visitor.count("history", publications.size());
    long[] numbers = publications.stream().mapToLong(values -> values.publication).toArray();
    long[] stored = numbers.length == size ? numbers : new long[size];
    visitor.counts("history-publications", stored);
    if (publications.size() != size) {
      publications.clear();
      for (long number : stored) {
        publications.add(new Values(number));
      }
    }
    for (Values values : publications) {
      visit(values, visitor);
    }
  }

  private static void visit(Values values, LearnerState.Visitor visitor) {
    String at = "-at-" + values.publication;
    values.unit = visitor.scalar("history-unit" + at, values.unit);
    int length = (int) visitor.count("history-length" + at, values.values.length);
    int listed = values.coordinates == null ? WHOLE : values.coordinates.length;
    int coordinates = (int) visitor.count("history-listed" + at, listed);
    if (length == 0 || values.isSaved) {
      return;
    }
    if (values.values.length != length) {
      values.values = new double[length];
    }
    visitor.vector(VALUES + values.publication, values.values);
    if (coordinates == WHOLE) {
      values.coordinates = null;
    } else {
      long[] list = new long[coordinates];
      Arrays.setAll(list, i -> i < listed ? values.coordinates[i] : 0);
      visitor.counts(COORDINATES + values.publication, list);
      values.coordinates = Arrays.stream(list).mapToInt(Math::toIntExact).toArray();
    }
    values.isSaved = true;
  }

  /** Returns whether a stored part belongs to a publication that is forgotten. */
  boolean isObsolete(String part) {
    int at = part.indexOf("-at-");
    if (at < 0 || !part.startsWith("history")) {
      return false;
    }
    int slash = part.indexOf('/', at);
    String publication = part.substring(at + 4, slash < 0 ? part.length() : slash);
    return find(Long.parseLong(publication)) < 0;
  }
}
