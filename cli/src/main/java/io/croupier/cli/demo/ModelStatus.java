package io.croupier.cli.demo;

/**
 * Where a model stands.
 *
 * @param used reports in its closed rounds
 * @param dropped reports that came too late
 * @param open reports that wait in the open round
 * @param refused reports that the ledger kept from it
 * @param publications how often it was published
 * @param newest its newest judged average; null before the first
 */
record ModelStatus(
    long used, long dropped, long open, long refused, long publications, CurvePoint newest) {

  /** The same with what the ledger says, which the model never learns. */
  ModelStatus withRefused(long reports) {
    return new ModelStatus(used, dropped, open, reports, publications, newest);
  }

  /** Reports that the model was given. */
  long accounted() {
    return used + dropped + open;
  }

  /** Reports of which nothing more will come. */
  long settled() {
    return accounted() + refused;
  }

  /** The newest average in a few words. */
  String inWords(String fitName) {
    return newest == null
        ? "waiting"
        : "loss %s, %s %s, publication %s"
            .formatted(
                NumberFormats.score(newest.loss()),
                fitName,
                NumberFormats.score(newest.fit()),
                NumberFormats.count(publications));
  }
}
