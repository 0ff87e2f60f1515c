package io.croupier.accounting.mechanism;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Parameters of a mechanism are invalid. It has no stack trace, since any sender can cause one for
 * each report; the message names the parameter.
 */
public final class InvalidMechanismException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final transient List<Flaw> flaws;

  /**
   * An invalid parameter.
   *
   * @param parameter the name of its field in records
   * @param value the invalid value
   * @param right what it must be, in words
   */
  public record Flaw(String parameter, Object value, String right) {}

  InvalidMechanismException(String mechanism, List<Flaw> flaws) {
    super(
        flaws.stream()
            .map(f -> mechanism + "." + f.parameter + " is " + f.value + ": it must be " + f.right)
            .collect(Collectors.joining("; ")));
    this.flaws = List.copyOf(flaws);
  }

  /** The invalid parameters, at least one. */
  public List<Flaw> flaws() {
    return flaws;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  static void requirePositive(String mechanism, String parameter, double value) {
    if (!(value > 0 && value <= Double.MAX_VALUE)) {
      throw new InvalidMechanismException(
          mechanism, List.of(new Flaw(parameter, value, "a finite number above 0")));
    }
  }
}
