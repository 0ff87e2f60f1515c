package io.croupier.cli.account;

import io.croupier.cli.InputException;
import io.croupier.schemas.ModelSpecs;

/** Range checks for numeric options; each throws an {@link InputException}. */
public final class OptionChecks {

  private OptionChecks() {}

  /** Requires a value strictly between 0 and 1. */
  public static void probability(String option, double value) {
    if (!(value > 0 && value < 1)) {
      throw refusal(option, value, "be between 0 and 1, such as 1e-6");
    }
  }

  /** Requires a value above 0 and at most 1. */
  public static void share(String option, double value) {
    if (!(value > 0 && value <= 1)) {
      throw refusal(option, value, "be above 0 and at most 1");
    }
  }

  /** Requires a positive and finite value. */
  public static void positive(String option, double value) {
    if (!(value > 0 && value <= Double.MAX_VALUE)) {
      throw refusal(option, value, "be positive and finite");
    }
  }

  /** Requires a value of at least {@code least}. */
  public static void atLeast(String option, long value, long least) {
    if (value < least) {
      throw refusal(option, value, "be at least " + least);
    }
  }

  /** Requires a number of coordinates that a model can have. */
  public static void dimension(String option, int value) {
    if (value < 1 || value > ModelSpecs.MAX_DIMENSION) {
      throw refusal(
          option,
          value,
          "be from 1 to " + ModelSpecs.MAX_DIMENSION + ", the most that a model has");
    }
  }

  /** The error for a value that is not valid. */
  public static InputException refusal(String option, Object value, String right) {
    return new InputException("%s is %s; it must %s".formatted(option, value, right));
  }
}
