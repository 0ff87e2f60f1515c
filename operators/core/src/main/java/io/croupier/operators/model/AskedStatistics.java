package io.croupier.operators.model;

import io.croupier.accounting.CategoryLaw;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.PrefixTally;
import io.croupier.operators.evaluation.QuantileEstimate;
import io.croupier.operators.evaluation.QuantileTally;
import io.croupier.operators.evaluation.Simplex;
import io.croupier.operators.evaluation.VoteTally;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Statistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The statistics of a local model, and the votes for each, or the answers about its thresholds. A
 * statistic that the spec no longer contains loses them.
 */
public final class AskedStatistics {
  private static final String CHUNK = "votes-of-";
  private static final String THRESHOLD_CHUNK = "thresholds-of-";
  private static final String RECENT_CHUNK = "recent-votes-of-";
  private static final String LIST_CHUNK = "texts-of-";

  private Map<String, Counted> counted = new LinkedHashMap<>();

  private Map<String, Measured> measured = new LinkedHashMap<>();
  private Map<String, Listed> listed = new LinkedHashMap<>();
  private List<Statistic> statistics = List.of();

  private record Counted(Statistic statistic, VoteTally lasting, VoteTally recent) {

    static Counted of(Statistic statistic) {
      int categories = statistic.getChoice().getCategoriesCount();
      return new Counted(statistic, VoteTally.lasting(categories), VoteTally.recent(categories));
    }

    StatisticEstimate estimate() {
      StatisticEstimate.Builder estimate = StatisticEstimate.newBuilder().setStatistic(statistic);
      List<FractionEstimate> ofLasting = lasting.estimates();
      if (!ofLasting.isEmpty()) {
        estimate.setLasting(message(ofLasting));
      }
      List<FractionEstimate> ofRecent = recent.estimates();
      if (!ofRecent.isEmpty()) {
        estimate.setRecent(message(ofRecent));
      }
      return estimate.build();
    }
  }

  private record Measured(Statistic statistic, QuantileTally tally) {

    static Measured of(Statistic statistic) {
      double[] levels =
          statistic.getQuantiles().getLevelsList().stream().mapToDouble(p -> p).toArray();
      return new Measured(statistic, new QuantileTally(levels));
    }

    StatisticEstimate estimate() {
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

  private record Listed(Statistic statistic, PrefixTally tally) {

    static Listed of(Statistic statistic) {
      return new Listed(statistic, new PrefixTally(statistic.getPrefixes()));
    }

    StatisticEstimate estimate() {
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

  /** Creates the statistics of a valid spec, without votes. */
  public AskedStatistics(ModelSpec spec) {
    follow(spec);
  }

  /** Takes over the statistics of a spec; one that stays keeps its votes. */
  final void follow(ModelSpec spec) {
    Map<String, Counted> nextCounted = new LinkedHashMap<>();
    Map<String, Measured> nextMeasured = new LinkedHashMap<>();
    Map<String, Listed> nextListed = new LinkedHashMap<>();
    statistics = spec.getStatisticsList();
    for (Statistic statistic : statistics) {
      String name = statistic.getName();
      if (statistic.hasQuantiles()) {
        Measured before = measured.get(name);
        nextMeasured.put(name, before == null ? Measured.of(statistic) : before);
      } else if (statistic.hasPrefixes()) {
        Listed before = listed.get(name);
        nextListed.put(name, before == null ? Listed.of(statistic) : before);
      } else {
        Counted before = counted.get(name);
        nextCounted.put(name, before == null ? Counted.of(statistic) : before);
      }
    }
    counted = nextCounted;
    measured = nextMeasured;
    listed = nextListed;
  }

  boolean isEmpty() {
    return statistics.isEmpty();
  }

  /** Returns whether a statistic asks about thresholds. */
  boolean hasQuantiles(String name) {
    return measured.containsKey(name);
  }

  /**
   * Adds a vote, or an answer about a threshold.
   *
   * @param age how many publications are newer than the one that the vote is about
   * @return false if its statistic was removed since it was admitted, or did not ask at that
   *     publication
   */
  boolean add(RoundSum vote, int age) {
    if (vote.form == VectorForm.ANSWER) {
      return measured.get(vote.question).tally.add(vote.response, age);
    }
    CategoryLaw law = CategoryLaw.of(vote.level, vote.groups, vote.isHashed);
    IntPredicate contains =
        vote.isHashed
            ? j -> SeededGroups.group(vote.seed, j, vote.groups) == vote.group
            : j -> j == vote.group;
    if (listed.containsKey(vote.question)) {
      return listed.get(vote.question).tally.add(law, contains, age);
    }
    Counted statistic = counted.get(vote.question);
    if (statistic == null) {
      return false;
    }
    statistic.lasting.add(law, contains, age);
    statistic.recent.add(law, contains, age);
    return true;
  }

  /** Records a new publication: earlier votes count less. */
  public void age() {
    counted
        .values()
        .forEach(
            statistic -> {
              statistic.lasting.age();
              statistic.recent.age();
            });
    measured.values().forEach(statistic -> statistic.tally.age());
    listed.values().forEach(statistic -> statistic.tally.age());
  }

  /** Returns an estimate for each statistic, in the order of the spec. */
  public List<StatisticEstimate> estimates() {
    return statistics.stream().map(Statistic::getName).map(this::estimate).toList();
  }

  private StatisticEstimate estimate(String name) {
    if (listed.containsKey(name)) {
      return listed.get(name).estimate();
    }
    return hasQuantiles(name) ? measured.get(name).estimate() : counted.get(name).estimate();
  }

  private static StatisticEstimate.Fractions message(List<FractionEstimate> estimates) {
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
    return message.build();
  }

  /** Passes the votes to a visitor, which may restore them. */
  void visit(LearnerState.Visitor visitor) {
    counted.forEach(
        (name, statistic) -> {
          statistic.lasting.visit(CHUNK + name, visitor);
          statistic.recent.visit(RECENT_CHUNK + name, visitor);
        });
    measured.forEach((name, statistic) -> statistic.tally.visit(THRESHOLD_CHUNK + name, visitor));
    listed.forEach((name, statistic) -> statistic.tally.visit(LIST_CHUNK + name, visitor));
  }

  /** Returns whether a stored part belongs to a statistic that the spec no longer contains. */
  boolean isForgotten(String part) {
    return isForgotten(part, CHUNK, counted)
        || isForgotten(part, RECENT_CHUNK, counted)
        || isForgotten(part, THRESHOLD_CHUNK, measured)
        || isForgotten(part, LIST_CHUNK, listed);
  }

  private static boolean isForgotten(String part, String chunk, Map<String, ?> asked) {
    return part.startsWith(chunk)
        && !asked.containsKey(part.substring(chunk.length(), part.lastIndexOf('/')));
  }
}
