package io.croupier.gateway.identity;

/** A token that proves no identity; the message contains no part of it. */
public final class InvalidTokenException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean insufficient;

  InvalidTokenException(String message) {
    this(message, false);
  }

  private InvalidTokenException(String message, boolean insufficient) {
    super(message, null, false, false);
    this.insufficient = insufficient;
  }

  /** Of a valid token that lacks a right. */
  static InvalidTokenException insufficient(String message) {
    return new InvalidTokenException(message, true);
  }

  /** Whether the token is valid, and lacks a right (RFC 6750, insufficient_scope). */
  public boolean isInsufficient() {
    return insufficient;
  }
}
