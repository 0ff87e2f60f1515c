package io.croupier.cli.demo;

/**
 * Where a model stands.
 *
 * @param used reports in its closed rounds
 * @param dropped reports that came too late
 * @param open reports that wait in the open round
 * @param publications how often it was published
 * @param newest its newest judged average; null before the first
 */
record Standing(long used, long dropped, long open, long publications, CurvePoint newest) {

  /** Reports that are settled one way or another. */
  long accounted() {
    return used + dropped + open;
  }

  /** The newest average in a few words. */
  String inWords(String fitName) {
    return newest == null
        ? "waiting"
        : "loss %s, %s %s, publication %s"
            .formatted(
                Numbers.score(newest.loss()),
                fitName,
                Numbers.score(newest.fit()),
                Numbers.count(publications));
  }
}
