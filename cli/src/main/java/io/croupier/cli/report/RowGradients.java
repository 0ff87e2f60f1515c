package io.croupier.cli.report;

import io.croupier.cli.data.Problem;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Gradients of one person's rows: of their mean loss, one for each published round, or one for each
 * row. Each gradient is evaluated at the newest weights and has their round. The ledger decides
 * later which rounds this device answers.
 */
final class RowGradients implements Gradients {
  private final Problem problem;
  private final PublishedModel model;
  private final boolean eachRow;
  private final long rounds;

  /** The update at which the last gradient was evaluated. */
  private ModelSnapshot round;

  private long roundsSeen;
  private int nextRow;

  /**
   * Prepares the gradients of {@code problem}.
   *
   * @param eachRow whether each row is reported separately
   * @param rounds number of published rounds to process, or of passes over the rows
   */
  RowGradients(Problem problem, PublishedModel model, boolean eachRow, long rounds) {
    this.problem = problem;
    this.model = model;
    this.eachRow = eachRow;
    this.rounds = rounds;
    nextRow = perRound();
  }

  private int perRound() {
    return eachRow ? problem.size() : 1;
  }

  @Override
  public EvaluatedGradient next() {
    if (nextRow < perRound()) {
      // A round may end before all rows are reported; reports at its weights would become stale.
      round = model.newest();
    } else if (roundsSeen < rounds) {
      // For a retired model, newest() throws.
      round = round == null ? model.newest() : model.after(round.round()).orElseGet(model::newest);
      roundsSeen++;
      nextRow = 0;
    } else {
      return null;
    }
    int row = nextRow++;
    ModelSnapshot at = round;
    // An answer is about one row: without --each-row, about any of the person's.
    return new EvaluatedGradient(
        at.terms(),
        () -> eachRow ? ofRow(row) : ofAll(),
        () -> eachRow ? at.slopeBound() * problem.featureNorm(row) : meanSize(at),
        problem::canAnswer,
        question ->
            problem.answer(
                question,
                eachRow ? row : ThreadLocalRandom.current().nextInt(problem.size()),
                at.average()));
  }

  /** The mean size of all rows by their features, which bounds the norm of the mean gradient. */
  private double meanSize(ModelSnapshot at) {
    double mean = 0;
    for (int row = 0; row < problem.size(); row++) {
      mean += at.slopeBound() * problem.featureNorm(row) / problem.size();
    }
    return mean;
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
