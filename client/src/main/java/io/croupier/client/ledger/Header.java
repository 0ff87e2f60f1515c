package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import java.util.UUID;

/**
 * The header of a ledger's file.
 *
 * @param secret decides which rounds are answered
 * @param opening what was spent before the file's first entry, carried reports included
 * @param carried how many reports the file carries over from the one before
 * @param isCurrent whether new entries may follow it; false for older versions
 */
record Header(
    String userId,
    String deviceId,
    ByteString secret,
    Spent opening,
    int carried,
    boolean isCurrent) {

  /** The header of a new ledger, with a new device_id. */
  static Header ofNew(String userId) {
    return new Header(
        userId,
        UUID.randomUUID().toString(),
        ParticipationSampler.newSecret(),
        Spent.NOTHING,
        0,
        true);
  }

  /** The header of the same ledger's next file, which carries {@code count} reports over. */
  Header carrying(Spent spent, int count) {
    return new Header(userId, deviceId, secret, spent, count, true);
  }

  /** Prints neither the user nor the secret. */
  @Override
  public String toString() {
    return String.format("Header[carried=%d, isCurrent=%s]", carried, isCurrent);
  }
}
