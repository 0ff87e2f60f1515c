package io.croupier.cli.watch;

import io.croupier.schemas.Estimate;

/**
 * The answers to a question, as the page shows them.
 *
 * @param fraction null, as the next three, if there are none
 * @param recent null if there is none
 * @param always null if the model has no experiment, or no answers since its start
 */
record EstimateView(
    String question,
    Double fraction,
    Double low,
    Double high,
    Long answers,
    OtherAnswers recent,
    OtherAnswers always) {

  /** Answers with other weights by age. */
  private record OtherAnswers(double fraction, double low, double high, long answers) {

    static OtherAnswers of(Estimate.Recent estimate) {
      return new OtherAnswers(
          estimate.getFraction(), estimate.getLow(), estimate.getHigh(), estimate.getAnswers());
    }
  }

  static EstimateView of(Estimate estimate) {
    boolean answered = estimate.hasFraction();
    return new EstimateView(
        estimate.getQuestion().getName(),
        answered ? estimate.getFraction() : null,
        answered ? estimate.getLow() : null,
        answered ? estimate.getHigh() : null,
        answered ? estimate.getAnswers() : null,
        estimate.hasRecent() ? OtherAnswers.of(estimate.getRecent()) : null,
        estimate.hasAlways() ? OtherAnswers.of(estimate.getAlways()) : null);
  }
}
