package io.croupier.cli;

import io.croupier.schemas.VisibleText;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Signals unusable input; the message states what is wrong and what is expected. It may quote the
 * input, whose characters begin no further line.
 */
public final class InputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception with a message for the user, in one line. */
  public InputException(String message) {
    this(message, null);
  }

  /** Makes an exception with a message for the user, in one line, and its cause. */
  public InputException(String message, Throwable cause) {
    this(List.of(String.valueOf(message)), cause);
  }

  /** Makes an exception with several messages for the user, each in a line. */
  public InputException(List<String> messages, Throwable cause) {
    super(
        messages.stream()
            .map(VisibleText::name)
            .collect(Collectors.joining(System.lineSeparator())),
        cause);
  }
}
