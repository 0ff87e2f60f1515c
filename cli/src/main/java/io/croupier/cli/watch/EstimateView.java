package io.croupier.cli.watch;

import io.croupier.schemas.Estimate;

/**
 * The answers to a question, as the page shows them.
 *
 * @param fraction null, as the next three, if there are none
 * @param recent null if there is none
 */
record EstimateView(
    String question, Double fraction, Double low, Double high, Long answers, RecentAnswers recent) {

  private record RecentAnswers(double fraction, double low, double high, long answers) {}

  static EstimateView of(Estimate estimate) {
    boolean answered = estimate.hasFraction();
    Estimate.Recent recent = estimate.getRecent();
    return new EstimateView(
        estimate.getQuestion().getName(),
        answered ? estimate.getFraction() : null,
        answered ? estimate.getLow() : null,
        answered ? estimate.getHigh() : null,
        answered ? estimate.getAnswers() : null,
        estimate.hasRecent()
            ? new RecentAnswers(
                recent.getFraction(), recent.getLow(), recent.getHigh(), recent.getAnswers())
            : null);
  }
}
