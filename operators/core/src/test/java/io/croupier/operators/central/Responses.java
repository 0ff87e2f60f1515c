package io.croupier.operators.central;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The response of prefixes to each draw of noise: every draw has a coordinate of its own, where it
 * is 1 and all others are 0.
 */
final class Responses {
  private static final double ONE = 0x1p36;

  /** By prefix, then by draw. */
  private final List<double[]> prefixes = new ArrayList<>();

  private int draws;

  Responses(PrefixNoise noise, int steps) {
    int most = 4 * steps;
    PrefixSum sum =
        TestNoise.start(
            noise,
            most,
            TestNoise.GRID,
            into -> {
              Arrays.fill(into, 0);
              into[draws++] = (long) ONE;
            });
    for (int t = 0; t < steps; t++) {
      double[] prefix = new double[most];
      sum.add(new long[most], prefix);
      for (int i = 0; i < most; i++) {
        prefix[i] /= ONE * 0x1p-44;
      }
      prefixes.add(prefix);
    }
  }

  int draws() {
    return draws;
  }

  /** Returns the share of each draw in prefix t, from 1. */
  double[] of(int t) {
    return prefixes.get(t - 1);
  }

  /** Returns the covariance of the noise of two prefixes, from 1. */
  double covariance(int s, int t) {
    return dot(of(s), of(t));
  }

  static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
