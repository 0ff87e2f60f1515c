package io.croupier.gateway.json;

/** What is wrong with a JSON text; the message quotes no value. */
public final class InvalidJsonException extends Exception {
  private static final long serialVersionUID = 1;

  InvalidJsonException(String message) {
    super(message, null, false, false);
  }
}
