package io.croupier.client.token;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash functions of tokens, and of the gateway. */
public final class Digests {
  private Digests() {}

  /** A new SHA-256. */
  public static MessageDigest sha256() {
    return digest("SHA-256");
  }

  static MessageDigest sha384() {
    return digest("SHA-384");
  }

  private static MessageDigest digest(String name) {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + name, e);
    }
  }
}
