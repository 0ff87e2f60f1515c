package io.croupier.cli.ledger;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.account.Digits;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Window;
import java.math.RoundingMode;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What is spent and what the limits leave, as in the newest event.
 *
 * @param spent the totals
 * @param window the totals that limits with a period count; empty if they have none
 * @param left a field for each limit
 */
record Balance(Spend spent, Window window, Left left) {
  static final Balance NOTHING =
      new Balance(
          Spend.getDefaultInstance(), Window.getDefaultInstance(), Left.getDefaultInstance());

  /** Over all models. */
  static Balance ofUser(AccountingEvent event) {
    return new Balance(event.getUserTotals(), event.getUserWindow(), event.getLeftUser());
  }

  /** On the model of the event. */
  static Balance ofModel(AccountingEvent event) {
    return new Balance(event.getModelTotals(), event.getModelWindow(), event.getLeftModel());
  }

  private static final JsonFormat.Printer JSON = JsonFormat.printer();

  /** The columns of {@link #cells}. */
  static final List<String> HEADER =
      List.of(
          "reports",
          "epsilon",
          "mu",
          "rho",
          "epsilon at delta",
          "undisclosed",
          "unbounded",
          "left");

  /** The cells of the printed table. */
  List<String> cells() {
    return List.of(
        Digits.count(spent.getReports()),
        Digits.sum(spent.getEpsilon(), Totals.LARGEST_EPSILON),
        Digits.sum(spent.getMu(), Totals.LARGEST_MU),
        Digits.sum(spent.getRho(), Totals.LARGEST_RHO),
        spent.hasEpsilonAtDelta()
            ? Digits.sum(spent.getEpsilonAtDelta(), Totals.LARGEST_EPSILON)
            : "-",
        Digits.count(spent.getUndisclosed()),
        Digits.count(spent.getUnbounded()),
        leftInWords());
  }

  private String leftInWords() {
    String words =
        left.getAllFields().entrySet().stream()
            .map(
                field ->
                    field.getKey().getJsonName()
                        + " "
                        + (field.getValue() instanceof Double number
                            ? Digits.sixDigits(number, RoundingMode.FLOOR)
                            : field.getValue()))
            .collect(Collectors.joining(", "));
    if (words.isEmpty()) {
      return "no limit";
    }
    return window.hasDays() ? "in %d days: %s".formatted(window.getDays(), words) : words;
  }

  /** Adds the messages in the Protobuf JSON mapping. */
  void addTo(JsonObject json) {
    json.add("spent", json(spent));
    if (window.hasDays()) {
      json.add("window", json(window));
    }
    json.add("left", json(left));
  }

  private static JsonElement json(MessageOrBuilder message) {
    try {
      return JsonParser.parseString(JSON.print(message));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a message without Any has a JSON form", e);
    }
  }
}
