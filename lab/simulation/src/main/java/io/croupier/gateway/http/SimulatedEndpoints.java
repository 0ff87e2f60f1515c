package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.Grant;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a gateway's endpoints of accounts and tokens do for a sender, without a server. */
public final class SimulatedEndpoints {
  /** No one waits in real time. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final Drain drain = new Drain();
  private final Answers<AccountParts.Request, Account> answers = AccountParts.noAnswers();
  private final Answers<ByteString, Grant> grants =
      new Answers<>(Grant::parseFrom, (key, grant) -> grant.getTag());
  private final JobRequests<AccountParts.Request, Account> accounts;
  private final GrantedTokens tokens;

  /**
   * Creates the endpoints.
   *
   * @param store where requests go
   */
  public SimulatedEndpoints(TokenCheck check, ReportStore store, Topics topics) {
    accounts =
        new JobRequests<>(
            answers, store, topics.accountRequests(), LONGEST_WAIT, Runnable::run, drain);
    tokens =
        new GrantedTokens(
            check,
            new JobRequests<>(
                grants, store, topics.gradients(), LONGEST_WAIT, Runnable::run, drain));
  }

  /** Takes a record of the topic of accounts. */
  public void answer(ConsumerRecord<byte[], byte[]> record) {
    answers.apply(record);
  }

  /** Takes a record of the topic of grants. */
  public void grant(ConsumerRecord<byte[], byte[]> record) {
    grants.apply(record);
  }

  /** Asks for a person's account. */
  public CompletableFuture<Account> account(String userId, ByteString tag) {
    return accounts.ask(
        new AccountParts.Request(ByteString.copyFrom(userId, UTF_8), tag),
        userId,
        AccountRequest.newBuilder().setTag(tag).build().toByteArray(),
        "the job hasn't answered yet");
  }

  /** Asks for the signature of a token. */
  public CompletableFuture<ByteString> token(byte[] body, String userId) {
    return tokens.sign(body, userId);
  }

  /** Ends all requests that wait. */
  public void end() {
    drain.begin();
  }
}
