package io.croupier.gateway.http;

import com.google.protobuf.ByteString;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.anonymous.TokenCheck.CheckedRequest;
import io.croupier.schemas.Grant;
import java.util.concurrent.CompletableFuture;

/**
 * Signs what is blinded once a committed record states that the sender is charged for it.
 *
 * @param check reads requests
 * @param requests asks the job's ledger
 */
record GrantedTokens(TokenCheck check, JobRequests<ByteString, Grant> requests) {
  /**
   * The signature, once the sender is charged.
   *
   * @param body of the request
   * @return fails with a {@link io.croupier.gateway.problem.ProblemException}
   * @throws io.croupier.gateway.problem.ProblemException if no token can follow from it
   */
  CompletableFuture<ByteString> sign(byte[] body, String userId) {
    CheckedRequest request = check.check(body, userId);
    return requests
        .ask(
            request.tag(),
            userId,
            request.record().toByteArray(),
            "the charge isn't committed yet; send the same request again")
        .thenApply(
            grant -> {
              if (!grant.getGranted()) {
                throw TokenCheck.refused(grant.getOutcome(), grant.getReason());
              }
              return request.issuer().sign(request.blinded());
            });
  }
}
