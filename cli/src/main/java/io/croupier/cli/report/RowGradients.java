package io.croupier.cli.report;

import io.croupier.cli.data.Problem;
import io.croupier.client.ModelSnapshot;
import java.util.function.DoubleSupplier;

/**
 * Gradients of one person's rows, at the weights that are the newest: for every round that is
 * answered, that of the rows' mean loss, or one for each row. A published round is answered with
 * the model's answer probability.
 */
final class RowGradients implements Gradients {
  private final Problem problem;
  private final Publications model;
  private final boolean eachRow;
  private final long rounds;
  private final DoubleSupplier coins;

  /** The state at which the newest gradient was evaluated. */
  private ModelSnapshot round;

  private long roundsSeen;
  private int nextRow;

  /**
   * Gradients of {@code problem}.
   *
   * @param eachRow whether each row is a report of its own
   * @param rounds how many published rounds to look at
   * @param coins uniform in [0, 1), one for each round
   */
  RowGradients(
      Problem problem, Publications model, boolean eachRow, long rounds, DoubleSupplier coins) {
    this.problem = problem;
    this.model = model;
    this.eachRow = eachRow;
    this.rounds = rounds;
    this.coins = coins;
    nextRow = perRound();
  }

  private int perRound() {
    return eachRow ? problem.size() : 1;
  }

  @Override
  public Answer next() {
    while (nextRow == perRound()) {
      if (roundsSeen == rounds) {
        return null;
      }
      // A model that was retired has no newest state, and says so.
      round = round == null ? model.newest() : model.after(round.round()).orElseGet(model::newest);
      roundsSeen++;
      if (coins.getAsDouble() < round.answerProbability()) {
        nextRow = 0;
      }
    }
    int row = nextRow++;
    round = model.newest();
    return new Answer(round, round.round(), eachRow ? ofRow(row) : ofAll());
  }

  private double[] ofRow(int row) {
    double[] gradient = new double[problem.dimension()];
    problem.gradient(row, round.weights(), gradient);
    return gradient;
  }

  private double[] ofAll() {
    double[] weights = round.weights();
    double[] gradient = new double[problem.dimension()];
    double[] mean = new double[problem.dimension()];
    for (int row = 0; row < problem.size(); row++) {
      problem.gradient(row, weights, gradient);
      for (int j = 0; j < mean.length; j++) {
        mean[j] += gradient[j] / problem.size();
      }
    }
    return mean;
  }

  @Override
  public String place() {
    return eachRow ? "row " + nextRow : "the answer to round " + round.round();
  }

  @Override
  public String left() {
    return "%d more".formatted(size() - (roundsSeen - 1) * perRound() - nextRow);
  }

  @Override
  public long size() {
    return Math.multiplyExact(rounds, perRound());
  }
}
