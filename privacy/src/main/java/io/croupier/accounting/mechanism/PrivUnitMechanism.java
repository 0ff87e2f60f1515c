package io.croupier.accounting.mechanism;

import io.croupier.accounting.ChoiceLoss;
import io.croupier.accounting.mechanism.InvalidMechanismException.Flaw;
import io.croupier.accounting.privunit.PrivUnitLaw;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the vectors that a random seed expands to, chosen by rank.
 *
 * @param epsilon in nats, above 0 and at most 16
 * @param candidates N: 64, 256, 1024 or 4096
 * @param top K, from 1 to N / 2
 */
public record PrivUnitMechanism(double epsilon, int candidates, int top) implements Mechanism {
  private static final String NAME = "priv_unit";

  /**
   * @throws InvalidMechanismException if a parameter is out of range
   */
  public PrivUnitMechanism {
    boolean levelIsRight = epsilon > 0 && epsilon <= PrivUnitLaw.MOST_EPSILON;
    boolean candidatesAreRight = PrivUnitLaw.areCandidates(candidates);
    boolean topIsRight = top >= 1 && top <= candidates / 2;
    if (!levelIsRight || !candidatesAreRight || !topIsRight) {
      List<Flaw> flaws = new ArrayList<>();
      if (!levelIsRight) {
        flaws.add(new Flaw("epsilon", epsilon, "above 0 and at most 16"));
      }
      if (!candidatesAreRight) {
        flaws.add(new Flaw("candidates", candidates, "64, 256, 1024 or 4096"));
      }
      if (!topIsRight) {
        flaws.add(new Flaw("top", top, "from 1 to half the candidates"));
      }
      throw new InvalidMechanismException(NAME, flaws);
    }
  }

  /** The mechanism of a law. */
  public static PrivUnitMechanism of(PrivUnitLaw law) {
    return new PrivUnitMechanism(law.epsilon(), law.candidates(), law.top());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public double level() {
    return epsilon;
  }

  @Override
  public Cost cost() {
    return Cost.ofLoss(new ChoiceLoss(epsilon, (double) (candidates - top) / top));
  }

  @Override
  public String objection(GradientSpace space) {
    return space.isNearOptimum(this)
        ? ""
        : String.format(
            "top %s of %s candidates makes vectors longer than 1.3 times the least length at epsilon"
                + " %s: it must be nearer to the best top, or the candidates more",
            top, candidates, epsilon);
  }

  @Override
  public double pole(GradientSpace space) {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public double directionalVariance(GradientSpace space, double range) {
    return space.bettingVariance(this, range);
  }

  /** The length of every vector of a report, its last coordinate included. */
  public double length(GradientSpace space) {
    return space.gradientBound() * space.law(this).scale();
  }

  @Override
  public double squaredError(GradientSpace space) {
    return space.law(this).squaredError();
  }
}
