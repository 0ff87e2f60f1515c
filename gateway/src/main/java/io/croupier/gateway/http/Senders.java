package io.croupier.gateway.http;

import io.croupier.gateway.identity.InvalidTokenException;
import io.croupier.gateway.identity.KeysUnavailableException;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import org.eclipse.jetty.http.HttpHeader;

/** Who sends a request. Safe for use by several threads. */
final class Senders {
  private static final String SCHEME = "bearer ";

  /** A token is a header, which is limited anyway; this is below the limit on all headers. */
  private static final int LONGEST_TOKEN = 6000;

  private final TokenVerifier tokens;
  private final Pepper pepper;

  /**
   * Recognises senders.
   *
   * @param tokens verifies identities
   * @param pepper computes user ids
   */
  Senders(TokenVerifier tokens, Pepper pepper) {
    this.tokens = tokens;
    this.pepper = pepper;
  }

  /** The sender's user id. */
  String authenticate(Exchange exchange) {
    String header = exchange.header(HttpHeader.AUTHORIZATION);
    if (header == null
        || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        || header.length() > LONGEST_TOKEN) {
      throw new ProblemException(
          ProblemType.UNAUTHENTICATED,
          "Authorization must be 'Bearer', a blank and a token of at most %d characters"
              .formatted(LONGEST_TOKEN));
    }
    try {
      TokenVerifier.Identity identity = tokens.verify(header.substring(SCHEME.length()).strip());
      return pepper.userId(identity.issuer(), identity.subject());
    } catch (InvalidTokenException e) {
      throw new ProblemException(
          e.isInsufficient() ? ProblemType.FORBIDDEN : ProblemType.UNAUTHENTICATED, e.getMessage());
    } catch (KeysUnavailableException e) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, e.getMessage()).retryAfter(e.retryAfter()));
    }
  }
}
