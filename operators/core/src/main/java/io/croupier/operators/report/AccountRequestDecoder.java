package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AccountRequests;
import io.croupier.schemas.GradientReports;

/** Decodes a record of the topic of requests for accounts: its key is the user_id. */
public final class AccountRequestDecoder {
  private AccountRequestDecoder() {}

  /**
   * Decodes one record.
   *
   * @param key the record's key; may be null
   * @param value the record's value; may be null
   */
  public static Received decode(byte[] key, byte[] value, Source source) {
    if (!GradientReports.isUserId(key == null ? "" : new String(key, UTF_8))) {
      return malformed(
          "the record's key must be the user_id of the account, of 1 to %d bytes"
              .formatted(GradientReports.MAX_ID_BYTES));
    }
    byte[] tag;
    try {
      tag = AccountRequest.parseFrom(value == null ? new byte[0] : value).getTag().toByteArray();
    } catch (InvalidProtocolBufferException e) {
      return malformed("value is not an AccountRequest in Protobuf's encoding");
    }
    return tag.length == AccountRequests.TAG_BYTES
        ? new Received.AccountQuery(tag, source)
        : malformed("tag must be %d bytes".formatted(AccountRequests.TAG_BYTES));
  }

  /** Readers of dead letters must not learn who asked. */
  private static Received malformed(String reason) {
    return new Received.Malformed(reason, true);
  }
}
