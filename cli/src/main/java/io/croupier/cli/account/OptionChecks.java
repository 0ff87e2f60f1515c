package io.croupier.cli.account;

import io.croupier.cli.InputException;

/** What numbers given on the command line have to be. */
final class OptionChecks {

  private OptionChecks() {}

  /** That it lies between 0 and 1. */
  static void probability(String option, double value) {
    if (!(value > 0 && value < 1)) {
      throw refusal(option, value, "be between 0 and 1, such as 1e-6");
    }
  }

  /** That it is positive and finite. */
  static void positive(String option, double value) {
    if (!(value > 0 && value <= Double.MAX_VALUE)) {
      throw refusal(option, value, "be positive and finite");
    }
  }

  /** That it is at least so much. */
  static void atLeast(String option, long value, long least) {
    if (value < least) {
      throw refusal(option, value, "be at least " + least);
    }
  }

  private static InputException refusal(String option, Object value, String right) {
    return new InputException("%s is %s; it must %s".formatted(option, value, right));
  }
}
