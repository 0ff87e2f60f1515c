package io.croupier.cli;

/** Signals unusable input; the message states what is wrong and what is expected. */
public final class InputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Makes an exception with a message for the user. */
  public InputException(String message) {
    super(message);
  }

  /** Makes an exception with a message for the user and its cause. */
  public InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
