package io.croupier.cli.ledger;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.account.CentralTotals;
import io.croupier.cli.io.Table;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.VisibleText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything that accounting events contain about one user. */
final class UserStatement {
  private final String userId;
  private final Map<String, Balance> models = new TreeMap<>();
  private final CentralTotals windows = new CentralTotals();
  private VerdictCounts verdicts = new VerdictCounts();
  private SpendDistribution distribution = new SpendDistribution();
  private Instant erasedAt;
  private Balance all = Balance.NOTHING;
  private long events;

  UserStatement(String userId) {
    this.userId = userId;
  }

  /** Adds the next event; events of other users are ignored. */
  void add(AccountingEvent event) {
    if (!event.getUserId().equals(userId)) {
      return;
    }
    events++;
    all = Balance.ofUser(event);
    if (event.getOutcome() == Outcome.ERASED) {
      erase(Instant.ofEpochMilli(event.getAppendedAtMs()));
      return;
    }
    verdicts.add(event);
    windows.grant(event);
    if (event.hasModelTotals()) {
      models.put(event.getModelId(), Balance.ofModel(event));
    }
    if (event.getOutcome() != Outcome.DUPLICATE) {
      distribution.add(event.getSpent());
    }
  }

  /** Forgets everything, if an erasure has deleted this user's totals. */
  void forget(String forgotten) {
    if (forgotten.equals(userId)) {
      erase(null);
      all = Balance.NOTHING;
      events = 0;
    }
  }

  /** Forgets what the ledger forgets; the topic may still have the earlier events. */
  private void erase(Instant at) {
    erasedAt = at;
    models.clear();
    windows.erase();
    verdicts = new VerdictCounts();
    distribution = new SpendDistribution();
  }

  /** Returns the user's windows of anonymous reports. */
  CentralTotals windows() {
    return windows;
  }

  /** The number of events of the user. */
  long events() {
    return events;
  }

  /** The printed form. */
  String text() {
    List<String> header = new ArrayList<>(List.of("spent on"));
    header.addAll(Balance.HEADER);
    Table table = new Table(header.toArray(String[]::new)).words("left");
    models.forEach((model, balance) -> table.row(row("model " + model, balance)));
    table.row(row("all models", all));
    List<String> text = new ArrayList<>(List.of("User " + VisibleText.name(userId)));
    if (erasedAt != null) {
      text.add(
          "Erased at %s: of the time before, only the totals over all models remain"
              .formatted(erasedAt));
    }
    text.addAll(List.of("", table.text(), ""));
    if (!windows.isEmpty()) {
      text.addAll(windows.text());
      text.add("");
    }
    text.add(verdicts.text());
    text.add("");
    text.addAll(distribution.text("report"));
    return String.join(System.lineSeparator(), text).stripTrailing();
  }

  private static List<String> row(String name, Balance balance) {
    List<String> row = new ArrayList<>(List.of(name));
    row.addAll(balance.cells());
    return row;
  }

  /** The JSON form. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("userId", userId);
    if (erasedAt != null) {
      json.addProperty("erasedAt", erasedAt.toString());
    }
    all.addTo(json);
    JsonArray byModel = new JsonArray();
    models.forEach(
        (model, balance) -> {
          JsonObject object = new JsonObject();
          object.addProperty("modelId", model);
          balance.addTo(object);
          byModel.add(object);
        });
    json.add("models", byModel);
    windows.addTo(json);
    json.add("verdicts", verdicts.json());
    json.add("histogram", distribution.json());
    return json;
  }
}
