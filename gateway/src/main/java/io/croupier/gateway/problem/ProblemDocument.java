package io.croupier.gateway.problem;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    List<Field> fields,
    Optional<String> outcome,
    Optional<Duration> retryAfter) {

  /** The media type of problem documents. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** How sentences about a field begin. */
  private static final Pattern ABOUT =
      Pattern.compile("^([a-z][a-z0-9_]*(?:\\.[a-z0-9_]+)*) (?:is|are|must|and|may)\\b");

  /**
   * A field that is wrong.
   *
   * @param name its path in the report
   * @param detail what is wrong, and what would be right
   */
  public record Field(String name, String detail) {}

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

  /**
   * A problem with fields.
   *
   * @param sentences separated by semicolons; each begins with the field's name
   * @param otherwise the field of a sentence that doesn't
   */
  public static ProblemDocument ofFields(ProblemType type, String sentences, String otherwise) {
    List<Field> fields = new ArrayList<>();
    for (String sentence : sentences.split("; ", -1)) {
      Matcher about = ABOUT.matcher(sentence);
      fields.add(new Field(about.find() ? about.group(1) : otherwise, sentence));
    }
    return new ProblemDocument(type, sentences, fields, Optional.empty(), Optional.empty());
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
      for (Field field : fields) {
        JsonObject error = new JsonObject();
        error.addProperty("field", field.name);
        error.addProperty("detail", field.detail);
        errors.add(error);
      }
      document.add("errors", errors);
    }
    return document.toString().getBytes(StandardCharsets.UTF_8);
  }
}
