package io.croupier.operators.evaluation;

import java.util.List;

/**
 * The non-decreasing curve from (0, 0) to (1, 1) that is nearest to estimates of a distribution
 * function by weighted least squares [Bar72]: neighbours that decrease are pooled into one point at
 * their mean, and the curve is linear between points.
 */
final class MonotoneCurve {
  /** Of each point, the masses, and the masses times its place and times its height. */
  private final double[] masses;

  private final double[] places;
  private final double[] heights;

  /** Of each point, its largest threshold. */
  private final double[] ends;

  private int size;

  /**
   * @param sorted by threshold
   */
  MonotoneCurve(List<AskedThreshold> sorted) {
    masses = new double[sorted.size()];
    places = new double[sorted.size()];
    heights = new double[sorted.size()];
    ends = new double[sorted.size()];
    for (int i = 0; i < sorted.size(); i++) {
      AskedThreshold asked = sorted.get(i);
      masses[size] += asked.mass();
      places[size] += asked.mass() * asked.threshold();
      heights[size] += asked.below();
      ends[size] = asked.threshold();
      if (i + 1 < sorted.size() && sorted.get(i + 1).threshold() == asked.threshold()) {
        continue;
      }
      size++;
      while (size > 1 && height(size - 2) >= height(size - 1)) {
        pool();
      }
    }
  }

  /** Makes one point of the last two. */
  private void pool() {
    size--;
    masses[size - 1] += masses[size];
    places[size - 1] += places[size];
    heights[size - 1] += heights[size];
    ends[size - 1] = ends[size];
    masses[size] = 0;
    places[size] = 0;
    heights[size] = 0;
  }

  private double height(int point) {
    return heights[point] / masses[point];
  }

  /** Returns the least place, from 0 to 1, where the curve reaches a level from 0 to 1. */
  double inverse(double level) {
    double left = 0;
    double below = 0;
    for (int i = 0; i <= size; i++) {
      double right = i == size ? 1 : places[i] / masses[i];
      double above = i == size ? 1 : Math.min(1, Math.max(0, height(i)));
      if (above >= level) {
        return above == below ? left : left + (right - left) * (level - below) / (above - below);
      }
      left = right;
      below = above;
    }
    return 1;
  }

  /** Returns the height, from 0 to 1, of the point that a threshold is pooled into. */
  double fitted(double threshold) {
    int point = 0;
    while (point < size - 1 && ends[point] < threshold) {
      point++;
    }
    return Math.min(1, Math.max(0, height(point)));
  }
}
