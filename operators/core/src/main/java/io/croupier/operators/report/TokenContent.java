package io.croupier.operators.report;

import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Token;

/**
 * A request for the token of an anonymous report.
 *
 * @param tag identifies the request
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
public record TokenContent(byte[] tag) implements Content {

  /** Returns null unless the message is well-formed. */
  static TokenContent read(Token token) {
    return token.getTag().size() == GradientReports.TAG_BYTES
        ? new TokenContent(token.getTag().toByteArray())
        : null;
  }

  @Override
  public String objection(ReportTerms terms) {
    return terms.spec().hasAnonymous()
        ? ""
        : "gradient is a token: the model takes no anonymous reports";
  }

  /** Without the tag. */
  @Override
  public String toString() {
    return "TokenContent";
  }
}
