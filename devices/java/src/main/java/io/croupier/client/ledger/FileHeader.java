package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import java.util.UUID;

/**
 * The header of a ledger's file.
 *
 * @param secret see {@link LedgerSecret}
 * @param opening what was spent before the file's first entry, carried reports included
 * @param carried how many entries the file carries over from the one before
 * @param version of the file
 */
record FileHeader(
    String userId, String deviceId, ByteString secret, Spent opening, int carried, int version) {

  /** The header of a new ledger, with a new device_id. */
  static FileHeader ofNew(String userId) {
    return new FileHeader(
        userId,
        UUID.randomUUID().toString(),
        LedgerSecret.newSecret(),
        Spent.NOTHING,
        0,
        LedgerFormat.VERSION);
  }

  /** Whether new entries may follow it; false for older versions. */
  boolean isCurrent() {
    return version == LedgerFormat.VERSION;
  }

  /** The header of the same ledger's next file, which carries {@code count} entries over. */
  FileHeader carrying(Spent spent, int count) {
    return new FileHeader(userId, deviceId, secret, spent, count, LedgerFormat.VERSION);
  }

  /** Prints neither the user nor the secret. */
  @Override
  public String toString() {
    return String.format("FileHeader[carried=%d, version=%d]", carried, version);
  }
}
