package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.NeighbouringRelation;
import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.Schedule;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.accounting.tree.UserZetas;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much one person can move the trees of a release.
 *
 * @param zeta of one tree, or of all that follow each other
 * @param bound on it by the paper's Algorithm 3; the same where the order is known
 * @param isExact whether zeta is no mere bound
 * @param zetas of each person, if the order is known; in the order of {@code users}
 * @param trees side by side
 */
record Sensitivity(
    long steps, long zeta, long bound, boolean isExact, Map<String, Long> zetas, int trees) {

  /** Of the worst placement of one person's participations; a bound on it where there are many. */
  static Sensitivity of(Schedule schedule, int trees) {
    long bound = schedule.zetaBound();
    boolean isExact = hasExactAnswer(schedule);
    long zeta = isExact ? schedule.zeta() : bound;
    return new Sensitivity(schedule.steps(), zeta, bound, isExact, Map.of(), trees);
  }

  /** Of an order of users, who are numbered in the order of the list. */
  static Sensitivity of(GivenOrder order, List<String> users, int trees) {
    UserZetas zetas = order.zetas();
    Map<String, Long> byName = new LinkedHashMap<>();
    for (int i = 0; i < users.size(); i++) {
      byName.put(users.get(i), zetas.of(i) * trees);
    }
    long largest = zetas.largest();
    return new Sensitivity(
        order.steps(), largest, largest, true, Collections.unmodifiableMap(byName), trees);
  }

  /** The release with that noise. */
  TreeRelease release(double noiseMultiplier, NeighbouringRelation relation) {
    return new TreeRelease(
        Collections.nCopies(trees, new TreeRelease.Part(zeta, noiseMultiplier)), relation);
  }

  /** The zeta of all trees under zero-out. */
  long ofAllTrees() {
    return zeta * trees;
  }

  /** Adds what programs want to know. */
  void addTo(JsonObject json, NeighbouringRelation relation, boolean byUser) {
    json.addProperty("steps", steps);
    json.addProperty("zetaIsExact", isExact);
    json.addProperty("zetaAlgorithm3", under(Math.multiplyExact(bound, trees), relation));
    if (byUser) {
      JsonObject users = new JsonObject();
      zetas.forEach((user, each) -> users.addProperty(user, under(each, relation)));
      json.add("zetaByUser", users);
    }
  }

  /** What kind of number zeta is. */
  String sentence(NeighbouringRelation relation) {
    if (!isExact) {
      return "Zeta is the bound of Algorithm 3: for an exact one there are too many participations.";
    }
    if (!zetas.isEmpty()) {
      return "Zeta is exact, that of the given order of %s steps and %s people."
          .formatted(Digits.count(steps), Digits.count(zetas.size()));
    }
    return bound == zeta
        ? "Zeta is exact, and Algorithm 3 has the same."
        : "Zeta is exact; Algorithm 3 has %s."
            .formatted(Digits.count(under(Math.multiplyExact(bound, trees), relation)));
  }

  /** The zeta of each person. */
  Table byUser(NeighbouringRelation relation) {
    Table table = new Table("user", "zeta");
    zetas.forEach((user, each) -> table.row(user, Digits.count(under(each, relation))));
    return table;
  }

  private static long under(long zeta, NeighbouringRelation relation) {
    int distances = relation.distances();
    return Math.multiplyExact(zeta, (long) distances * distances);
  }

  private static boolean hasExactAnswer(Schedule schedule) {
    long gap = 1 + Math.min(schedule.limits().minSeparation(), schedule.steps());
    long room = (schedule.steps() + gap - 1) / gap;
    return Math.min(schedule.limits().maxParticipations(), room)
        <= Schedule.MAX_EXACT_PARTICIPATIONS;
  }
}
