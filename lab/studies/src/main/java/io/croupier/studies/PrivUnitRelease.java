package io.croupier.studies;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.operators.math.Vectors;
import org.apache.commons.math3.util.KthSelector;

/**
 * Releases of priv_unit with the law of those that a device makes, at a small part of their cost.
 *
 * <p>A device expands a seed to N / 2 vectors, ranks them by their heights over the lifted gradient
 * u, and draws one of the N candidates. Here the N / 2 heights are drawn instead, independently,
 * from the law of the height of a uniform unit vector. The rank of the chosen candidate has the
 * same law as on a device; given its height, the candidate is uniform on the sphere across u. Both
 * are the law of the mechanism for independent uniform candidates, which the vectors of a seed are
 * but for the accuracy that docs/reference/priv-unit.md states.
 */
final class PrivUnitRelease implements Release {
  private static final KthSelector SELECTOR = new KthSelector();

  private final PrivUnitLaw law;
  private final double gradientBound;
  private final double coin;
  private final double[] sizes;
  private final double[] lifted;
  private final double[] chosen;

  /**
   * @param law whose K and M are used
   * @param gradientBound G
   */
  PrivUnitRelease(PrivUnitLaw law, double gradientBound) {
    this.law = law;
    this.gradientBound = gradientBound;
    coin = Math.exp(-law.epsilon());
    sizes = new double[law.candidates() / 2];
    lifted = new double[law.dimension() + 1];
    chosen = new double[law.dimension() + 1];
  }

  @Override
  public void draw(double[] gradient, SeededRandom random, double[] into) {
    int d = law.dimension();
    for (int j = 0; j < d; j++) {
      lifted[j] = gradient[j] / gradientBound;
    }
    lifted[d] = 0;
    lifted[d] = Math.sqrt(Math.max(0, 1 - Vectors.squaredNorm(lifted)));
    double height = height(random);
    double square;
    do {
      random.sphere(chosen);
      Vectors.addScaled(-Vectors.dot(chosen, lifted), lifted, chosen);
      square = Vectors.squaredNorm(chosen);
    } while (square == 0);
    double across = Math.sqrt((1 - height * height) / square);
    double scale = law.scale() * gradientBound;
    for (int j = 0; j < d; j++) {
      into[j] = scale * (height * lifted[j] + across * chosen[j]);
    }
  }

  /** The height of the chosen candidate over u. */
  private double height(SeededRandom random) {
    int top = law.top();
    int rank;
    do {
      rank = random.below(law.candidates());
    } while (rank >= top && random.uniform() >= coin);
    // First the top, then their opposites, then the two candidates of each pair that is left.
    if (rank < top) {
      return size(rank, random);
    }
    if (rank < 2 * top) {
      return -size(rank - top, random);
    }
    double size = size(rank / 2, random);
    return rank % 2 == 0 ? size : -size;
  }

  /** Draws the |heights| of all pairs, and returns the one that so many exceed. */
  private double size(int above, SeededRandom random) {
    double shape = law.dimension() / 2.0;
    for (int i = 0; i < sizes.length; i++) {
      double normal = random.normal();
      double square = normal * normal;
      sizes[i] = square / (square + 2 * random.gamma(shape));
    }
    return Math.sqrt(SELECTOR.select(sizes, null, sizes.length - 1 - above));
  }
}
