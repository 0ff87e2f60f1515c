package io.croupier.operators.ledger;

import java.util.Arrays;

/**
 * The newest token of a user for anonymous reports to a model. A user has at most one token for a
 * window, and none for a window before it.
 */
public final class TokenRecord {
  /** No token. */
  public static final TokenRecord NONE = new TokenRecord(-1, new byte[0]);

  private final long window;
  private final byte[] tag;

  /**
   * Records a token.
   *
   * @param window of the token
   * @param tag of the request for it, which is not copied; empty if it is unknown
   */
  public TokenRecord(long window, byte[] tag) {
    this.window = window;
    this.tag = tag;
  }

  /** Returns the token's window; -1 if there is no token. */
  public long window() {
    return window;
  }

  /** Returns the tag of the request; must not be changed. */
  public byte[] tag() {
    return tag;
  }

  /** Returns whether a request is a copy of the one that was granted. */
  public boolean isOf(long ofWindow, byte[] ofTag) {
    return window == ofWindow && tag.length > 0 && Arrays.equals(tag, ofTag);
  }
}
