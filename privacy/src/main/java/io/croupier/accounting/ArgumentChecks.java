package io.croupier.accounting;

/** Errors for invalid arguments: name, value, and the valid values. */
final class ArgumentChecks {
  private ArgumentChecks() {}

  static void number(String name, double value) {
    if (Double.isNaN(value)) {
      throw refusal(name, value, "it must be a number");
    }
  }

  static void notNegative(String name, double value) {
    if (!(value >= 0)) {
      throw refusal(name, value, "it must be at least 0");
    }
  }

  static void notNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be at least 0");
    }
  }

  static void logProbability(String name, double value) {
    if (!(value <= 0)) {
      throw refusal(name, value, "it must be at most 0, the logarithm of a probability");
    }
  }

  static IllegalArgumentException refusal(String name, double value, String rule) {
    return new IllegalArgumentException(name + " is " + value + "; " + rule);
  }
}
