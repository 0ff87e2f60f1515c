package io.croupier.operators.learner;

/**
 * Weights of a model's rounds. With Omega the sum of the weights of a round's reports, Omega_1 that
 * of the first round, u a running mean of Omega over the earlier rounds (in the first round, u is
 * Omega_1), and m the largest u so far:
 *
 * <pre>
 *   lambda = min(2, Omega / u) m / Omega_1;  Lambda = sum of lambda
 * </pre>
 *
 * <p>So a round counts as it has reports, in units of what a round has had so far, and at most
 * twice that: day and night weigh as they should, and a backlog of any size can't take over. A
 * round of 2 u or more doubles u, but never beyond the mean of all reports so far; any other round
 * enters the mean with its Omega. Where rounds grow, for instance because a model began with the
 * reports of a few people, the early rounds soon count for little.
 *
 * <p>The wealth of a bettor is in units e of a round: a power of two, 1 at first, that doubles when
 * m reaches 5/4 e Omega_1. It never falls. In the average, a round has the weight lambda Lambda^p;
 * if all rounds have as many reports, the k-th has k^p.
 *
 * <p>Source: our own, docs/theory/rounds.md, section 1 and theorem 7.
 */
final class RoundWeighting {
  private static final double LARGEST = 2;

  /** m over e Omega_1 at which e doubles: it is then between 0.8 and 1.6 times m / Omega_1. */
  private static final double DOUBLES_AT = 1.25;

  private final RunningSum reports = new RunningSum();

  /** u times the number of rounds; at most the sum of the reports. */
  private final RunningSum counted = new RunningSum();

  private final RunningSum total = new RunningSum();
  private long rounds;

  /** Omega_1. */
  private double first;

  /** m. */
  private double largestMean;

  /** lambda of the newest round. */
  private double newest;

  /** lambda of the newest round relative to that of the one before. */
  private double growth = 1;

  /** Omega of the newest round over u, at most 2. */
  private double relative;

  private double unit = 1;

  /** Whether the newest round has doubled the unit; not part of the state. */
  private boolean isUnitNew;

  /** Weighs the next round; returns lambda. */
  double next(double weight) {
    if (rounds == 0) {
      first = weight;
      largestMean = weight;
    }
    double mean = rounds == 0 ? weight : counted.value() / rounds;
    double before = newest;
    relative = Math.min(LARGEST, weight / mean);
    newest = relative * (largestMean / first);
    growth = rounds == 0 ? 1 : newest / before;
    rounds++;
    total.add(newest);
    reports.add(weight);
    if (relative < LARGEST) {
      counted.add(weight);
    } else {
      counted.add(Math.min(reports.value(), LARGEST * mean * rounds) - counted.value());
    }
    largestMean = Math.max(largestMean, counted.value() / rounds);
    isUnitNew = largestMean >= DOUBLES_AT * unit * first;
    if (isUnitNew) {
      unit *= 2;
    }
    return newest;
  }

  /** Returns e of the next bet, a power of two. */
  double unit() {
    return unit;
  }

  /** Returns whether the newest round has doubled the unit. Valid until the step ends. */
  boolean isUnitNew() {
    return isUnitNew;
  }

  /** Returns Omega of the newest round over u, at most 2. */
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
    largestMean = visitor.scalar("largest-mean-weight", largestMean);
    newest = visitor.scalar("newest-lambda", newest);
    growth = visitor.scalar("newest-growth", growth);
    relative = visitor.scalar("newest-relative-weight", relative);
    unit = visitor.scalar("round-unit", unit);
  }
}
