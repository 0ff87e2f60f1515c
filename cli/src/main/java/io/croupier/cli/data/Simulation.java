package io.croupier.cli.data;

import io.croupier.client.loss.HuberLoss;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.PointLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The two designs of section 5 of the LDP-SGD paper, with d = 5. The covariates are {@code x = (1,
 * z)}, z standard normal; all true parameters are 1; each person has the Mallows weight {@code
 * min(1, 2 / ||x||^2)}, which bounds gradients by sqrt(2) times the steepest slope. The linear
 * design has residuals N(0, 2^2) and Huber's loss with c = 1.345 and known scale (the paper also
 * estimates the scale). The logistic design has cross-entropy.
 */
public final class Simulation {

  private static final int COVARIATES = 5;
  private static final double SIGMA = 2;
  private static final double HUBER_C = 1.345;

  private Simulation() {}

  /** The logistic design. */
  public static DataSet logistic(int people, long seed) {
    return simulate("logistic", people, seed, new LogisticLoss());
  }

  /** The linear design. */
  public static DataSet linear(int people, long seed) {
    return simulate("linear", people, seed, new HuberLoss(HUBER_C, SIGMA));
  }

  private static DataSet simulate(String name, int people, long seed, PointLoss loss) {
    int d = COVARIATES + 1;
    UniformRandomProvider random = RandomSource.XO_SHI_RO_256_PP.create(seed);
    ZigguratSampler.NormalizedGaussian normal = ZigguratSampler.NormalizedGaussian.of(random);
    double[] features = new double[people * d];
    double[] targets = new double[people];
    double[] importance = new double[people];
    for (int i = 0; i < people; i++) {
      double square = 1;
      double prediction = 1;
      features[i * d] = 1;
      for (int j = 1; j < d; j++) {
        double z = normal.sample();
        features[i * d + j] = z;
        square += z * z;
        prediction += z;
      }
      importance[i] = Math.min(1, 2 / square);
      targets[i] =
          loss instanceof LogisticLoss
              ? (random.nextDouble() * (1 + Math.exp(-prediction)) < 1 ? 1 : 0)
              : prediction + SIGMA * normal.sample();
    }
    return new DataSet(
        name,
        String.format(
            Locale.ROOT,
            "%,d simulated people: %s regression with %d covariates and Mallows weights.",
            people,
            name,
            COVARIATES),
        features(),
        "Features are not scaled.",
        new Problem(features, targets, importance, loss),
        Math.sqrt(2) * loss.steepest(),
        1,
        Map.of(),
        List.of());
  }

  private static List<String> features() {
    List<String> names = new ArrayList<>(List.of("intercept"));
    for (int j = 1; j <= COVARIATES; j++) {
      names.add("z" + j);
    }
    return names;
  }
}
