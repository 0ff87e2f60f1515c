package io.croupier.schemas;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A rule that a record doesn't satisfy.
 *
 * @param field its path in the record
 * @param sentence the field, its value unless that is private, and what would be right
 */
public record Violation(String field, String sentence) {

  /** All sentences in one text. */
  public static String text(List<Violation> violations) {
    return violations.stream().map(Violation::sentence).collect(Collectors.joining("; "));
  }

  /** The sentence. */
  @Override
  public String toString() {
    return sentence;
  }
}
