package io.croupier.operators.report;

import io.croupier.operators.math.PackedVectors;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first 64 bits of a SHA-256. */
final class Sha256Digest implements ReportDigest {
  private final MessageDigest sha256;

  Sha256Digest() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public long of(byte[] bytes) {
    return PackedVectors.longAt(sha256.digest(bytes), 0);
  }
}
