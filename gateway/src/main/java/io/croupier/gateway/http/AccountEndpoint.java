package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AccountRequests;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Shows people their own accounts: authenticates the sender, and asks the job's ledger, which
 * answers with its next checkpoint. The gateway keeps no account.
 */
final class AccountEndpoint {
  /** How many requests of one user may wait at the same time. */
  private static final int WAITING_OF_USER = 4;

  private final Senders senders;
  private final RateLimits users;
  private final Places waiting;
  private final JobRequests<AccountParts.Request, Account> requests;
  private final BooleanSupplier followed;
  private final SecureRandom random = new SecureRandom();

  /**
   * Creates the endpoint.
   *
   * @param users limits of each user
   * @param mostWaiting how many requests may wait at the same time
   * @param followed whether answers are followed
   */
  AccountEndpoint(
      Senders senders,
      RateLimits users,
      int mostWaiting,
      JobRequests<AccountParts.Request, Account> requests,
      BooleanSupplier followed) {
    this.senders = senders;
    this.users = users;
    waiting = new Places(mostWaiting, WAITING_OF_USER);
    this.requests = requests;
    this.followed = followed;
  }

  void handle(Exchange exchange) {
    String userId = senders.authenticate(exchange);
    users.require(userId);
    boolean protobuf = ModelsEndpoint.prefersProtobuf(exchange.header(HttpHeader.ACCEPT));
    if (!followed.getAsBoolean()) {
      throw JobRequests.unavailable("the gateway can't read the job's answers now");
    }
    Places.Place place = waiting.take(userId);
    // The wait is longer than an idle connection may be.
    exchange.request().addIdleTimeoutListener(timeout -> false);
    byte[] tag = new byte[AccountRequests.TAG_BYTES];
    random.nextBytes(tag);
    AccountRequest request = AccountRequest.newBuilder().setTag(ByteString.copyFrom(tag)).build();
    CompletableFuture<Account> unused =
        requests
            .ask(
                new AccountParts.Request(ByteString.copyFromUtf8(userId), request.getTag()),
                userId,
                request.toByteArray(),
                "the job hasn't answered yet; ask again")
            .whenComplete(
                (account, failure) -> {
                  place.close();
                  if (failure == null) {
                    answer(exchange, account.toBuilder().clearTag().build(), protobuf);
                  } else {
                    exchange.fail(failure);
                  }
                });
  }

  private static void answer(Exchange exchange, Account account, boolean protobuf) {
    exchange.header(HttpHeader.CACHE_CONTROL, "no-store");
    if (protobuf) {
      exchange.answer(HttpStatus.OK_200, ModelsEndpoint.PROTOBUF, account.toByteArray());
    } else {
      exchange.answer(HttpStatus.OK_200, Exchange.JSON, json(account));
    }
  }

  private static byte[] json(Account account) {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(account).getBytes(UTF_8);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an account contains no message of any type", e);
    }
  }
}
