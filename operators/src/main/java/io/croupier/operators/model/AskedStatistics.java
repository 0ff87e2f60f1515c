package io.croupier.operators.model;

import io.croupier.accounting.CategoryLaw;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.Simplex;
import io.croupier.operators.evaluation.VoteTally;
import io.croupier.operators.learner.LearnerState;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The statistics of a local model, and the votes for each. A statistic that the spec no longer
 * contains loses its votes.
 */
final class AskedStatistics {
  private static final String CHUNK = "votes-of-";
  private static final String RECENT_CHUNK = "recent-votes-of-";

  private Map<String, Counted> counted = new LinkedHashMap<>();

  private record Counted(Statistic statistic, VoteTally lasting, VoteTally recent) {

    static Counted of(Statistic statistic) {
      int categories = statistic.getChoice().getCategoriesCount();
      return new Counted(statistic, VoteTally.lasting(categories), VoteTally.recent(categories));
    }
  }

  /** Takes over the statistics of a spec; one that stays keeps its votes. */
  void follow(ModelSpec spec) {
    Map<String, Counted> next = new LinkedHashMap<>();
    for (Statistic statistic : spec.getStatisticsList()) {
      Counted before = counted.get(statistic.getName());
      next.put(statistic.getName(), before == null ? Counted.of(statistic) : before);
    }
    counted = next;
  }

  boolean isEmpty() {
    return counted.isEmpty();
  }

  /**
   * Adds a vote.
   *
   * @param age how many publications are newer than the one that the vote is about
   * @return false if its statistic was removed since it was admitted
   */
  boolean add(RoundSum vote, int age) {
    Counted statistic = counted.get(vote.question);
    if (statistic == null) {
      return false;
    }
    CategoryLaw law = CategoryLaw.of(vote.level, vote.groups, vote.isHashed);
    IntPredicate contains =
        vote.isHashed
            ? j -> SeededGroups.group(vote.seed, j, vote.groups) == vote.group
            : j -> j == vote.group;
    statistic.lasting.add(law, contains, age);
    statistic.recent.add(law, contains, age);
    return true;
  }

  /** Records a new publication: earlier votes count less. */
  void age() {
    counted
        .values()
        .forEach(
            statistic -> {
              statistic.lasting.age();
              statistic.recent.age();
            });
  }

  /** Returns an estimate for each statistic, in the order of the spec. */
  List<StatisticEstimate> estimates() {
    return counted.values().stream().map(AskedStatistics::estimate).toList();
  }

  private static StatisticEstimate estimate(Counted counted) {
    StatisticEstimate.Builder estimate =
        StatisticEstimate.newBuilder().setStatistic(counted.statistic);
    List<FractionEstimate> lasting = counted.lasting.estimates();
    if (!lasting.isEmpty()) {
      estimate.setLasting(message(lasting));
    }
    List<FractionEstimate> recent = counted.recent.estimates();
    if (!recent.isEmpty()) {
      estimate.setRecent(message(recent));
    }
    return estimate.build();
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
  }

  /** Returns whether a stored part belongs to a statistic that the spec no longer contains. */
  boolean isForgotten(String part) {
    return isForgotten(part, CHUNK) || isForgotten(part, RECENT_CHUNK);
  }

  private boolean isForgotten(String part, String chunk) {
    return part.startsWith(chunk)
        && !counted.containsKey(part.substring(chunk.length(), part.lastIndexOf('/')));
  }
}
