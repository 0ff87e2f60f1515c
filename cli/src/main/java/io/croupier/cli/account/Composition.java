package io.croupier.cli.account;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.accounting.Bound;
import io.croupier.cli.io.CountBar;
import io.croupier.cli.io.Table;
import io.croupier.schemas.VisibleText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The epsilon of every user's spend at a delta. Users with equal spends share one computation,
 * which takes some milliseconds for a few different losses, and a second or more for hundreds.
 */
final class Composition {
  private static final Comparator<ResultRow> ORDER =
      Comparator.comparingDouble(ResultRow::epsilon)
          .reversed()
          .thenComparing(ResultRow::userId)
          .thenComparing(ResultRow::modelId);

  private final RecomputedAccounts accounts;
  private final double delta;
  private final Map<SpendTotals.BoundKey, Map<Bound, Double>> known = new HashMap<>();
  private final List<ResultRow> users = new ArrayList<>();
  private final List<ResultRow> models = new ArrayList<>();

  Composition(RecomputedAccounts accounts, double delta, boolean byModel) {
    this.accounts = accounts;
    this.delta = delta;
    try (CountBar bar = new CountBar("people", accounts.all().size(), CountBar.isTerminal())) {
      accounts
          .all()
          .forEach(
              (userId, recomputedAccount) -> {
                users.add(line(userId, "", recomputedAccount.all()));
                if (byModel) {
                  recomputedAccount
                      .models()
                      .forEach((model, spend) -> models.add(line(userId, model, spend)));
                }
                bar.stepTo(users.size());
              });
    }
    users.sort(ORDER);
    models.sort(ORDER);
  }

  private ResultRow line(String userId, String modelId, SpendTotals spend) {
    Map<Bound, Double> bounds =
        known.computeIfAbsent(spend.key(), key -> key.spends().bounds(StrictMath.log(delta)));
    return new ResultRow(userId, modelId, spend, bounds);
  }

  /** The JSON form: the user with the largest epsilon, counts, and the list of users. */
  JsonObject json(long top) {
    JsonObject json = users.isEmpty() ? new JsonObject() : users.get(0).json(delta);
    json.addProperty("users", users.size());
    json.addProperty("events", accounts.events());
    json.addProperty("mismatches", accounts.mismatched());
    json.add("byUser", list(users, top));
    if (!models.isEmpty()) {
      json.add("byModel", list(models, top));
    }
    accounts.anonymous().addTo(json, top);
    return json;
  }

  private JsonArray list(List<ResultRow> rows, long top) {
    JsonArray list = new JsonArray();
    rows.stream().limit(top).forEach(resultRow -> list.add(resultRow.json(delta)));
    return list;
  }

  /** The printed form. */
  String text(long top) {
    List<String> text = new ArrayList<>();
    if (users.isEmpty()) {
      return "No user has spent anything.";
    }
    text.add(table(users, false, top));
    text.add("");
    if (!models.isEmpty()) {
      text.add(table(models, true, top));
      text.add("");
    }
    text.add(
        "%s, relation %s: at delta %s, the largest epsilon spent is %s (%sbound: %s)."
            .formatted(
                users.size() == 1 ? "1 person" : Digits.count(users.size()) + " people",
                RelationOption.REPLACE_ONE,
                Digits.all(delta),
                Digits.all(users.get(0).epsilon()),
                users.get(0).userId().isEmpty()
                    ? ""
                    : "by %s; ".formatted(VisibleText.name(users.get(0).userId())),
                users.get(0).by().label()));
    text.addAll(left());
    if (accounts.events() > 0 && accounts.mismatched() == 0) {
      text.add(
          "The costs and totals of all %s events match their declarations."
              .formatted(Digits.count(accounts.events())));
    }
    text.addAll(accounts.anonymous().text(top));
    return String.join(System.lineSeparator(), text);
  }

  private static String table(List<ResultRow> rows, boolean byModel, long top) {
    Table table = new Table(ResultRow.header(byModel)).words("model");
    rows.stream().limit(top).forEach(resultRow -> table.row(resultRow.cells(byModel)));
    return rows.size() > top
        ? table.text()
            + System.lineSeparator()
            + "... and %s more, with at most the same epsilon"
                .formatted(Digits.count(rows.size() - top))
        : table.text();
  }

  /** Reports that no epsilon covers. */
  private List<String> left() {
    long undisclosed = 0;
    long unbounded = 0;
    long uncharged = 0;
    for (ResultRow resultRow : users) {
      undisclosed += resultRow.spend().totals().undisclosed;
      unbounded += resultRow.spend().totals().unbounded;
      uncharged += resultRow.spend().uncharged();
    }
    if (undisclosed + unbounded + uncharged == 0) {
      return List.of();
    }
    return List.of(
        ("No epsilon covers: reports that don't declare their noise (%s), coordinates without noise"
                + " (in %s reports), and central reports whose events don't contain their cost (%s).")
            .formatted(
                Digits.count(undisclosed), Digits.count(unbounded), Digits.count(uncharged)));
  }
}
