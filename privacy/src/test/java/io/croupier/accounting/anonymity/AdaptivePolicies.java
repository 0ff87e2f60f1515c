package io.croupier.accounting.anonymity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The exact largest delta over all adaptive policies: at each position of a window, which set of K
 * of N indices each other person has, and which two the person has under the two data, is chosen
 * after seeing all earlier outputs. Who is at which position is uniformly random and hidden.
 *
 * <p>An output is a column: bit i, whether it is in the set of other person i, and two bits for the
 * person. What a history is worth depends on the set of its columns only, up to the names of the
 * others, so that values are kept.
 */
final class AdaptivePolicies {
  private final int people;
  private final double hit;
  private final double miss;
  private final double odds;

  /** Each policy of one position: the columns of its N outputs. */
  private final int[][] choices;

  /** Each renaming of the others: column by column. */
  private final List<int[]> renamings = new ArrayList<>();

  private final Map<Long, Double> kept = new HashMap<>();

  /**
   * @param people at most 6
   */
  AdaptivePolicies(int people, int candidates, int top, double level, double epsilon) {
    this.people = people;
    double e = Math.exp(level);
    double total = top * e + candidates - top;
    hit = e / total;
    miss = 1 / total;
    odds = Math.exp(epsilon);
    choices = choices(people, candidates, top);
    rename(new int[people - 1], 0, 0);
  }

  private static int[][] choices(int people, int candidates, int top) {
    List<Integer> sets = new ArrayList<>();
    for (int set = 0; set < 1 << candidates; set++) {
      if (Integer.bitCount(set) == top) {
        sets.add(set);
      }
    }
    Set<List<Integer>> different = new HashSet<>();
    int all = 1;
    for (int i = 0; i < people; i++) {
      all *= sets.size();
    }
    for (int code = 0; code < all; code++) {
      // The indices are symmetric, so one set of the person is fixed.
      int[] own = new int[people + 1];
      own[people - 1] = sets.get(0);
      int left = code;
      for (int i = 0; i <= people; i++) {
        if (i != people - 1) {
          own[i] = sets.get(left % sets.size());
          left /= sets.size();
        }
      }
      List<Integer> columns = new ArrayList<>();
      for (int w = 0; w < candidates; w++) {
        int column = 0;
        for (int i = 0; i <= people; i++) {
          column |= (own[i] >> w & 1) << i;
        }
        columns.add(column);
      }
      columns.sort(null);
      different.add(columns);
    }
    return different.stream()
        .map(columns -> columns.stream().mapToInt(column -> column).toArray())
        .toArray(int[][]::new);
  }

  private void rename(int[] names, int used, int at) {
    if (at == names.length) {
      int[] columns = new int[1 << (people + 1)];
      for (int column = 0; column < columns.length; column++) {
        int renamed = column >> names.length << names.length;
        for (int i = 0; i < names.length; i++) {
          renamed |= (column >> i & 1) << names[i];
        }
        columns[column] = renamed;
      }
      renamings.add(columns);
      return;
    }
    for (int i = 0; i < names.length; i++) {
      if ((used >> i & 1) == 0) {
        names[at] = i;
        rename(names, used | 1 << i, at + 1);
      }
    }
  }

  /** The largest delta. */
  double largest() {
    double[] first = new double[1 << people];
    double[] second = new double[1 << people];
    first[0] = 1;
    second[0] = 1;
    double orders = 1;
    for (int i = 2; i <= people; i++) {
      orders *= i;
    }
    return value(new int[0], first, second) / orders;
  }

  /** Weights by the set of people who have reported. */
  private double value(int[] columns, double[] first, double[] second) {
    int position = columns.length;
    if (position == people - 1) {
      return last(first, second);
    }
    boolean isKept = position < people - 2 || people < 6;
    long key = isKept ? key(columns) : 0;
    Double known = isKept ? kept.get(key) : null;
    if (known != null) {
      return known;
    }
    double[] values = new double[1 << (people + 1)];
    Arrays.fill(values, -1);
    double best = 0;
    double[] nextFirst = new double[first.length];
    double[] nextSecond = new double[first.length];
    for (int[] choice : choices) {
      double sum = 0;
      for (int column : choice) {
        if (values[column] < 0) {
          add(column, position, first, nextFirst, column >> (people - 1) & 1);
          add(column, position, second, nextSecond, column >> people & 1);
          int[] more = Arrays.copyOf(columns, position + 1);
          more[position] = column;
          // Deeper calls have arrays of their own.
          values[column] = value(more, nextFirst.clone(), nextSecond.clone());
        }
        sum += values[column];
      }
      best = Math.max(best, sum);
    }
    if (isKept) {
      kept.put(key, best);
    }
    return best;
  }

  private void add(int column, int position, double[] from, double[] into, int own) {
    Arrays.fill(into, 0);
    for (int set = 0; set < from.length; set++) {
      if (Integer.bitCount(set) == position) {
        for (int i = 0; i < people; i++) {
          if ((set >> i & 1) == 0) {
            boolean isHit = i == people - 1 ? own == 1 : (column >> i & 1) == 1;
            into[set | 1 << i] += from[set] * (isHit ? hit : miss);
          }
        }
      }
    }
  }

  /** One person is left, and it isn't known who. */
  private double last(double[] first, double[] second) {
    double[] values = new double[1 << (people + 1)];
    int everybody = (1 << people) - 1;
    double[] excess = new double[people - 1];
    for (int i = 0; i < people - 1; i++) {
      excess[i] = first[everybody ^ 1 << i] - odds * second[everybody ^ 1 << i];
    }
    double own = first[everybody ^ 1 << (people - 1)];
    double other = odds * second[everybody ^ 1 << (people - 1)];
    for (int column = 0; column < values.length; column++) {
      double sum = own * ((column >> (people - 1) & 1) == 1 ? hit : miss);
      sum -= other * ((column >> people & 1) == 1 ? hit : miss);
      for (int i = 0; i < people - 1; i++) {
        sum += excess[i] * ((column >> i & 1) == 1 ? hit : miss);
      }
      values[column] = Math.max(0, sum);
    }
    double best = 0;
    for (int[] choice : choices) {
      double sum = 0;
      for (int column : choice) {
        sum += values[column];
      }
      best = Math.max(best, sum);
    }
    return best;
  }

  private long key(int[] columns) {
    long least = Long.MAX_VALUE;
    int[] renamed = new int[columns.length];
    for (int[] renaming : renamings) {
      for (int t = 0; t < columns.length; t++) {
        renamed[t] = renaming[columns[t]];
      }
      Arrays.sort(renamed);
      long key = columns.length;
      for (int column : renamed) {
        key = key << 7 | column;
      }
      least = Math.min(least, key);
    }
    return least;
  }
}
