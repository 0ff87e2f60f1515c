package io.croupier.operators.anonymous;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.mechanism.Mechanism;

/**
 * What the reports of one declaration in a window guarantee each of their people.
 *
 * @param counted n, the reports that count
 * @param local epsilon of each report
 * @param central epsilon, at most {@code local}
 */
public record WindowBound(long counted, double local, double central) {
  /** More reports than that don't lower the bound, which would take long to compute. */
  private static final long MOST_REPORTS = 100_000;

  /**
   * The bound of a window that is over.
   *
   * @param reports that were admitted
   * @param honest least share of them that honest devices sent
   * @param availability with which people report, see {@link AnonymousWindow}
   * @param isInterrupted whether nothing but the local epsilon is claimed
   * @throws IllegalArgumentException if an argument is out of its range
   */
  public static WindowBound of(
      Mechanism declaration,
      long reports,
      double honest,
      double availability,
      double delta,
      boolean isInterrupted) {
    PureLoss loss = declaration.cost().loss();
    long counted = isInterrupted ? 1 : AnonymousWindow.counted(reports, honest, 1);
    double central =
        counted < 2
            ? loss.epsilon()
            : AnonymousWindow.of(loss, Math.min(counted, MOST_REPORTS), availability)
                .coarseEpsilon(delta);
    return new WindowBound(counted, loss.epsilon(), Math.min(central, loss.epsilon()));
  }
}
