package io.croupier.cli.account;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.cli.InputException;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.operators.report.VectorContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.GradientCase;
import io.croupier.schemas.Spend;
import io.croupier.schemas.Violation;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;

/** Reads accounting events and the declarations of reports, and adds them to accounts. */
final class DeclarationReader {
  private static final long MOST = 1_000_000;
  private static final String COUNT = "count";
  private static final String DIMENSION = "dimension";
  private static final String RHO = "zeroConcentrated";

  private final RecomputedAccounts accounts;

  DeclarationReader(RecomputedAccounts accounts) {
    this.accounts = accounts;
  }

  /**
   * Adds the contents of a file: one object per line, or a single list of objects.
   *
   * @throws InputException if the file can't be used; the message contains the line and the problem
   */
  void read(String file) {
    try (LineReader reader = LineReader.open(file)) {
      for (String line = reader.next(); line != null; line = reader.next()) {
        if (line.stripLeading().startsWith("[")) {
          readList(line, reader, file);
        } else if (!line.isBlank()) {
          add(parse(line, reader.place()), reader.place());
        }
      }
    }
  }

  private void readList(String first, LineReader reader, String file) {
    StringBuilder text = new StringBuilder(first);
    for (String line = reader.next(); line != null; line = reader.next()) {
      text.append('\n').append(line);
    }
    if (!(parse(text.toString(), file) instanceof JsonArray list)) {
      throw new InputException(file + ": not a single list of JSON objects");
    }
    for (int i = 0; i < list.size(); i++) {
      add(list.get(i), "%s, entry %d".formatted(file, i + 1));
    }
  }

  private static JsonElement parse(String text, String place) {
    try {
      return StrictJson.value(text);
    } catch (InvalidJsonException e) {
      throw new InputException(
          "%s: %s; it must be an object such as {\"l2Laplace\": {\"epsilon\": 1}}"
              .formatted(place, e.getMessage()),
          e);
    }
  }

  private void add(JsonElement element, String place) {
    if (!(element instanceof JsonObject object)) {
      throw new InputException(place + ": it must be a JSON object");
    }
    if (object.has("outcome")) {
      AccountingEvent.Builder event = AccountingEvent.newBuilder();
      merge(object, event, place);
      accounts.addEvent(event.build(), place);
    } else {
      addDeclaration(object.deepCopy(), place);
    }
  }

  private void addDeclaration(JsonObject object, String place) {
    long count = whole(COUNT, object.remove(COUNT), MOST, place, 1);
    int dimension = (int) whole(DIMENSION, object.remove(DIMENSION), Integer.MAX_VALUE, place, 0);
    JsonElement rho = object.remove(RHO);
    GradientReport.Builder report = GradientReport.newBuilder();
    merge(object, report, place);
    if (report.getGradientCase() != GradientCase.GRADIENT_NOT_SET) {
      throw new InputException(
          place
              + ": contains a gradient; it must be an accounting event or a declaration without"
              + " one");
    }
    boolean declares =
        report.getDeclarationCase() != GradientReport.DeclarationCase.DECLARATION_NOT_SET;
    if (declares == (rho != null)) {
      throw new InputException(
          place
              + ": it must have exactly one of "
              + Declarations.onDevices()
                  .map(FieldDescriptor::getJsonName)
                  .collect(Collectors.joining(", "))
              + " and "
              + RHO);
    }
    if (rho != null) {
      accounts.addRho(report.getUserId(), report.getModelId(), rho(rho, place), count);
    } else {
      accounts.addDeclared(event(report, dimension, place), count);
    }
  }

  private static void merge(JsonObject object, Message.Builder message, String place) {
    try {
      StrictJson.merge(object.toString(), message);
    } catch (InvalidJsonException e) {
      throw new InputException(place + ": " + e.getMessage(), e);
    }
  }

  private static long whole(String field, JsonElement value, long most, String place, long absent) {
    if (value == null) {
      return absent;
    }
    BigDecimal number = number(value);
    if (number.signum() > 0
        && number.compareTo(BigDecimal.valueOf(most)) <= 0
        && number.stripTrailingZeros().scale() <= 0) {
      return number.longValueExact();
    }
    throw wrong(place, field, value, "a whole number from 1 to " + most);
  }

  private static BigDecimal rho(JsonElement mechanism, String place) {
    BigDecimal rho =
        mechanism instanceof JsonObject object && object.size() == 1 && object.has("rho")
            ? number(object.get("rho"))
            : BigDecimal.ZERO;
    if (rho.signum() <= 0 || rho.doubleValue() > Double.MAX_VALUE) {
      throw wrong(place, RHO, mechanism, "{\"rho\": 0.05}, with a positive and finite rho");
    }
    return rho;
  }

  /** The number, or 0 if the element is not a number. */
  private static BigDecimal number(JsonElement element) {
    return element instanceof JsonPrimitive primitive && primitive.isNumber()
        ? primitive.getAsBigDecimal()
        : BigDecimal.ZERO;
  }

  private static InputException wrong(String place, String field, Object value, String right) {
    return new InputException("%s: %s is %s; it must be %s".formatted(place, field, value, right));
  }

  /** The accounting event of an admitted report with this declaration. */
  private static AccountingEvent event(GradientReport.Builder report, int dimension, String place) {
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(report.getUserId())
            .setModelId(report.getModelId())
            .setOutcome(Outcome.ADMITTED)
            .setModelTotals(Spend.getDefaultInstance());
    if (report.hasCentral()) {
      throw new InputException(
          place
              + ": the cost of a central report is known only from its accounting event; give"
              + " the event, or gaussian with the mu that 'account tree --relation"
              + " replace-one' prints");
    }
    List<Violation> violations = Declarations.violations(report, FieldDescriptor::getJsonName);
    if (!violations.isEmpty()) {
      throw new InputException(place + ": " + Violation.text(violations));
    }
    if (dimension > 0 && !report.hasL2Laplace()) {
      throw new InputException(
          place
              + ": dimension is "
              + dimension
              + "; it is for l2Laplace, whose cost depends on it");
    }
    Mechanism mechanism = Declarations.of(Declarations.declared(report), dimension);
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      requireTaus(laplace, place);
    }
    Declarations.declare(mechanism, event);
    return event.build();
  }

  private static void requireTaus(CoordinateLaplaceMechanism mechanism, String place) {
    if (mechanism.count() == 0) {
      throw wrong(place, "coordinateLaplace.taus", "empty", "one for each coordinate");
    }
    String objection = VectorContent.objectionToOpen(mechanism);
    if (!objection.isEmpty()) {
      throw new InputException(place + ": coordinateLaplace: " + objection);
    }
  }
}
