package io.croupier.cli.demo;

/**
 * The progress of a model.
 *
 * @param used reports in closed rounds
 * @param answers answers in the estimates
 * @param dropped reports that were too late, or were made with another clip than their round's
 * @param open reports in the open round
 * @param refused reports that the ledger refused
 * @param publications number of publications
 * @param newest score of the newest evaluated average; null before the first
 */
record ModelStatus(
    long used,
    long answers,
    long dropped,
    long open,
    long refused,
    long publications,
    CurvePoint newest) {

  /** Adds the number of refused reports, which only the ledger knows. */
  ModelStatus withRefused(long reports) {
    return new ModelStatus(used, answers, dropped, open, reports, publications, newest);
  }

  /** Reports that the model received. */
  long accounted() {
    return used + answers + dropped + open;
  }

  /** Reports that the model received or the ledger refused. */
  long settled() {
    return accounted() + refused;
  }

  /** The newest score in words. */
  String inWords(String fitName) {
    return newest == null
        ? "waiting"
        : "%s, loss %s, publication %s"
            .formatted(
                NumberFormats.fit(fitName, newest.fit()),
                NumberFormats.score(newest.loss()),
                NumberFormats.count(publications));
  }
}
