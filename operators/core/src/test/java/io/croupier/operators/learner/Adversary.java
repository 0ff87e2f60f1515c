package io.croupier.operators.learner;

import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * An adversary that chooses the next subgradient of one-dimensional losses, and observes everything
 * that was played.
 */
enum Adversary {
  /** Every bet loses. */
  AGAINST_THE_WEIGHT(s -> s.weight() >= 0 ? 1 : -1),

  /** |w - u| for a u near and one far away. */
  TOWARDS_A_NEAR_OPTIMUM(s -> s.weight() >= 0.05 ? 1 : -1),
  TOWARDS_A_FAR_OPTIMUM(s -> s.weight() >= -100 ? 1 : -1),

  ALTERNATING(s -> s.round() % 2 == 0 ? 1 : -1),
  ALWAYS_THE_SAME(s -> 1),

  /** Lets the learner win, then makes it lose the gains. */
  TURNING(s -> s.round() % 80 < 20 ? -1 : 1),
  BURSTS(s -> s.round() % 60 < 7 ? -1 : s.round() % 60 > 50 ? 0.5 : 0),
  RANDOM(s -> new SplittableRandom(s.round()).nextDouble(-1, 1)),

  /** Far below the bound, over decades. */
  SMALL(s -> -Math.pow(10, -(s.round() % 5))),

  /** Reduces the learner's wealth as close to its bound as possible. */
  GREEDY(Situation::worst);

  @SuppressWarnings("ImmutableEnumChecker") // a function of its argument alone
  private final ToDoubleFunction<Situation> gradient;

  Adversary(ToDoubleFunction<Situation> gradient) {
    this.gradient = gradient;
  }

  /** The next subgradient, in units of G. */
  double gradient(Situation situation) {
    return gradient.applyAsDouble(situation);
  }

  /**
   * The observation of an adversary: the round, and weight, L and V in units in which G is 1.
   *
   * @param potential for G = 1
   */
  record Situation(int round, double weight, double coins, double variance, Potential potential) {
    double taken(double g) {
      return weight * g + Math.exp(potential.logPotential(coins - g, variance + g * g));
    }

    double worst() {
      double worst = 0;
      double most = Double.NEGATIVE_INFINITY;
      for (double g : new double[] {-1, -0.5, -0.1, 0.1, 0.5, 1}) {
        double taken = taken(g);
        if (taken > most) {
          most = taken;
          worst = g;
        }
      }
      return worst;
    }
  }
}
