package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.GradientReports;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes a record of the erasures topic: its key is the user_id of the account to be erased. A
 * value names the events to be deleted.
 */
public final class ErasureDecoder {
  private static final String NO_ERASURE =
      "the value must be empty, or an Erasure with keys of accounting events";

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
    String userId;
    try {
      userId = UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
    } catch (CharacterCodingException e) {
      return malformed("the record's key is not UTF-8: it must be the user_id to be erased");
    }
    if (!GradientReports.isUserId(userId)) {
      return malformed(
          "the record's key must be the user_id to be erased, of 1 to %d bytes"
              .formatted(GradientReports.MAX_ID_BYTES));
    }
    return value == null || value.length == 0
        ? new Received.Erasure(userId, source)
        : deletion(userId, value, source);
  }

  private static Received deletion(String userId, byte[] value, Source source) {
    try {
      Erasure erasure = Erasure.parseFrom(value);
      if (!erasure.getUnknownFields().asMap().isEmpty()) {
        return malformed(NO_ERASURE);
      }
      List<byte[]> keys = new ArrayList<>();
      for (ByteString key : erasure.getEventKeysList()) {
        if (!AccountingKey.parse(key.toByteArray()).userId().equals(userId)) {
          return malformed("a key of event_keys is another user's: all must be the erased one's");
        }
        if (AccountingKey.isOfErasure(key.toByteArray())) {
          return malformed("a key of event_keys is that of an erasure: all must be of reports");
        }
        keys.add(key.toByteArray());
      }
      return new Received.Erasure(userId, keys, erasure.getTotals(), source);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return malformed(NO_ERASURE);
    }
  }

  /** Readers of dead letters must not learn who asked for an erasure. */
  private static Received malformed(String reason) {
    return new Received.Malformed(reason, true);
  }
}
