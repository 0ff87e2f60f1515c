package io.croupier.cli;

/** What the user gave can't be used; the message says to them what is wrong and what would do. */
public final class InputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** With a message for the user. */
  public InputException(String message) {
    super(message);
  }

  /** With a message for the user and what lies behind it. */
  public InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
