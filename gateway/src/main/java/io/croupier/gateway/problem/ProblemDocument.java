package io.croupier.gateway.problem;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.schemas.Violation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An error, as the sender receives it. It contains no value of a gradient, no user id and no part
 * of a token.
 *
 * @param detail what is wrong with this request, and what would be right
 * @param fields the fields that are wrong
 * @param outcome the outcome that the job's ledger would record; empty if it isn't a matter of the
 *     ledger
 * @param retryAfter when the same request may succeed; empty if it will not
 */
public record ProblemDocument(
    ProblemType type,
    String detail,
    List<Violation> fields,
    Optional<String> outcome,
    Optional<Duration> retryAfter) {

  /** The media type of problem documents. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** Copies the fields. */
  public ProblemDocument {
    fields = List.copyOf(fields);
  }

  /** A problem that no field causes. */
  public static ProblemDocument of(ProblemType type, String detail) {
    return new ProblemDocument(type, detail, List.of(), Optional.empty(), Optional.empty());
  }

  /** The same with a time after which the request may succeed. */
  public ProblemDocument retryAfter(Duration time) {
    return new ProblemDocument(type, detail, fields, outcome, Optional.of(time));
  }

  /** The same with the outcome that the ledger would record. */
  public ProblemDocument outcome(String name) {
    return new ProblemDocument(type, detail, fields, Optional.of(name), retryAfter);
  }

  /** A problem of one field, whose path this is in the report or request. */
  public static ProblemDocument ofField(ProblemType type, String field, String sentence) {
    return ofFields(type, List.of(new Violation(field, sentence)));
  }

  /** A problem of fields. */
  public static ProblemDocument ofFields(ProblemType type, List<Violation> fields) {
    return new ProblemDocument(
        type, Violation.text(fields), fields, Optional.empty(), Optional.empty());
  }

  /** The document. */
  public byte[] json() {
    JsonObject document = new JsonObject();
    document.addProperty("type", type.uri());
    document.addProperty("title", type.title());
    document.addProperty("status", type.status());
    document.addProperty("detail", detail);
    outcome.ifPresent(name -> document.addProperty("outcome", name));
    if (!fields.isEmpty()) {
      JsonArray errors = new JsonArray();
      for (Violation field : fields) {
        JsonObject error = new JsonObject();
        error.addProperty("field", field.field());
        error.addProperty("detail", field.sentence());
        errors.add(error);
      }
      document.add("errors", errors);
    }
    return document.toString().getBytes(StandardCharsets.UTF_8);
  }
}
