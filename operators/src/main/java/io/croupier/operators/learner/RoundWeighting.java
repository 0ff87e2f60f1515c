package io.croupier.operators.learner;

/**
 * The weights of a model's rounds. With Omega the sum of the weights of a round's reports:
 *
 * <pre>
 *   lambda = min(2, Omega / mean of Omega over the earlier rounds), 1 in the first round
 *   Lambda = sum of lambda
 * </pre>
 *
 * <p>So a round counts as it has reports, in units of what a round has had so far, and at most
 * twice that: day and night weigh as they should, and a backlog of any size can't take over. In the
 * average, a round has the weight lambda Lambda^p; if all rounds have as many reports, the k-th has
 * k^p.
 */
final class RoundWeighting {
  private static final double LARGEST = 2;

  private final RunningSum reports = new RunningSum();
  private final RunningSum total = new RunningSum();
  private long rounds;
  private double newest;

  /** lambda of the newest round relative to that of the one before. */
  private double growth = 1;

  /** Weighs the next round; returns lambda. */
  double next(double weight) {
    double lambda = rounds == 0 ? 1 : Math.min(LARGEST, weight / (reports.value() / rounds));
    growth = rounds == 0 ? 1 : lambda / newest;
    rounds++;
    reports.add(weight);
    total.add(lambda);
    newest = lambda;
    return lambda;
  }

  /** Returns lambda of the newest round. */
  double newest() {
    return newest;
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
    total.visit(visitor, "round-lambdas");
    newest = visitor.scalar("newest-lambda", newest);
    growth = visitor.scalar("newest-growth", growth);
  }
}
