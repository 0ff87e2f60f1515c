package io.croupier.cli.account;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.accounting.Bound;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What everybody's spends are worth at a delta. What several spent alike is worked out once; else a
 * person of three different epsilons takes half a millisecond, one of a hundred 60.
 */
final class Composition {
  private static final Comparator<Line> ORDER =
      Comparator.comparingDouble(Line::epsilon)
          .reversed()
          .thenComparing(Line::userId)
          .thenComparing(Line::modelId);

  private final Books books;
  private final double delta;
  private final Map<Entry.Key, Map<Bound, Double>> known = new HashMap<>();
  private final List<Line> users = new ArrayList<>();
  private final List<Line> models = new ArrayList<>();

  Composition(Books books, double delta, boolean byModel) {
    this.books = books;
    this.delta = delta;
    try (Bar bar = Bar.ofRecords("people", books.all().size())) {
      books
          .all()
          .forEach(
              (userId, book) -> {
                users.add(line(userId, "", book.all()));
                if (byModel) {
                  book.models().forEach((model, entry) -> models.add(line(userId, model, entry)));
                }
                bar.stepTo(users.size());
              });
    }
    users.sort(ORDER);
    models.sort(ORDER);
  }

  private Line line(String userId, String modelId, Entry entry) {
    Map<Bound, Double> bounds =
        known.computeIfAbsent(entry.key(), key -> key.spends().bounds(StrictMath.log(delta)));
    return new Line(userId, modelId, entry, bounds);
  }

  /** For programs: what the whole population has, and everybody. */
  JsonObject json(long top) {
    JsonObject json = users.isEmpty() ? new JsonObject() : users.get(0).json(delta);
    json.addProperty("users", users.size());
    json.addProperty("events", books.events());
    json.addProperty("mismatches", books.mismatched());
    json.add("byUser", list(users, top));
    if (!models.isEmpty()) {
      json.add("byModel", list(models, top));
    }
    return json;
  }

  private JsonArray list(List<Line> lines, long top) {
    JsonArray list = new JsonArray();
    lines.stream().limit(top).forEach(line -> list.add(line.json(delta)));
    return list;
  }

  /** For people. */
  String text(long top) {
    List<String> text = new ArrayList<>();
    if (users.isEmpty()) {
      return "Nobody has spent anything.";
    }
    text.add(table(users, false, top));
    text.add("");
    if (!models.isEmpty()) {
      text.add(table(models, true, top));
      text.add("");
    }
    text.add(
        "%s people, relation %s: at delta %s, nobody has spent more than an epsilon of %s (%s, by %s)."
            .formatted(
                Digits.count(users.size()),
                Relation.REPLACE_ONE,
                Digits.all(delta),
                Digits.all(users.get(0).epsilon()),
                users.get(0).userId(),
                users.get(0).by().label()));
    text.addAll(left());
    if (books.events() > 0 && books.mismatched() == 0) {
      text.add(
          "Costs and totals of all %s events are what their declarations add up to."
              .formatted(Digits.count(books.events())));
    }
    return String.join(System.lineSeparator(), text);
  }

  private static String table(List<Line> lines, boolean byModel, long top) {
    Table table = new Table(Line.header(byModel)).words("model");
    lines.stream().limit(top).forEach(line -> table.row(line.cells(byModel)));
    return lines.size() > top
        ? table.text()
            + System.lineSeparator()
            + "... and %s more, who spent no more".formatted(Digits.count(lines.size() - top))
        : table.text();
  }

  /** What no number speaks of. */
  private List<String> left() {
    long undisclosed = 0;
    long unbounded = 0;
    long uncharged = 0;
    for (Line line : users) {
      undisclosed += line.entry().totals().undisclosed;
      unbounded += line.entry().totals().unbounded;
      uncharged += line.entry().uncharged();
    }
    if (undisclosed + unbounded + uncharged == 0) {
      return List.of();
    }
    return List.of(
        ("Not in any number: reports that disclose nothing of their noise (%s), coordinates without"
                + " noise (in %s reports), and central reports whose events don't say what they cost"
                + " (%s).")
            .formatted(
                Digits.count(undisclosed), Digits.count(unbounded), Digits.count(uncharged)));
  }
}
