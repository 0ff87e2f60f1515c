package io.croupier.operators.ledger;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The newest token of a user for anonymous reports to a model. A user has at most one token for a
 * window, and none for a window before it. Accounts store 8 bytes of the window, big-endian, then
 * the tag.
 *
 * @param window of the token; -1 if there is no token
 * @param tag of the request for it, which is not copied; empty if it is unknown
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record TokenRecord(long window, byte[] tag) {
  /** No token. */
  static final TokenRecord NONE = new TokenRecord(-1, new byte[0]);

  /** Returns the token in bytes; {@link #NONE} if they are null. */
  static TokenRecord of(byte[] bytes) {
    return bytes == null
        ? NONE
        : new TokenRecord(
            ByteBuffer.wrap(bytes).getLong(), Arrays.copyOfRange(bytes, Long.BYTES, bytes.length));
  }

  /** Returns the bytes. */
  byte[] bytes() {
    return ByteBuffer.allocate(Long.BYTES + tag.length).putLong(window).put(tag).array();
  }

  /** Returns whether a request is a copy of the one that was granted. */
  boolean isOf(long ofWindow, byte[] ofTag) {
    return window == ofWindow && tag.length > 0 && Arrays.equals(tag, ofTag);
  }
}
