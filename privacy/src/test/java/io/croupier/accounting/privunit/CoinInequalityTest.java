package io.croupier.accounting.privunit;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.numerics.GaussLegendre;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The inequality that the learners' guarantees rest on, for noise that is not symmetric: E exp(x -
 * c x^2) &lt;= 1 + E x for the coin x = -a &lt;e, mean of reports>, a the bet times G. The black
 * box and the coordinate-wise learner have c = 1 and a &lt;= 0.2.
 *
 * <p>Method for means: exp(x - c x^2) = exp(1 / 4c) E exp(i sqrt(2c) Z (x - 1 / 2c)) for a standard
 * normal Z, so that the left side is an integral over the characteristic function of x, the product
 * of those of all reports.
 *
 * <p>The tests with a tag look at the whole grid.
 */
class CoinInequalityTest {
  private static final double STEP = 0.08;
  private static final double LAST = 8.6;

  /** Of what is near 1. */
  private static final double ROUNDING = 2e-14;

  private final PrivUnitLaws laws = new PrivUnitLaws();

  /**
   * The lemma's condition, which knows the ratio of densities and M alone: for a law on the sphere
   * of radius M with density between 1 / Z and exp(epsilon) / Z, rho &lt;= 1 is enough, whatever
   * the law is.
   */
  private static double rho(Sphere sphere, double odds, double scale, double a, double c) {
    HeightLaw uniform = sphere.chosen(32, 32, 0);
    double gain = 0;
    double loss = 0;
    for (int i = 0; i < uniform.heights().length; i++) {
      double x = a * scale * uniform.heights()[i];
      double left = Math.expm1(-x - c * x * x) + x;
      double right = Math.expm1(x - c * x * x) - x;
      gain += 2 * uniform.above()[i] * Math.max(0, left);
      loss -= 2 * uniform.above()[i] * (left + right) / 2;
    }
    return odds * gain / (2 * loss);
  }

  /** The largest rho over bets. */
  private static double largestRho(int dimension, double epsilon, double factor) {
    Sphere sphere = new Sphere(dimension);
    double odds = Math.expm1(epsilon);
    double scale = factor * Cap.scale(sphere, odds);
    double largest = 0;
    for (double a = 0.2; a > 1e-4; a /= 1.5) {
      largest = Math.max(largest, rho(sphere, odds, scale, a, 1));
    }
    return largest;
  }

  /** One dimension of many, and every level; the bounds are those of the whole grid. */
  @ParameterizedTest
  @CsvSource({"1, 0.2", "1.02, 0.204", "1.1, 0.222", "1.3, 0.276", "2, 0.557"})
  void theLemmasConditionHoldsUpToTheLargestScale(double factor, double largest) {
    for (int dimension : new int[] {2, 3, 9, 101, 10_001}) {
      for (double epsilon : new double[] {0.01, 0.25, 1, 2, 4, 8, 12}) {
        assertRho(dimension, epsilon, factor, largest);
      }
    }
  }

  private static void assertRho(int dimension, double epsilon, double factor, double largest) {
    assertThat(largestRho(dimension, epsilon, factor))
        .as("D %s, epsilon %s, %s times the least M", dimension, epsilon, factor)
        .isLessThan(largest + 1e-3);
  }

  @Test
  @Tag("ci")
  void theLemmasConditionHoldsOnTheWholeGrid() {
    for (int dimension : new int[] {2, 3, 4, 5, 9, 21, 101, 1001, 10_001, 100_001}) {
      for (double epsilon = 0.01; epsilon <= 16; epsilon *= 1.35) {
        assertRho(dimension, epsilon, 1.3, 0.276);
      }
    }
  }

  /** A fraction of a round's reports that have one law; the fraction of n is whole. */
  private record Part(double share, Reports reports) {}

  /** The characteristic function of one report along e, in units of G. */
  private interface Reports {
    /** Its argument, and the logarithm of its size: the phase is folded. */
    void at(double frequency, double[] complex);

    /** The mean along e. */
    double mean();
  }

  /** Releases for a gradient of length 1 with &lt;u, e> = cosine. */
  private static final class ByRank implements Reports {
    private final PrivUnitLaw law;
    private final HeightLaw heights;
    private final double cosine;
    private final Map<Double, double[]> known = new HashMap<>();
    private final double[] crossHeights = new double[GaussLegendre.SIZE];
    private final double[] crossMasses = new double[GaussLegendre.SIZE];

    ByRank(PrivUnitLaw law, double cosine) {
      this.law = law;
      this.heights = law.chosen();
      this.cosine = cosine;
      fillCross(law.dimension());
    }

    /** Half of the law of a coordinate on the sphere that is orthogonal to u. */
    private void fillCross(int dimension) {
      double end = Math.min(Math.PI / 2, 9 / Math.sqrt(dimension));
      double sum = 0;
      for (int i = 0; i < crossHeights.length; i++) {
        double angle = end * GaussLegendre.node(i);
        crossHeights[i] = Math.sin(angle);
        // In one dimension the sphere is two points.
        crossMasses[i] =
            GaussLegendre.weight(i) * Math.pow(Math.cos(angle), Math.max(0, dimension - 2));
        if (dimension == 1) {
          crossHeights[i] = 1;
        }
        sum += crossMasses[i];
      }
      for (int i = 0; i < crossMasses.length; i++) {
        crossMasses[i] /= sum;
      }
    }

    @Override
    public double mean() {
      return cosine;
    }

    @Override
    public void at(double frequency, double[] complex) {
      double[] value = known.computeIfAbsent(frequency, this::at);
      complex[0] = value[0];
      complex[1] = value[1];
    }

    private double[] at(double frequency) {
      double sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
      double real = 0;
      double imaginary = 0;
      for (int i = 0; i < heights.heights().length; i++) {
        double t = heights.heights()[i];
        double angle = frequency * law.scale() * cosine * t;
        double across = 1;
        if (sine > 0) {
          double reach = frequency * law.scale() * sine * Math.sqrt((1 - t) * (1 + t));
          across = 0;
          for (int j = 0; j < crossHeights.length; j++) {
            across += crossMasses[j] * Math.cos(reach * crossHeights[j]);
          }
        }
        real += (heights.above()[i] + heights.below()[i]) * Math.cos(angle) * across;
        imaginary += (heights.above()[i] - heights.below()[i]) * Math.sin(angle) * across;
      }
      return new double[] {real, imaginary};
    }
  }

  /** The same along -e. */
  private record Opposite(Reports reports) implements Reports {
    @Override
    public void at(double frequency, double[] complex) {
      reports.at(frequency, complex);
      complex[1] = -complex[1];
    }

    @Override
    public double mean() {
      return -reports.mean();
    }
  }

  /** Half the report plus half a fixed pull of at most G: what a learner with a radius receives. */
  private record Pulled(Reports reports, double pull) implements Reports {
    @Override
    public void at(double frequency, double[] complex) {
      reports.at(frequency / 2, complex);
      double cos = Math.cos(frequency * pull / 2);
      double sin = Math.sin(frequency * pull / 2);
      double real = complex[0] * cos - complex[1] * sin;
      complex[1] = complex[0] * sin + complex[1] * cos;
      complex[0] = real;
    }

    @Override
    public double mean() {
      return (reports.mean() + pull) / 2;
    }
  }

  /** A mean plus l2-Laplace noise of an epsilon, in d dimensions, or Gaussian noise. */
  private record Additive(double mean, double scale, double shape) implements Reports {
    static Additive l2Laplace(double mean, double epsilon, int d) {
      return new Additive(mean, 2 / epsilon, (d + 1) / 2.0);
    }

    static Additive gaussian(double mean, double mu) {
      return new Additive(mean, 2 / mu, 0);
    }

    @Override
    public void at(double frequency, double[] complex) {
      double square = frequency * frequency * scale * scale;
      double size = shape == 0 ? Math.exp(-square / 2) : Math.pow(1 + square, -shape);
      complex[0] = size * Math.cos(frequency * mean);
      complex[1] = size * Math.sin(frequency * mean);
    }
  }

  /** E exp(x - c x^2) - 1 - E x for the mean of n reports. */
  private static double excess(double a, double c, int n, Part... parts) {
    double root = Math.sqrt(2 * c);
    double sum = 0;
    double[] complex = new double[2];
    for (int k = 0; k * STEP <= LAST; k++) {
      double z = k * STEP;
      double logSize = -z * z / 2;
      double phase = -z / root;
      for (Part part : parts) {
        double count = part.share() * n;
        part.reports().at(-root * z * a / n, complex);
        logSize += count * Math.log(Math.hypot(complex[0], complex[1]));
        phase += count * Math.atan2(complex[1], complex[0]);
      }
      sum += (k == 0 ? 1 : 2) * Math.exp(logSize) * Math.cos(phase);
    }
    double mean = 0;
    for (Part part : parts) {
      mean -= a * part.share() * part.reports().mean();
    }
    return Math.exp(1 / (4 * c)) * sum * STEP / Math.sqrt(2 * Math.PI) - 1 - mean;
  }

  private static void assertCoins(String what, int n, Part... parts) {
    assertThat(excess(0.2, 1, n, parts)).as("%s, mean of %s", what, n).isLessThan(ROUNDING);
  }

  private void assertMeans(int d, double epsilon, int candidates, int... counts) {
    Reports along = new ByRank(laws.best(d, epsilon, candidates), 1);
    Reports against = new Opposite(along);
    String what = "d " + d + ", epsilon " + epsilon + ", N " + candidates;
    for (int n : counts) {
      assertCoins(what + ", along", n, new Part(1, along));
      assertCoins(what + ", against", n, new Part(1, against));
      assertCoins(what + ", both", n, new Part(0.5, along), new Part(0.5, against));
      if (n % 10 == 0) {
        assertCoins(what + ", most", n, new Part(0.8, along), new Part(0.2, against));
      }
      for (double mean : new double[] {-1, 0, 1}) {
        Reports laplace = Additive.l2Laplace(mean, epsilon, d);
        Reports gaussian = Additive.gaussian(mean, epsilon);
        assertCoins(what + ", l2-laplace", n, new Part(0.5, along), new Part(0.5, laplace));
        assertCoins(
            what + ", against l2-laplace", n, new Part(0.5, against), new Part(0.5, laplace));
        if (n % 10 == 0) {
          assertCoins(what + ", gaussian", n, new Part(0.9, against), new Part(0.1, gaussian));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 64", "20, 0.5, 256", "20, 2, 256", "100, 8, 64", "1000, 4, 256"})
  void meansOfReportsKeepTheInequality(int d, double epsilon, int candidates) {
    assertMeans(d, epsilon, candidates, 10);
  }

  @Test
  void oneReportKeepsItInEveryDirection() {
    PrivUnitLaw law = laws.best(20, 2, 256);
    for (double cosine : new double[] {1, 0, -1}) {
      assertCoins("cosine " + cosine, 1, new Part(1, new ByRank(law, cosine)));
    }
  }

  /** The black box and the coordinate-wise learner with a radius, for one report and for a mean. */
  @Test
  void aPullTowardsTheBallKeepsIt() {
    assertPulled(20, 2, 256);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1, 1, 64", "2, 0.25, 256", "100, 8, 64"})
  void aPullTowardsTheBallKeepsItInOtherDimensions(int d, double epsilon, int candidates) {
    assertPulled(d, epsilon, candidates);
  }

  private void assertPulled(int d, double epsilon, int candidates) {
    PrivUnitLaw law = laws.best(d, epsilon, candidates);
    for (double cosine : new double[] {1, 0, -1}) {
      Reports reports = new ByRank(law, cosine);
      for (double pull : new double[] {-1, -0.5, 0, 0.5, 1}) {
        for (double a : new double[] {0.2, 0.05}) {
          for (int n : new int[] {1, 10}) {
            assertThat(excess(a, 1, n, new Part(1, new Pulled(reports, pull))))
                .as("d %s, cosine %s, pull %s, a %s, mean of %s", d, cosine, pull, a, n)
                .isLessThan(ROUNDING);
          }
        }
      }
    }
  }

  @Test
  @Tag("thorough")
  void meansKeepItOnTheWholeGrid() {
    for (int d : new int[] {1, 2, 8, 20, 100, 1000, 10_000}) {
      for (double epsilon : new double[] {0.25, 0.5, 1, 2, 4, 8}) {
        for (int candidates : new int[] {64, 256, 1024}) {
          assertMeans(d, epsilon, candidates, 2, 4, 10, 30, 100, 300, 1000);
        }
      }
    }
  }

  @Test
  @Tag("thorough")
  void meansOfReportsThatLieAskewKeepIt() {
    for (int d : new int[] {1, 2, 20, 1000}) {
      for (double epsilon : new double[] {0.25, 1, 8}) {
        PrivUnitLaw law = laws.best(d, epsilon, 256);
        for (double cosine : new double[] {0, 0.5}) {
          Part part = new Part(1, new ByRank(law, cosine));
          for (int n : new int[] {1, 10}) {
            assertCoins("d " + d + ", epsilon " + epsilon + ", cosine " + cosine, n, part);
          }
        }
      }
    }
  }

  /** The check sees what breaks the inequality: too small a c, and rare large coins on one side. */
  @Test
  void theCheckCanFail() {
    PrivUnitLaw law = laws.best(20, 2, 256);
    assertThat(excess(0.2, 0.5, 1, new Part(1, new ByRank(law, 1)))).isGreaterThan(1e-4);
    Reports rare =
        new Reports() {
          // 20 with probability 1/20, else 0: one coordinate, sent times d.
          @Override
          public void at(double frequency, double[] complex) {
            complex[0] = 0.95 + 0.05 * Math.cos(20 * frequency);
            complex[1] = 0.05 * Math.sin(20 * frequency);
          }

          @Override
          public double mean() {
            return 1;
          }
        };
    assertThat(excess(0.2, 1, 1, new Part(1, rare))).isGreaterThan(1e-2);
  }
}
