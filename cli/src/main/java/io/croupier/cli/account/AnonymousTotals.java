package io.croupier.cli.account;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.account.CentralTotals.Total;
import io.croupier.cli.io.Table;
import io.croupier.operators.anonymous.WindowBound;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.WindowGuarantee;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the anonymous windows of all users guarantee, and whether each window's guarantee follows
 * from its number of reports.
 */
final class AnonymousTotals {
  /** Has the guarantees of all windows, and no tokens. */
  private final CentralTotals allWindows = new CentralTotals();

  private final Map<String, CentralTotals> users = new HashMap<>();
  private final Mismatches mismatches = new Mismatches();
  private long guarantees;

  /** One user's total; users with the same windows share the computation, which takes long. */
  private record UserTotal(String userId, Total total) {}

  /** Adds an accounting event; those of other outcomes than a token's are ignored. */
  void addEvent(AccountingEvent event) {
    if (event.getOutcome() == Outcome.ERASED) {
      forget(event.getUserId());
    } else if (event.getOutcome() == Outcome.GRANTED) {
      users.computeIfAbsent(event.getUserId(), id -> allWindows.ofAnother()).grant(event);
    }
  }

  /** Forgets the tokens of a user whose account is erased. */
  void forget(String userId) {
    users.remove(userId);
  }

  /**
   * Adds an event of the guarantees topic, and computes it again from its numbers. Without a
   * guarantee that follows from them, a window is open. Events of central models are ignored.
   *
   * @param place of the event, for messages
   */
  void addGuarantee(GuaranteeEvent event, String place) {
    if (!CentralTotals.isOfWindow(event)) {
      return;
    }
    guarantees++;
    String fault = fault(event);
    if (fault.isEmpty()) {
      allWindows.guarantee(event);
    } else {
      mismatches.add(
          () ->
              "%s: model %s, window %d: %s"
                  .formatted(place, event.getModelId(), event.getAnonymous().getWindow(), fault));
    }
  }

  private static String fault(GuaranteeEvent event) {
    WindowGuarantee of = event.getAnonymous();
    WindowBound bound;
    try {
      bound =
          WindowBound.of(
              CentralTotals.declaration(of),
              of.getReports(),
              of.getHonest(),
              CentralTotals.availability(of),
              event.getDelta(),
              of.getInterrupted());
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    boolean agrees =
        of.getCounted() == bound.counted()
            && of.getLocalEpsilon() == bound.local()
            && of.getEpsilon() >= bound.central();
    return agrees
        ? ""
        : "counted %d, local epsilon %s, epsilon %s; recomputed %d, %s, at least %s"
            .formatted(
                of.getCounted(),
                of.getLocalEpsilon(),
                of.getEpsilon(),
                bound.counted(),
                bound.local(),
                bound.central());
  }

  /** Whether no user has a token. */
  boolean isEmpty() {
    return users.isEmpty();
  }

  /** The number of guarantees that don't follow from their numbers. */
  long mismatched() {
    return mismatches.count();
  }

  /** What is wrong with the first of them, after a line that counts them. */
  List<String> mismatches() {
    return mismatches.lines(
        guarantees, "guarantees of anonymous windows don't follow from their numbers of reports");
  }

  private List<UserTotal> rows() {
    Map<Object, Total> known = new HashMap<>();
    List<UserTotal> rows = new ArrayList<>();
    users.forEach(
        (userId, windows) ->
            rows.add(
                new UserTotal(
                    userId, known.computeIfAbsent(windows.grants(), grants -> windows.all()))));
    rows.sort(
        Comparator.comparingDouble((UserTotal row) -> row.total.central() + row.total.openLocal())
            .reversed()
            .thenComparing(UserTotal::userId));
    return rows;
  }

  /** The printed lines; none without tokens. */
  List<String> text(long top) {
    if (isEmpty()) {
      return List.of();
    }
    List<UserTotal> rows = rows();
    Table table = CentralTotals.table("user");
    rows.stream().limit(top).forEach(row -> table.row(CentralTotals.row(row.userId, row.total)));
    List<String> text = new ArrayList<>(List.of("", "Anonymous windows:", table.text()));
    if (rows.size() > top) {
      text.add("... and %s more".formatted(Digits.count(rows.size() - top)));
    }
    text.add(CentralTotals.MEANING);
    if (guarantees == 0) {
      text.add("No guarantee was read: the guarantees topic has them, and no file of events does.");
    } else if (mismatches.count() == 0) {
      text.add(
          "The guarantees of all %s windows and declarations follow from their numbers of reports."
              .formatted(Digits.count(guarantees)));
    }
    return text;
  }

  /** Adds the totals to the JSON form, if there are any. */
  void addTo(JsonObject json, long top) {
    if (isEmpty()) {
      return;
    }
    JsonArray list = new JsonArray();
    rows().stream()
        .limit(top)
        .forEach(
            row -> {
              JsonObject user = new JsonObject();
              user.addProperty("userId", row.userId);
              CentralTotals.json(row.total)
                  .entrySet()
                  .forEach(e -> user.add(e.getKey(), e.getValue()));
              list.add(user);
            });
    json.add("anonymousByUser", list);
    json.addProperty("guarantees", guarantees);
    json.addProperty("guaranteeMismatches", mismatches.count());
  }
}
