package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Signs tokens for anonymous reports: authenticates the sender, sends the request to the ledger,
 * and signs once a committed record states that the sender is charged for it.
 */
final class TokensEndpoint {
  private final Senders senders;
  private final RequestBodies bodies;
  private final AnonymousParts parts;
  private final RateLimits users;
  private final GrantedTokens granted;
  private final Executor executor;

  TokensEndpoint(
      Senders senders,
      RequestBodies bodies,
      AnonymousParts parts,
      RateLimits users,
      Duration longestWait,
      Executor executor,
      Drain drain) {
    this.senders = senders;
    this.bodies = bodies;
    this.parts = parts;
    this.users = users;
    AnonymousParts.TokenParts tokens = parts.tokens();
    granted =
        new GrantedTokens(
            tokens.check(),
            new JobRequests<>(
                tokens.grants(), tokens.store(), tokens.topic(), longestWait, executor, drain));
    this.executor = executor;
  }

  void handle(Exchange exchange) {
    if (RequestBodies.format(exchange) != RequestBodies.Format.JSON) {
      throw new ProblemException(
          ProblemType.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json");
    }
    bodies.requireLength(exchange);
    String userId = senders.authenticateReporter(exchange);
    users.require(userId);
    if (!parts.caughtUp().getAsBoolean()) {
      throw JobRequests.unavailable("the gateway has not read all specs yet");
    }
    // The wait is longer than an idle connection may be.
    exchange.request().addIdleTimeoutListener(timeout -> false);
    CompletableFuture<ByteString> unused =
        bodies
            .read(exchange, userId)
            .thenCompose(body -> granted.sign(body, userId))
            .whenCompleteAsync(
                (signature, failure) -> {
                  if (failure == null) {
                    exchange.answer(HttpStatus.OK_200, Exchange.JSON, json(signature));
                  } else {
                    exchange.fail(failure);
                  }
                },
                executor);
  }

  private static byte[] json(ByteString signature) {
    JsonObject json = new JsonObject();
    json.addProperty("blindSignature", Base64.getEncoder().encodeToString(signature.toByteArray()));
    return json.toString().getBytes(UTF_8);
  }
}
