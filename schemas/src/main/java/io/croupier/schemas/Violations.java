package io.croupier.schemas;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Collects violated rules, each with a sentence of field, value, and valid values. */
final class Violations {
  private static final int MOST_CHARACTERS = 100;

  private final List<Violation> all = new ArrayList<>();

  List<Violation> list() {
    return List.copyOf(all);
  }

  List<String> sentences() {
    return all.stream().map(Violation::sentence).collect(Collectors.toUnmodifiableList());
  }

  void add(Violation violation) {
    all.add(violation);
  }

  /**
   * Adds a sentence that begins with the field.
   *
   * @param rest of the sentence
   */
  void add(String field, String rest) {
    all.add(new Violation(field, field + " " + rest));
  }

  void require(boolean rule, String field, Object value, String right) {
    if (!rule) {
      add(field, "is " + VisibleText.name(String.valueOf(value)) + ": it must be " + right);
    }
  }

  /** Requires a name that people read, and programs compare with what their data contain. */
  void text(String field, String value) {
    require(
        !value.isEmpty()
            && value.length() <= MOST_CHARACTERS
            && value.equals(value.strip())
            && value.chars().noneMatch(Character::isISOControl),
        field,
        '"' + value + '"',
        "1 to " + MOST_CHARACTERS + " characters without control characters, no blank at an end");
  }

  /** Requires a set field whose value is finite and above 0. */
  void positive(String field, boolean present, double value) {
    if (required(field, present, "a finite number above 0")) {
      positiveIfPresent(field, true, value);
    }
  }

  void positiveIfPresent(String field, boolean present, double value) {
    if (present) {
      require(value > 0 && Double.isFinite(value), field, value, "a finite number above 0");
    }
  }

  /** Requires a set field of at least 0. */
  void atLeastZero(String field, boolean present, long value) {
    if (required(field, present, "at least 0")) {
      require(value >= 0, field, value, "at least 0");
    }
  }

  void atLeastOneIfPresent(String field, boolean present, long value) {
    if (present) {
      require(value >= 1, field, value, "at least 1");
    }
  }

  boolean required(String field, boolean present, String right) {
    if (!present) {
      add(field, "is missing: it must be " + right);
    }
    return present;
  }
}
