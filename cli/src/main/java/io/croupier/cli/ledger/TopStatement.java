package io.croupier.cli.ledger;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.account.Digits;
import io.croupier.cli.io.Table;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The users who spent most, and the distribution of all users' spends. Users are ordered by rho, to
 * which every kind of bounded noise contributes.
 */
final class TopStatement {
  private static final Comparator<Map.Entry<String, UserSpend>> ORDER =
      Comparator.<Map.Entry<String, UserSpend>>comparingDouble(
              person -> person.getValue().balance.spent().getRho())
          .reversed()
          .thenComparing(Map.Entry::getKey);

  /** Models may have limits of their own beside this one. */
  private static final String LEFT = "left over all models";

  private final Map<String, UserSpend> people = new HashMap<>();
  private final VerdictCounts verdicts = new VerdictCounts();

  /** The state of one user. */
  private static final class UserSpend {
    private Balance balance = Balance.NOTHING;
    private long refused;
  }

  /** Adds the next event. */
  void add(AccountingEvent event) {
    UserSpend person = people.computeIfAbsent(event.getUserId(), id -> new UserSpend());
    person.balance = Balance.ofUser(event);
    if (event.getOutcome() == Outcome.ERASED) {
      return;
    }
    verdicts.add(event);
    if (event.getOutcome() != Outcome.ADMITTED
        && event.getOutcome() != Outcome.GRANTED
        && event.getOutcome() != Outcome.DUPLICATE) {
      person.refused++;
    }
  }

  /** Forgets a user whose totals an erasure has deleted. */
  void forget(String userId) {
    people.remove(userId);
  }

  /** The number of users. */
  long people() {
    return people.size();
  }

  private List<Map.Entry<String, UserSpend>> top(long most) {
    return people.entrySet().stream().sorted(ORDER).limit(most).toList();
  }

  private SpendDistribution sizes() {
    SpendDistribution distribution = new SpendDistribution();
    people.values().forEach(person -> distribution.add(person.balance.spent()));
    return distribution;
  }

  /** The printed form. */
  String text(long most) {
    List<String> header = new ArrayList<>(List.of("user"));
    header.addAll(Balance.HEADER);
    header.set(header.indexOf("left"), LEFT);
    header.add("refused");
    Table table = new Table(header.toArray(String[]::new)).words(LEFT);
    for (Map.Entry<String, UserSpend> person : top(most)) {
      List<String> row = new ArrayList<>(List.of(person.getKey()));
      row.addAll(person.getValue().balance.cells());
      row.add(Digits.count(person.getValue().refused));
      table.row(row);
    }
    List<String> text = new ArrayList<>(List.of(table.text()));
    text.add("%s of %s people".formatted(Digits.count(top(most).size()), Digits.count(people())));
    text.add("What the limits of a single model leave a person: --user ID");
    text.addAll(List.of("", verdicts.text(), ""));
    text.addAll(sizes().text("person"));
    return String.join(System.lineSeparator(), text).stripTrailing();
  }

  /** The JSON form. */
  JsonObject json(long most) {
    JsonObject json = new JsonObject();
    json.addProperty("users", people());
    JsonArray array = new JsonArray();
    for (Map.Entry<String, UserSpend> person : top(most)) {
      JsonObject object = new JsonObject();
      object.addProperty("userId", person.getKey());
      person.getValue().balance.addTo(object);
      object.addProperty("refused", person.getValue().refused);
      array.add(object);
    }
    json.add("top", array);
    json.add("verdicts", verdicts.json());
    json.add("histogram", sizes().json());
    return json;
  }
}
