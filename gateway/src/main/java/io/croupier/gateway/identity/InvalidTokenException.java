package io.croupier.gateway.identity;

/** Signals that a token proves no identity. The message contains no part of the token. */
public final class InvalidTokenException extends Exception {
  private static final long serialVersionUID = 1;

  InvalidTokenException(String message) {
    super(message, null, false, false);
  }
}
