package io.croupier.cli.ledger;

import com.google.gson.JsonElement;
import io.croupier.cli.account.Digits;
import io.croupier.cli.account.Json;
import io.croupier.cli.io.Table;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.EnumMap;
import java.util.Map;

/** The number of reports with each verdict, and the last reason for it. */
final class VerdictCounts {
  private final Map<Outcome, Judged> verdicts = new EnumMap<>(Outcome.class);

  private record Judged(Outcome outcome, long reports, String lastReason) {}

  void add(AccountingEvent event) {
    Judged before = verdicts.get(event.getOutcome());
    long reports = before == null ? 1 : before.reports + 1;
    verdicts.put(event.getOutcome(), new Judged(event.getOutcome(), reports, event.getReason()));
  }

  /** The printed form. */
  String text() {
    Table table = new Table("verdict", "reports", "last reason").words("last reason");
    verdicts
        .values()
        .forEach(of -> table.row(of.outcome.name(), Digits.count(of.reports), of.lastReason));
    return table.text();
  }

  /** The JSON form. */
  JsonElement json() {
    return Json.of(verdicts.values());
  }
}
