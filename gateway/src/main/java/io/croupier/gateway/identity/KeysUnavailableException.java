package io.croupier.gateway.identity;

/** Signals that an issuer's keys can't be fetched now, so its tokens can't be verified. */
public final class KeysUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  KeysUnavailableException(Throwable cause) {
    super("the issuer's keys can't be fetched now", cause);
  }
}
