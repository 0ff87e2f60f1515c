package io.croupier.cli.report;

import io.croupier.client.randomiser.Randomiser;

/** A destination of reports. Each report is charged to a ledger before its noise is drawn. */
interface ReportSink extends AutoCloseable {

  /**
   * Randomises a gradient, or the answer if a question is asked instead, and releases the report.
   *
   * @throws io.croupier.client.NotChosenException if this device is not chosen to answer the round,
   *     or is asked a question that it doesn't answer
   * @throws io.croupier.client.ledger.LimitReachedException if the report would exceed the person's
   *     limit
   * @throws IllegalArgumentException if the gradient doesn't have the model's dimension
   * @throws io.croupier.cli.InputException if this report or an earlier one can't be delivered
   */
  void report(EvaluatedGradient answer, Randomiser randomiser);

  /**
   * Waits until every report is delivered or has failed. Failed reports stay pending in the ledger.
   *
   * @throws io.croupier.cli.InputException if a report of this run was not delivered
   */
  void settle();

  /**
   * What this sink has done with reports, as {@code 3 sent}.
   *
   * @param reports that it was given without an error
   * @param pending those of them, and of earlier runs, that are not acknowledged
   */
  String done(long reports, int pending);

  @Override
  void close();
}
