package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;
import java.util.Arrays;

/** Reports to local models, as an intake makes them: sums on a grid. */
public final class TestSums {
  /** Fine enough for all values of tests. */
  public static final int EXPONENT = -40;

  private TestSums() {}

  /** Returns a dense report of weight 1. */
  public static RoundSum dense(long round, double... values) {
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = round;
    sum.count = 1;
    sum.form = VectorForm.GRID_SUM;
    sum.dimension = values.length;
    sum.exponent = EXPONENT;
    sum.values = PackedVectors.encode(steps(values, EXPONENT));
    return sum;
  }

  /** Returns a randomised answer. */
  public static RoundSum answer(long round, String question, double response) {
    RoundSum sum = dense(round);
    sum.form = VectorForm.ANSWER;
    sum.question = question;
    sum.response = response;
    return sum;
  }

  /** Returns a sparse report of weight 1. */
  public static RoundSum sparse(long round, int dimension, int[] indices, double... values) {
    RoundSum sum = dense(round, values);
    sum.form = VectorForm.SPARSE_SUM;
    sum.dimension = dimension;
    sum.indices = indices;
    return sum;
  }

  /** Returns a report of integers on the grid of multiples of 2^exponent. */
  public static RoundSum grid(long round, int exponent, int... steps) {
    RoundSum sum = dense(round, new double[steps.length]);
    sum.form = VectorForm.GRID;
    sum.exponent = exponent;
    sum.values = PackedVectors.encode(steps);
    return sum;
  }

  /** Returns the vector of a dense or sparse sum, shape [d]. */
  public static double[] values(RoundSum sum) {
    double[] values = new double[sum.dimension];
    for (int i = 0; i < PackedVectors.count(sum.form, sum.values); i++) {
      int at = sum.form == VectorForm.SPARSE_SUM ? sum.indices[i] : i;
      values[at] = PackedVectors.valueAt(sum.form, sum.values, i, Math.scalb(1.0, sum.exponent));
    }
    return values;
  }

  /** Returns values rounded to few multiples of 2^exponent. */
  static int[] fewSteps(double[] values, int exponent) {
    return Arrays.stream(steps(values, exponent)).mapToInt(Math::toIntExact).toArray();
  }

  /** Returns values rounded to multiples of 2^exponent. */
  public static long[] steps(double[] values, int exponent) {
    return Arrays.stream(values)
        .mapToLong(value -> Math.round(Math.scalb(value, -exponent)))
        .toArray();
  }
}
