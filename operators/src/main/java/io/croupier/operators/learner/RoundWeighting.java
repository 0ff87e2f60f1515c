package io.croupier.operators.learner;

/**
 * Weights of a model's rounds. With Omega the sum of the weights of a round's reports, and u the
 * mean of Omega over the earlier rounds, Omega_1 in the first round:
 *
 * <pre>
 *   lambda = min(Omega, 2 u) / Omega_1;  Lambda = sum of lambda
 * </pre>
 *
 * <p>So a round counts as it has reports, and at most twice as much as an average one: day and
 * night weigh as they should, and a backlog of any size can't take over. A round of 2 u or more
 * doubles u, as far as the mean of all reports allows: where rounds have grown, for instance
 * because a model began with the reports of a few people, those early rounds soon count for little.
 *
 * <p>The wealth of a bettor is in units of a round. The unit is a power of two times Omega_1, and
 * doubles when u reaches twice the unit; it never falls. In the average, a round has the weight
 * lambda Lambda^p; if all rounds have as many reports, the k-th has k^p.
 *
 * <p>Source: our own, docs/rounds.md, section 1 and theorem 7.
 */
final class RoundWeighting {
  private static final double LARGEST = 2;

  private final RunningSum reports = new RunningSum();

  /** u times the number of rounds; at most the sum of the reports. */
  private final RunningSum counted = new RunningSum();

  private final RunningSum total = new RunningSum();
  private long rounds;

  /** Omega of the first round. */
  private double first;

  /** lambda of the newest round. */
  private double newest;

  /** lambda of the newest round relative to that of the one before. */
  private double growth = 1;

  /** Omega of the newest round over u, at most 2. */
  private double relative;

  private double unit = 1;
  private boolean isUnitNew;

  /** Weighs the next round; returns lambda. */
  double next(double weight) {
    if (rounds == 0) {
      first = weight;
    }
    double before = newest;
    double largest = LARGEST * (rounds == 0 ? weight : counted.value() / rounds);
    newest = Math.min(largest, weight) / first;
    growth = rounds == 0 ? 1 : newest / before;
    relative = LARGEST * (Math.min(largest, weight) / largest);
    rounds++;
    reports.add(weight);
    if (weight < largest || rounds == 1) {
      counted.add(weight);
    } else {
      counted.add(Math.min(reports.value(), largest * rounds) - counted.value());
    }
    total.add(newest);
    isUnitNew = counted.value() / rounds >= LARGEST * unit * first;
    if (isUnitNew) {
      unit *= LARGEST;
    }
    return newest;
  }

  /** Returns the unit of the next bet, a power of two. */
  double unit() {
    return unit;
  }

  /** Returns whether the newest round has doubled the unit. */
  boolean isUnitNew() {
    return isUnitNew;
  }

  /** Returns the weight of the newest round relative to an average one, at most 2. */
  double relative() {
    return relative;
  }

  /** Returns the number of rounds. */
  long rounds() {
    return rounds;
  }

  /** Returns the weight in the average of the round before, relative to the newest; 0 at first. */
  double decay(Averaging averaging) {
    return rounds == 1 ? 0 : averaging.decay(newest / total.value()) / growth;
  }

  void visit(LearnerState.Visitor visitor) {
    rounds = visitor.count("weighted-rounds", rounds);
    reports.visit(visitor, "round-weights");
    counted.visit(visitor, "round-weights-counted");
    total.visit(visitor, "round-lambdas");
    first = visitor.scalar("first-round-weight", first);
    newest = visitor.scalar("newest-lambda", newest);
    growth = visitor.scalar("newest-growth", growth);
    relative = visitor.scalar("newest-relative-weight", relative);
    unit = visitor.scalar("round-unit", unit);
  }
}
