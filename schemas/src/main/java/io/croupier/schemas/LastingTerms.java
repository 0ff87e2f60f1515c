package io.croupier.schemas;

import io.croupier.schemas.StatisticEstimate.TextValues;
import io.croupier.schemas.view.ModelUpdateView;

/** What an update of a round has in common with its later publications. */
public final class LastingTerms {
  private LastingTerms() {}

  /**
   * Returns an update without counts, times, diagnostics and estimates: with more reports, a round
   * is published again with others. What it asks devices for, and its vectors, stay.
   */
  public static ModelUpdateView of(ModelUpdateView update) {
    ModelUpdateView.Builder lasting =
        update.toBuilder()
            .clearUsed()
            .clearDroppedStale()
            .clearDroppedUnpublished()
            .clearDroppedBound()
            .clearOpen()
            .clearAnswers()
            .clearWaitsFor()
            .clearDiagnostics()
            .clearPublishedAtMs()
            .clearEstimates()
            .clearStatistics();
    for (Estimate estimate : update.getEstimatesList()) {
      lasting.addEstimates(Estimate.newBuilder().setQuestion(estimate.getQuestion()));
    }
    for (StatisticEstimate estimate : update.getStatisticsList()) {
      lasting.addStatistics(asked(estimate));
    }
    return lasting.build();
  }

  private static StatisticEstimate asked(StatisticEstimate estimate) {
    StatisticEstimate.Builder asked =
        StatisticEstimate.newBuilder().setStatistic(estimate.getStatistic());
    if (estimate.hasThreshold()) {
      asked.setThreshold(estimate.getThreshold());
    }
    if (estimate.hasTexts()) {
      TextValues texts = estimate.getTexts();
      asked.setTexts(
          TextValues.newBuilder()
              .addAllPrefixes(texts.getPrefixesList())
              .addAllTexts(texts.getTextsList()));
    }
    return asked.build();
  }
}
