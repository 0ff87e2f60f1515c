package io.croupier.cli.account;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.croupier.accounting.Bound;
import io.croupier.operators.ledger.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one user spent, with every bound on its epsilon.
 *
 * @param modelId empty for the total over all models
 * @param bounds epsilon at the delta, by bound
 */
record ResultRow(String userId, String modelId, SpendTotals spend, Map<Bound, Double> bounds) {

  /** The bound with the least epsilon; of equal ones, the first. */
  Bound by() {
    Bound least = Bound.BASIC;
    for (Map.Entry<Bound, Double> bound : bounds.entrySet()) {
      if (bound.getValue() < bounds.get(least)) {
        least = bound.getKey();
      }
    }
    return least;
  }

  /** The least epsilon. */
  double epsilon() {
    return bounds.get(by());
  }

  /** The columns of {@link #cells}. */
  static String[] header(boolean byModel) {
    List<String> header = new ArrayList<>(List.of("user"));
    if (byModel) {
      header.add("model");
    }
    header.addAll(List.of("reports", "pure", "mu", "rho"));
    for (Bound bound : Bound.values()) {
      header.add(
          switch (bound) {
            case BASIC -> "basic";
            case GAUSSIAN -> "GDP";
            case ZERO_CONCENTRATED -> "zCDP";
            case RENYI -> "Renyi";
            case EXACT -> "exact";
          });
    }
    header.addAll(List.of("least", "undisclosed", "unbounded", "central"));
    return header.toArray(String[]::new);
  }

  /** The cells of the printed table. */
  List<String> cells(boolean byModel) {
    Totals totals = spend.totals();
    List<String> cells = new ArrayList<>(List.of(userId));
    if (byModel) {
      cells.add(modelId);
    }
    cells.add(Digits.count(totals.reports));
    cells.add(Digits.sum(totals.epsilon(), Totals.LARGEST_EPSILON));
    cells.add(Digits.sum(totals.mu(), Totals.LARGEST_MU));
    cells.add(Digits.sum(spend.rho(), Totals.LARGEST_RHO));
    for (Bound bound : Bound.values()) {
      cells.add(bounds.containsKey(bound) ? Digits.rounded(bounds.get(bound)) : "-");
    }
    cells.add(Digits.rounded(epsilon()));
    cells.add(Digits.count(totals.undisclosed));
    cells.add(Digits.count(totals.unbounded));
    cells.add(Digits.count(spend.central()));
    return cells;
  }

  /** The JSON form, with all digits. */
  JsonObject json(double delta) {
    JsonObject json = new JsonObject();
    json.addProperty("userId", userId);
    if (!modelId.isEmpty()) {
      json.addProperty("modelId", modelId);
    }
    Totals totals = spend.totals();
    json.addProperty("reports", totals.reports);
    json.add("zeta", JsonNull.INSTANCE);
    json.add("mu", Json.number(totals.mu()));
    json.add("epsilon", Json.number(epsilon()));
    json.add("epsilonRenyi", Json.number(bounds.get(Bound.RENYI)));
    json.addProperty("delta", delta);
    json.addProperty("relation", RelationOption.REPLACE_ONE.toString());
    json.addProperty("bound", by().name());
    json.add("pureEpsilon", Json.number(totals.epsilon()));
    json.add("rho", Json.number(spend.rho()));
    json.addProperty("undisclosed", totals.undisclosed);
    json.addProperty("unbounded", totals.unbounded);
    json.addProperty("central", spend.central());
    JsonObject all = new JsonObject();
    bounds.forEach((bound, epsilon) -> all.add(bound.name(), Json.number(epsilon)));
    json.add("bounds", all);
    return json;
  }
}
