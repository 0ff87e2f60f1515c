package io.croupier.operators.model;

import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.PrefixTally;
import io.croupier.operators.evaluation.QuantileEstimate;
import io.croupier.operators.evaluation.QuantileTally;
import io.croupier.operators.evaluation.ReplyTally;
import io.croupier.operators.evaluation.Simplex;
import io.croupier.operators.evaluation.VoteTally;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Statistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A statistic, with the votes for it, or the answers about its thresholds. */
sealed interface AskedStatistic extends Asked {
  String VOTES = "votes-of-";
  String RECENT_VOTES = "recent-votes-of-";
  String ALL_VOTES = "all-votes-of-";
  String THRESHOLDS = "thresholds-of-";
  String TEXTS = "texts-of-";

  Statistic statistic();

  StatisticEstimate estimate();

  /** Returns the statistic with the same votes, but for those of an experiment that begins. */
  default AskedStatistic begin(boolean isExperiment) {
    return this;
  }

  /**
   * Returns a valid statistic without votes.
   *
   * @param isExperiment whether all votes for a choice since its start count, too
   */
  static AskedStatistic of(Statistic statistic, boolean isExperiment) {
    if (statistic.hasQuantiles()) {
      List<Double> levels = statistic.getQuantiles().getLevelsList();
      return new OfQuantiles(
          statistic, new QuantileTally(levels.stream().mapToDouble(p -> p).toArray()));
    }
    if (statistic.hasPrefixes()) {
      return new OfPrefixes(statistic, new PrefixTally(statistic.getPrefixes()));
    }
    int categories = statistic.getChoice().getCategoriesCount();
    return new OfChoice(
        statistic,
        VoteTally.lasting(categories),
        VoteTally.recent(categories),
        all(statistic, isExperiment));
  }

  private static Optional<VoteTally> all(Statistic choice, boolean isExperiment) {
    return isExperiment
        ? Optional.of(VoteTally.all(choice.getChoice().getCategoriesCount()))
        : Optional.empty();
  }

  @Override
  default String name() {
    return statistic().getName();
  }

  @Override
  default Statistic meaning() {
    return statistic();
  }

  /** A choice, with the votes by their two weights of age, and all votes of an experiment. */
  record OfChoice(Statistic statistic, VoteTally lasting, VoteTally recent, Optional<VoteTally> all)
      implements AskedStatistic {

    @Override
    public AskedStatistic begin(boolean isExperiment) {
      return new OfChoice(statistic, lasting, recent, AskedStatistic.all(statistic, isExperiment));
    }

    @Override
    public Map<String, ReplyTally> tallies() {
      Map<String, ReplyTally> tallies = new HashMap<>();
      tallies.put(VOTES, lasting);
      tallies.put(RECENT_VOTES, recent);
      all.ifPresent(tally -> tallies.put(ALL_VOTES, tally));
      return tallies;
    }

    @Override
    public StatisticEstimate estimate() {
      StatisticEstimate.Builder estimate = StatisticEstimate.newBuilder().setStatistic(statistic);
      fractions(lasting).ifPresent(estimate::setLasting);
      fractions(recent).ifPresent(estimate::setRecent);
      all.flatMap(OfChoice::fractions).ifPresent(estimate::setAlways);
      return estimate.build();
    }

    private static Optional<StatisticEstimate.Fractions> fractions(VoteTally tally) {
      List<FractionEstimate> estimates = tally.estimates();
      if (estimates.isEmpty()) {
        return Optional.empty();
      }
      StatisticEstimate.Fractions.Builder message =
          StatisticEstimate.Fractions.newBuilder().setVotes(estimates.get(0).answers());
      for (FractionEstimate estimate : estimates) {
        message
            .addFractions(estimate.fraction())
            .addStandardErrors(estimate.standardError())
            .addLow(estimate.low())
            .addHigh(estimate.high());
      }
      double[] fractions = estimates.stream().mapToDouble(FractionEstimate::fraction).toArray();
      for (double projected : Simplex.nearest(fractions)) {
        message.addProjected(projected);
      }
      return Optional.of(message.build());
    }
  }

  /** Quantiles, with the answers about thresholds. */
  record OfQuantiles(Statistic statistic, QuantileTally tally) implements AskedStatistic {

    @Override
    public Map<String, ReplyTally> tallies() {
      return Map.of(THRESHOLDS, tally);
    }

    @Override
    public StatisticEstimate estimate() {
      StatisticEstimate.Builder estimate =
          StatisticEstimate.newBuilder()
              .setStatistic(statistic)
              .setThreshold(value(tally.threshold()));
      List<QuantileEstimate> estimates = tally.estimates();
      if (!estimates.isEmpty()) {
        StatisticEstimate.QuantileValues.Builder values =
            estimate.getQuantilesBuilder().setAnswers(tally.answers());
        for (QuantileEstimate each : estimates) {
          values
              .addValues(value(each.value()))
              .addLow(value(each.low()))
              .addHigh(value(each.high()));
        }
      }
      return estimate.build();
    }

    private double value(double share) {
      return Statistics.value(statistic.getQuantiles(), share);
    }
  }

  /** Frequent texts, with the votes for them and for prefixes. */
  record OfPrefixes(Statistic statistic, PrefixTally tally) implements AskedStatistic {

    @Override
    public Map<String, ReplyTally> tallies() {
      return Map.of(TEXTS, tally);
    }

    @Override
    public StatisticEstimate estimate() {
      StatisticEstimate.Builder estimate = StatisticEstimate.newBuilder().setStatistic(statistic);
      StatisticEstimate.TextValues.Builder values =
          estimate
              .getTextsBuilder()
              .addAllPrefixes(tally.prefixes())
              .addAllTexts(tally.texts())
              .setVotes(tally.votes());
      for (Optional<FractionEstimate> each : tally.estimates()) {
        values
            .addFractions(each.map(FractionEstimate::fraction).orElse(0.0))
            .addStandardErrors(each.map(FractionEstimate::standardError).orElse(0.0))
            .addLow(each.map(FractionEstimate::low).orElse(0.0))
            .addHigh(each.map(FractionEstimate::high).orElse(0.0));
      }
      return estimate.build();
    }
  }
}
