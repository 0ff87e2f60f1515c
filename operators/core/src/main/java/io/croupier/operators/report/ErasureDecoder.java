package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.schemas.GradientReports;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * Decodes a record of the erasures topic: its key is the user_id of the account to be erased, and
 * it has no value.
 */
public final class ErasureDecoder {
  private ErasureDecoder() {}

  /**
   * Decodes one record.
   *
   * @param key the record's key; may be null
   * @param value the record's value; may be null
   */
  public static Received decode(byte[] key, byte[] value, Source source) {
    if (key == null) {
      return malformed("the record's key is missing: it must be the user_id to be erased");
    }
    if (value != null && value.length > 0) {
      return malformed("the value has " + value.length + " bytes: an erasure must have no value");
    }
    String userId;
    try {
      userId = UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
    } catch (CharacterCodingException e) {
      return malformed("the record's key is not UTF-8: it must be the user_id to be erased");
    }
    return GradientReports.isUserId(userId)
        ? new Received.Erasure(userId, source)
        : malformed(
            "the record's key must be the user_id to be erased, of 1 to %d bytes"
                .formatted(GradientReports.MAX_ID_BYTES));
  }

  /** Readers of dead letters must not learn who asked for an erasure. */
  private static Received malformed(String reason) {
    return new Received.Malformed(reason, true);
  }
}
