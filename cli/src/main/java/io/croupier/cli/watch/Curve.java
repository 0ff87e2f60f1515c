package io.croupier.cli.watch;

import com.google.gson.JsonArray;
import java.util.ArrayList;
import java.util.List;

/**
 * A curve of at most {@value #MOST_POINTS} points, however many are added. Points are at least some
 * gap apart, which grows with the curve; the last point is always the newest one. Not safe for use
 * by several threads.
 */
final class Curve {
  static final int MOST_POINTS = 120;

  /** Each with its x first. */
  private final List<double[]> points = new ArrayList<>();

  private double gap;

  /** Adds a point: x and some values. A curve whose x decreases begins anew. */
  void add(double... point) {
    if (!points.isEmpty() && point[0] < last()[0]) {
      points.clear();
      gap = 0;
    }
    append(point);
    if (points.size() > MOST_POINTS) {
      gap = 2 * (point[0] - points.get(0)[0]) / MOST_POINTS;
      List<double[]> all = List.copyOf(points);
      points.clear();
      all.forEach(this::append);
    }
  }

  private void append(double[] point) {
    int size = points.size();
    if (size > 0 && (point[0] == last()[0] || isTooNear(size))) {
      points.remove(size - 1);
    }
    points.add(point);
  }

  /** Whether the last point stays only until the next one comes. */
  private boolean isTooNear(int size) {
    return size > 1 && last()[0] - points.get(size - 2)[0] < gap;
  }

  private double[] last() {
    return points.get(points.size() - 1);
  }

  /** An array of points, each an array of x and the values. */
  JsonArray json() {
    return PageNumbers.json(points).getAsJsonArray();
  }

  /** The newest point; the curve must have one. */
  JsonArray newest() {
    return PageNumbers.json(last()).getAsJsonArray();
  }
}
