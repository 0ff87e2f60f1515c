package io.croupier.operators.anonymous;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.report.AnswerContent;
import io.croupier.operators.report.CandidateContent;
import io.croupier.operators.report.Content;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;

/** Reads the records of anonymous reports. No bytes make it throw. */
public final class AnonymousDecoder {
  private AnonymousDecoder() {}

  /**
   * Reads a record.
   *
   * @param key the nonce of the report's token
   * @param appendedAtMs when the broker appended it
   * @return null if the record is no well-formed report
   */
  public static TokenedReport decode(byte[] key, byte[] value, long appendedAtMs) {
    if (key == null || value == null) {
      return null;
    }
    try {
      TokenedReport tokened = read(AnonymousReport.parseFrom(value), appendedAtMs);
      return tokened != null && tokened.token().hasNonce(key) ? tokened : null;
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  /** Reads a report; null if it isn't well-formed. */
  public static TokenedReport read(AnonymousReport message, long appendedAtMs) {
    WindowToken token = WindowToken.read(message.getToken().toByteArray());
    if (token == null
        || !message.hasRound()
        || message.getRound() < 0
        || !GradientReports.isModelId(message.getModelId())) {
      return null;
    }
    Header header = Header.anonymous(message.getModelId(), message.getRound());
    Content content = content(message);
    Mechanism mechanism = content == null ? null : mechanism(message);
    return mechanism == null
        ? null
        : new TokenedReport(
            new Report(header, mechanism, content, 0, Source.unknown(appendedAtMs)), token);
  }

  private static Content content(AnonymousReport message) {
    return switch (message.getGradientCase()) {
      case CANDIDATE ->
          message.hasPrivUnit()
              ? CandidateContent.read(message.getCandidate(), message.getPrivUnit())
              : null;
      case ANSWER ->
          message.hasRandomisedResponse() ? AnswerContent.read(message.getAnswer()) : null;
      case GRADIENT_NOT_SET -> null;
    };
  }

  private static Mechanism mechanism(AnonymousReport message) {
    try {
      return Declarations.of(
          message.hasPrivUnit() ? message.getPrivUnit() : message.getRandomisedResponse(), 0);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
