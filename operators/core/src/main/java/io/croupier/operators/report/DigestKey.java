package io.croupier.operators.report;

import java.io.Serializable;
import java.security.SecureRandom;

/**
 * The secret key of a ledger's digests of reports. No sender knows it, so none can search for two
 * reports with the same digest.
 *
 * @param first bytes 0 to 7 of the key, the least significant first
 * @param second bytes 8 to 15
 */
public record DigestKey(long first, long second) implements Serializable {
  private static final long serialVersionUID = 1;

  /** No key: digests are of SHA-256, as in a ledger that release 0.3.0 or an earlier one began. */
  public static final DigestKey NONE = new DigestKey(0, 0);

  /** Returns a new key. */
  public static DigestKey random() {
    SecureRandom random = new SecureRandom();
    return new DigestKey(random.nextLong(), random.nextLong());
  }

  /** Returns the digest under this key. It isn't safe for use by several threads. */
  ReportDigest digest() {
    return equals(NONE) ? new Sha256Digest() : new SipHash(first, second);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "DigestKey";
  }
}
