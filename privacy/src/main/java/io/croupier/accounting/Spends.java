package io.croupier.accounting;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * The spending of one person on mechanisms of different kinds, and its epsilon at a delta: the
 * least of several valid bounds.
 *
 * <p>All spends must use the same neighbouring relation. Spending of independent persons does not
 * add up: a population's epsilon is the largest of its members'.
 *
 * <p>Adding takes constant time. Where more than 256 losses differ, their epsilons count rounded up
 * by less than 0.5 %, in all bounds but {@link Bound#BASIC} and the exact composition. Not safe for
 * use by several threads.
 */
public final class Spends {
  /** Up to as many different losses count as they are. */
  private static final int MOST_DIFFERENT = 256;

  /** Beyond, epsilons are rounded up to powers of it. */
  private static final double RATIO = 1.005;

  private final Map<PureLoss, Long> losses = new LinkedHashMap<>();
  private double mu;
  private double rho;
  private double variation;

  /** An epsilon, and the bound that yields it. */
  public record Least(double epsilon, Bound bound) {}

  /**
   * Adds reports, each of which is epsilon-DP.
   *
   * @param epsilon in nats, at least 0; an infinite one guarantees nothing
   * @param reports number of reports, at least 0
   */
  public void addPure(double epsilon, long reports) {
    addPure(PureLoss.ofEpsilon(epsilon), reports);
  }

  /**
   * Adds pure reports whose loss is known.
   *
   * @param reports number of reports, at least 0
   */
  public void addPure(PureLoss loss, long reports) {
    ArgumentChecks.notNegative("reports", reports);
    if (loss.epsilon() > 0 && reports > 0) {
      losses.merge(loss, reports, Math::addExact);
    }
  }

  /**
   * Adds a mu-GDP mechanism.
   *
   * @param mu at least 0; an infinite one guarantees nothing
   */
  public void addMu(double mu) {
    ArgumentChecks.notNegative("mu", mu);
    this.mu = GaussianDp.compose(this.mu, mu);
  }

  /**
   * Adds the distance of Gaussian noise from the law to which its mu refers ({@link
   * DiscreteGaussian}). The zero-concentrated guarantee doesn't need it.
   *
   * @param variation at least 0; may be infinite
   */
  public void addVariation(double variation) {
    ArgumentChecks.notNegative("variation", variation);
    double sum = this.variation + variation;
    this.variation = variation > 0 && this.variation > 0 ? Math.nextUp(sum) : sum;
  }

  /**
   * Adds a mechanism of which only a rho is known. For a Gaussian mechanism, {@link #addMu} yields
   * tighter bounds.
   *
   * @param rho at least 0; an infinite one guarantees nothing
   */
  public void addRho(double rho) {
    ArgumentChecks.notNegative("rho", rho);
    double sum = this.rho + rho;
    this.rho = rho > 0 && this.rho > 0 ? Math.nextUp(sum) : sum;
  }

  /**
   * Every applicable bound at delta, rounded up.
   *
   * @param logDelta natural logarithm of delta, at most 0
   * @return a copy, in the order of {@link Bound}
   */
  public Map<Bound, Double> bounds(double logDelta) {
    ArgumentChecks.logProbability("logDelta", logDelta);
    Map<Bound, Double> bounds = new EnumMap<>(Bound.class);
    Map<PureLoss, Long> fewer = fewer();
    RenyiCurve pureCurve = RenyiCurve.ZERO;
    for (Map.Entry<PureLoss, Long> group : fewer.entrySet()) {
      pureCurve = pureCurve.plus(RenyiCurve.ofPure(group.getKey(), group.getValue()));
    }
    double concentrated = rho == 0 && mu == 0 ? 0 : Math.nextUp(rho + Math.nextUp(mu * mu / 2));
    bounds.put(Bound.ZERO_CONCENTRATED, ZeroConcentratedDp.epsilon(concentrated, fewer, logDelta));
    bounds.put(Bound.RENYI, pureCurve.plus(RenyiCurve.ofRho(concentrated)).epsilon(logDelta));
    double byRho = ZeroConcentratedDp.epsilon(concentrated, logDelta);
    double rest =
        rho == 0 ? Math.min(DiscreteGaussian.epsilon(mu, variation, logDelta), byRho) : byRho;
    bounds.put(Bound.BASIC, pure() == 0 ? rest : Math.nextUp(pure() + rest));
    if (rho == 0) {
      bounds.put(Bound.GAUSSIAN, DiscreteGaussian.epsilon(muOfAll(fewer), variation, logDelta));
    }
    if (rho == 0 && mu <= Double.MAX_VALUE && pure() <= Double.MAX_VALUE) {
      double most = Collections.min(bounds.values());
      composition(fewer, logDelta)
          .map(epsilon -> DiscreteGaussian.epsilon(epsilon, variation, logDelta))
          .ifPresent(epsilon -> bounds.put(Bound.EXACT, Math.min(epsilon, most)));
    }
    return bounds;
  }

  /**
   * The least of the {@link #bounds}; the first of equal ones.
   *
   * @param logDelta natural logarithm of delta, at most 0
   */
  public Least least(double logDelta) {
    Least least = new Least(Double.POSITIVE_INFINITY, Bound.BASIC);
    for (Map.Entry<Bound, Double> bound : bounds(logDelta).entrySet()) {
      if (bound.getValue() < least.epsilon()) {
        least = new Least(bound.getValue(), bound.getKey());
      }
    }
    return least;
  }

  /** The sum of the pure epsilons, rounded up. */
  public double pure() {
    double[] products = new double[losses.size()];
    int i = 0;
    for (Map.Entry<PureLoss, Long> group : losses.entrySet()) {
      double epsilon = group.getKey().epsilon();
      double n = group.getValue();
      double product = epsilon * n;
      boolean roundedDown = Math.fma(epsilon, n, -product) > 0;
      products[i] = roundedDown || (long) n < group.getValue() ? Math.nextUp(product) : product;
      i++;
    }
    return PureDp.basic(products);
  }

  /**
   * The epsilon at about a delta by the distributions of all losses; empty if they are too many.
   */
  private Optional<DoubleUnaryOperator> composition(Map<PureLoss, Long> fewer, double logDelta) {
    Map<Double, Long> responses = new TreeMap<>();
    for (Map.Entry<PureLoss, Long> group : losses.entrySet()) {
      if (group.getKey().isResponse()) {
        responses.put(group.getKey().epsilon(), group.getValue());
      }
    }
    if (responses.size() == losses.size()) {
      Optional<ExactComposition> exact = ExactComposition.of(mu, responses);
      if (exact.isPresent()) {
        return Optional.of(exact.get()::epsilon);
      }
    }
    return logDelta < 0 && logDelta >= -Double.MAX_VALUE
        ? GridComposition.of(mu, fewer, logDelta).map(grid -> grid::epsilon)
        : Optional.empty();
  }

  /** The losses, or at least as large ones of which more are equal. */
  private Map<PureLoss, Long> fewer() {
    if (losses.size() <= MOST_DIFFERENT) {
      return losses;
    }
    Map<PureLoss, Long> fewer = new LinkedHashMap<>();
    losses.forEach((loss, reports) -> fewer.merge(rounded(loss), reports, Math::addExact));
    return fewer;
  }

  private static PureLoss rounded(PureLoss loss) {
    double epsilon = loss.epsilon();
    double power = Math.ceil(StrictMath.log(epsilon) / StrictMath.log(RATIO));
    double more = StrictMath.pow(RATIO, power);
    return more >= epsilon && more <= Double.MAX_VALUE ? loss.at(more) : loss;
  }

  private double muOfAll(Map<PureLoss, Long> fewer) {
    double all = mu;
    for (Map.Entry<PureLoss, Long> group : fewer.entrySet()) {
      double count = Math.nextUp(StrictMath.sqrt((double) group.getValue()));
      all = GaussianDp.compose(all, group.getKey().mu() * count);
    }
    return all;
  }
}
