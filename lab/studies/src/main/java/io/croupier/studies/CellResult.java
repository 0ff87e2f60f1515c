package io.croupier.studies;

import java.util.Comparator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The measurements of a cell's trials. */
final class CellResult {
  private final Cell cell;
  private final Trial.Risk[][][] risks;

  /**
   * Keeps the array.
   *
   * @param risks by replication, learner and checkpoint
   */
  CellResult(Cell cell, Trial.Risk[][][] risks) {
    this.cell = cell;
    this.risks = risks;
  }

  Cell cell() {
    return cell;
  }

  /** Best of several step sizes, chosen with hindsight by its mean. */
  record Oracle(double stepSize, Estimate risk) {

    @Override
    public String toString() {
      return risk + " [" + NumberLabels.short3(stepSize) + "]";
    }
  }

  /** Mean excess risk of a learner's average. */
  Estimate average(String label, int checkpoint) {
    return estimate(label, checkpoint, Trial.Risk::average);
  }

  /** Mean excess risk of a learner's last weights. */
  Estimate weights(String label, int checkpoint) {
    return estimate(label, checkpoint, Trial.Risk::weights);
  }

  Estimate estimate(String label, int checkpoint, ToDoubleFunction<Trial.Risk> of) {
    int candidate =
        IntStream.range(0, cell.candidates().size())
            .filter(i -> cell.candidates().get(i).label().equals(label))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(label + " isn't in " + cell.label()));
    return Estimate.of(
        IntStream.range(0, risks.length)
            .mapToDouble(r -> of.applyAsDouble(risks[r][candidate][checkpoint]))
            .toArray());
  }

  /** LDP-SGD, or with averages LDP-ASGD, of the best step size. */
  Oracle oracle(int checkpoint, ToDoubleFunction<Trial.Risk> of) {
    return CandidateLearners.STEP_SIZES.stream()
        .map(eta -> new Oracle(eta, estimate(CandidateLearners.sgdLabel(eta), checkpoint, of)))
        .min(Comparator.comparingDouble(oracle -> oracle.risk().mean()))
        .orElseThrow();
  }

  /** Excess risk of never moving. */
  double zero() {
    return cell.population().excess(new double[cell.population().dimension()]);
  }
}
