package io.croupier.accounting.privunit;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes {@link PrivUnitLaw}s, and keeps what they share, which doesn't depend on epsilon: for each
 * of the last dimensions the quadrature, and the moments of every (N, K) that was asked for.
 *
 * <p>Anybody may declare N and K. There are 2,720 valid pairs, and one that was not asked for
 * before takes about 0.1 ms. A dimension takes about a millisecond, and callers ask for those of
 * models alone. At most 64 dimensions are kept, of 140 kB each.
 *
 * <p>Not safe for use by several threads.
 */
public final class PrivUnitLaws {
  static final int MOST_DIMENSIONS = 64;

  private final Map<Integer, Kept> kept = new Recent<>(MOST_DIMENSIONS);

  /**
   * The law of a declared mechanism.
   *
   * @param dimension d, at least 1
   * @param epsilon in nats, positive, at most 16
   * @param candidates N: 64, 256, 1024 or 4096
   * @param top K, from 1 to N / 2
   * @return the law, which need not be {@linkplain PrivUnitLaw#isNearOptimum near the optimum}
   * @throws IllegalArgumentException if an argument is out of range
   */
  public PrivUnitLaw of(int dimension, double epsilon, int candidates, int top) {
    requireLevel(dimension, epsilon, candidates);
    if (top < 1 || top > candidates / 2) {
      throw new IllegalArgumentException(
          "top is " + top + "; it must be from 1 to half the candidates, " + candidates / 2);
    }
    return law(dimension, epsilon, candidates, top);
  }

  /**
   * The law with the K of least M.
   *
   * @throws IllegalArgumentException if an argument is out of range, or so few candidates make even
   *     that M more than 1.3 times the least one
   */
  public PrivUnitLaw best(int dimension, double epsilon, int candidates) {
    requireLevel(dimension, epsilon, candidates);
    double odds = StrictMath.expm1(epsilon);
    Sphere sphere = kept(dimension).sphere;
    double share = sphere.tail(1 / Cap.scale(sphere, odds));
    int top = Math.max(1, Math.min(candidates / 2, (int) (share * candidates)));
    // M has one minimum over K, close to this.
    double scale = scale(dimension, odds, candidates, top);
    int step = top < candidates / 2 && scale(dimension, odds, candidates, top + 1) < scale ? 1 : -1;
    while (top + step >= 1 && top + step <= candidates / 2) {
      double next = scale(dimension, odds, candidates, top + step);
      if (!(next < scale)) {
        break;
      }
      scale = next;
      top += step;
    }
    PrivUnitLaw best = law(dimension, epsilon, candidates, top);
    if (!best.isNearOptimum()) {
      throw new IllegalArgumentException(
          String.format(
              "candidates is %s; at epsilon %s it must be more", candidates, best.epsilon()));
    }
    return best;
  }

  /**
   * The law with a K that a device finds without computing a length, at most 2.5 % longer than the
   * best one. Devices in JavaScript and Python declare it.
   *
   * @throws IllegalArgumentException if an argument is out of range
   */
  public PrivUnitLaw near(int dimension, double epsilon, int candidates) {
    double share = 1 / (1 + StrictMath.exp(0.67 * epsilon / (1 + 0.6 / dimension)));
    return of(dimension, epsilon, candidates, (int) Math.max(1, Math.round(candidates * share)));
  }

  private static void requireLevel(int dimension, double epsilon, int candidates) {
    if (dimension < 1 || dimension == Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "dimension is " + dimension + "; it must be at least 1, and less than 2^31 - 1");
    }
    if (!(epsilon > 0 && epsilon <= PrivUnitLaw.MOST_EPSILON)) {
      throw new IllegalArgumentException(
          "epsilon is " + epsilon + "; it must be positive, and at most 16");
    }
    if (!PrivUnitLaw.areCandidates(candidates)) {
      throw new IllegalArgumentException(
          "candidates is " + candidates + "; it must be 64, 256, 1024 or 4096");
    }
  }

  private PrivUnitLaw law(int dimension, double epsilon, int candidates, int top) {
    Kept of = kept(dimension);
    return new PrivUnitLaw(of.sphere, epsilon, candidates, top, of.moments(candidates, top));
  }

  private double scale(int dimension, double odds, int candidates, int top) {
    return PrivUnitLaw.scale(odds, candidates, top, kept(dimension).moments(candidates, top));
  }

  private Kept kept(int dimension) {
    return kept.computeIfAbsent(dimension, d -> new Kept(new Sphere(d + 1)));
  }

  int dimensionsKept() {
    return kept.size();
  }

  /** What all laws of a dimension share. */
  private static final class Kept {
    /** As many as there are valid pairs (N, K). */
    private static final int PAIRS = 2720;

    private final Sphere sphere;

    /** 0: not known yet. */
    private final double[] first = new double[PAIRS];

    private final double[] second = new double[PAIRS];

    Kept(Sphere sphere) {
      this.sphere = sphere;
    }

    Sphere.RankMoments moments(int candidates, int top) {
      // All valid numbers of candidates below are 4 times the one before, and the first is 64.
      int at = (candidates - 64) / 6 + top - 1;
      if (first[at] == 0) {
        Sphere.RankMoments moments = sphere.moments(candidates / 2, top);
        first[at] = moments.first();
        second[at] = moments.second();
      }
      return new Sphere.RankMoments(first[at], second[at]);
    }
  }

  /** Forgets the entry that was not asked for the longest. */
  private static final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    Recent(int most) {
      super(16, 0.75f, true);
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }
}
