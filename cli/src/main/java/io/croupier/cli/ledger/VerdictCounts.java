package io.croupier.cli.ledger;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.account.Digits;
import io.croupier.cli.io.Table;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.EnumMap;
import java.util.Map;

/** The number of reports with each verdict, and the last reason for it. */
final class VerdictCounts {
  private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
  private final Map<Outcome, String> reasons = new EnumMap<>(Outcome.class);

  void add(AccountingEvent event) {
    counts.merge(event.getOutcome(), 1L, Long::sum);
    reasons.put(event.getOutcome(), event.getReason());
  }

  /** The printed form. */
  String text() {
    Table table = new Table("verdict", "reports", "last reason").words("last reason");
    counts.forEach(
        (outcome, count) -> table.row(outcome.name(), Digits.count(count), reasons.get(outcome)));
    return table.text();
  }

  /** The JSON form. */
  JsonArray json() {
    JsonArray array = new JsonArray();
    counts.forEach(
        (outcome, count) -> {
          JsonObject object = new JsonObject();
          object.addProperty("outcome", outcome.name());
          object.addProperty("reports", count);
          object.addProperty("lastReason", reasons.get(outcome));
          array.add(object);
        });
    return array;
  }
}
