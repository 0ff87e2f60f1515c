package io.croupier.gateway.identity;

import java.time.Duration;

/** Signals that a token can't be verified now, since its issuer's keys must be fetched first. */
public final class KeysUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  /** A device should not wait for less, since the next fetch needs a while. */
  private static final Duration LEAST = Duration.ofSeconds(5);

  private final Duration retryAfter;

  private KeysUnavailableException(String message, Duration retryAfter, Throwable cause) {
    super(message, cause);
    this.retryAfter = retryAfter;
  }

  /** No usable keys have been fetched. */
  static KeysUnavailableException unfetched(Throwable cause) {
    return new KeysUnavailableException("the issuer's keys can't be fetched now", LEAST, cause);
  }

  /** The token names a key that the issuer may have added since the last fetch. */
  static KeysUnavailableException unknown(KeyUrlSource.UnknownKeyException cause) {
    return new KeysUnavailableException(
        "the issuer's keys must be fetched again, since the token names an unknown one",
        LEAST.plus(cause.nextFetch()),
        cause);
  }

  /** The time after which the keys should have been fetched. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
