package io.croupier.gateway.http;

import io.croupier.gateway.identity.InvalidTokenException;
import io.croupier.gateway.identity.KeysUnavailableException;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.operators.ledger.StoppedUsers;
import io.croupier.schemas.AccountingEvent.Outcome;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Who sends a request. Safe for use by several threads.
 *
 * @param tokens verifies identities
 * @param pepper computes user ids
 * @param stopped users from whom nothing is taken
 */
record Senders(TokenVerifier tokens, Pepper pepper, StoppedUsers stopped) {
  private static final String SCHEME = "bearer ";

  /** A token is a header, which is limited anyway; this is below the limit on all headers. */
  private static final int LONGEST_TOKEN = 6000;

  private static final String FORM =
      "Authorization must be 'Bearer', a blank and a token of at most %d characters"
          .formatted(LONGEST_TOKEN);

  // RFC 6750, section 3.1: no error code if the request has no bearer token.
  private static final String CHALLENGE = "Bearer";
  private static final String INVALID = "Bearer error=\"invalid_token\"";
  private static final String INSUFFICIENT = "Bearer error=\"insufficient_scope\"";

  /** The sender's user id, if the sender isn't stopped. */
  String authenticateReporter(Exchange exchange) {
    String userId = authenticate(exchange);
    if (stopped.contains(userId)) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.STOPPED, StoppedUsers.REASON)
              .outcome(Outcome.REFUSED_STOPPED.name()));
    }
    return userId;
  }

  /** The sender's user id. */
  String authenticate(Exchange exchange) {
    String header = exchange.header(HttpHeader.AUTHORIZATION);
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw challenge(exchange, ProblemType.UNAUTHENTICATED, CHALLENGE, FORM);
    }
    if (header.length() > LONGEST_TOKEN) {
      throw challenge(exchange, ProblemType.UNAUTHENTICATED, INVALID, FORM);
    }
    try {
      TokenVerifier.Identity identity = tokens.verify(header.substring(SCHEME.length()).strip());
      return pepper.userId(identity.issuer(), identity.subject());
    } catch (InvalidTokenException e) {
      throw e.isInsufficient()
          ? challenge(exchange, ProblemType.FORBIDDEN, INSUFFICIENT, e.getMessage())
          : challenge(exchange, ProblemType.UNAUTHENTICATED, INVALID, e.getMessage());
    } catch (KeysUnavailableException e) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, e.getMessage()).retryAfter(e.retryAfter()));
    }
  }

  private static ProblemException challenge(
      Exchange exchange, ProblemType type, String challenge, String detail) {
    exchange.header(HttpHeader.WWW_AUTHENTICATE, challenge);
    return new ProblemException(type, detail);
  }
}
