package io.croupier.studies;

import java.util.Arrays;

/**
 * People with one active coordinate each, the j-th with a chance proportional to 1/j; absolute
 * loss, targets around {@code level} in every coordinate.
 */
final class OneHot implements Population {
  private final double[] upTo;
  private final double level;

  OneHot(int dimension, double level) {
    this.level = level;
    upTo = new double[dimension];
    double sum = 0;
    for (int j = 0; j < dimension; j++) {
      sum += 1.0 / (j + 1);
      upTo[j] = sum;
    }
    for (int j = 0; j < dimension; j++) {
      upTo[j] /= sum;
    }
  }

  @Override
  public int dimension() {
    return upTo.length;
  }

  @Override
  public void draw(SeededRandom random, Person into) {
    int found = Arrays.binarySearch(upTo, random.uniform());
    Arrays.fill(into.x, 0);
    into.x[found < 0 ? -found - 1 : found + 1] = 1;
    into.target = Loss.ABSOLUTE.target(random, level);
  }

  @Override
  public double slope(double prediction, double target) {
    return Loss.ABSOLUTE.slope(prediction, target);
  }

  @Override
  public double excess(double[] weights) {
    double sum = 0;
    for (int j = 0; j < upTo.length; j++) {
      double chance = upTo[j] - (j == 0 ? 0 : upTo[j - 1]);
      sum += chance * Loss.ABSOLUTE.excess(level, weights[j]);
    }
    return sum;
  }
}
