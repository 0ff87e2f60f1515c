package io.croupier.gateway.http;

import com.google.protobuf.ByteString;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.schemas.Account;
import java.util.function.BooleanSupplier;

/**
 * What a gateway needs to show people their accounts.
 *
 * @param answers the ledger's answers
 * @param store writes to Kafka
 * @param topic of the requests
 * @param followed whether answers are followed
 */
public record AccountParts(
    Answers<Request, Account> answers, ReportStore store, String topic, BooleanSupplier followed) {

  /**
   * A request. An answer about another user is none, whatever its tag.
   *
   * @param userId in UTF-8
   */
  public record Request(ByteString userId, ByteString tag) {
    /** Contains no person. */
    @Override
    public String toString() {
      return "AccountParts.Request";
    }
  }

  /** The answers of a gateway, without any request yet. */
  public static Answers<Request, Account> noAnswers() {
    return new Answers<>(
        Account::parseFrom,
        (key, account) -> new Request(ByteString.copyFrom(key), account.getTag()));
  }
}
