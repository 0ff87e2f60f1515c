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
   * Decodes one record. The report that it returns has a user and a tag.
   *
   * @param key the record's key; may be null
   * @param value the record's value; may be null
   */
  public static Decoded decode(byte[] key, byte[] value, int partition, long offset) {
    Report request = new Report();
    request.userId = key == null ? "" : new String(key, UTF_8);
    if (!GradientReports.isUserId(request.userId)) {
      return malformed(
          "the record's key must be the user_id of the account, of 1 to %d bytes"
              .formatted(GradientReports.MAX_ID_BYTES));
    }
    try {
      request.tag =
          AccountRequest.parseFrom(value == null ? new byte[0] : value).getTag().toByteArray();
    } catch (InvalidProtocolBufferException e) {
      return malformed("value is not an AccountRequest in Protobuf's encoding");
    }
    if (request.tag.length != AccountRequests.TAG_BYTES) {
      return malformed("tag must be %d bytes".formatted(AccountRequests.TAG_BYTES));
    }
    request.accountRequest = true;
    request.partition = partition;
    request.offset = offset;
    return new Decoded.WellFormed(request);
  }

  /** Readers of dead letters must not learn who asked. */
  private static Decoded malformed(String reason) {
    return new Decoded.Malformed(reason, true);
  }
}
