package io.croupier.cli.report;

import io.croupier.client.randomiser.Randomiser;

/** Where reports go, each charged to a ledger before its noise is drawn. */
interface ReportSink extends AutoCloseable {

  /**
   * Randomises a gradient and lets it go.
   *
   * @throws io.croupier.client.NotChosenException if this device isn't to answer that round
   * @throws io.croupier.client.ledger.LimitReachedException if the person's limit has no room
   * @throws IllegalArgumentException if the gradient has not the model's dimension
   * @throws io.croupier.cli.InputException if an earlier one, or this one, can't get there
   */
  void report(EvaluatedGradient answer, Randomiser randomiser);

  /**
   * Waits until it is known what became of everything: what has not arrived is still pending in the
   * ledger.
   *
   * @throws io.croupier.cli.InputException if one of this run has not arrived
   */
  void settle();

  /** What happens to reports here: {@code sent}. */
  String done();

  @Override
  void close();
}
