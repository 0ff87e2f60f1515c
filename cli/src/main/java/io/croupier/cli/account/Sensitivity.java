package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.NeighbouringRelation;
import io.croupier.accounting.tree.GivenOrder;
import io.croupier.accounting.tree.Schedule;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.accounting.tree.UserZetas;
import io.croupier.cli.io.Table;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much one person can change the trees of a release.
 *
 * @param steps of the release
 * @param zeta squared sensitivity under zero-out of one tree, or of a sequence of restarted trees,
 *     in units of the squared clipping norm
 * @param bound on zeta by Algorithm 3 of Kairouz et al. 2021; equals zeta if the order is known
 * @param isExact whether zeta is exact, not only an upper bound
 * @param zetas over all trees, by user, in the order of {@code users}; empty if the order is
 *     unknown
 * @param trees number of trees released side by side
 */
record Sensitivity(
    long steps, long zeta, long bound, boolean isExact, Map<String, Long> zetas, int trees) {

  /**
   * The sensitivity for the worst placement of one person's participations, or an upper bound on it
   * if there are too many participations for an exact answer.
   */
  static Sensitivity of(Schedule schedule, int trees) {
    long bound = schedule.zetaBound();
    boolean isExact = hasExactAnswer(schedule);
    long zeta = isExact ? schedule.zeta() : bound;
    return new Sensitivity(schedule.steps(), zeta, bound, isExact, Map.of(), trees);
  }

  /** The sensitivity for a given order; a user's number is the index in {@code users}. */
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

  /** The release with the given noise. */
  TreeRelease release(double noiseMultiplier, NeighbouringRelation relation) {
    return new TreeRelease(
        Collections.nCopies(trees, new TreeRelease.TreePart(zeta, noiseMultiplier)), relation);
  }

  /** The zeta of all trees under zero-out. */
  long ofAllTrees() {
    return zeta * trees;
  }

  /** Adds the fields of the JSON output. */
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

  /** A sentence that states whether zeta is exact. */
  String sentence(NeighbouringRelation relation) {
    if (!isExact) {
      return "Zeta is the upper bound of Algorithm 3: there are too many participations for an"
          + " exact value.";
    }
    if (!zetas.isEmpty()) {
      return "Zeta is exact, for the given order of %s steps and %s people."
          .formatted(Digits.count(steps), Digits.count(zetas.size()));
    }
    return bound == zeta
        ? "Zeta is exact; Algorithm 3 gives the same value."
        : "Zeta is exact; Algorithm 3 gives %s."
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
