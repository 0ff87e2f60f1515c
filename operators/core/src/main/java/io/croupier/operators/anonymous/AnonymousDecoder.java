package io.croupier.operators.anonymous;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Questions;

/** Reads the records of anonymous reports. No bytes make it throw. */
public final class AnonymousDecoder {
  private AnonymousDecoder() {}

  /**
   * Reads a record.
   *
   * @param key the nonce of the report's token
   * @return null if the record is no well-formed report
   */
  public static TokenedReport decode(byte[] key, byte[] value) {
    if (key == null || value == null) {
      return null;
    }
    try {
      TokenedReport tokened = read(AnonymousReport.parseFrom(value));
      return tokened != null && tokened.token().hasNonce(key) ? tokened : null;
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  /** Reads a report; null if it isn't well-formed. */
  public static TokenedReport read(AnonymousReport message) {
    WindowToken token = WindowToken.read(message.getToken().toByteArray());
    if (token == null
        || !message.hasRound()
        || message.getRound() < 0
        || !GradientReports.isModelId(message.getModelId())) {
      return null;
    }
    Report report = new Report();
    report.modelId = message.getModelId();
    report.round = message.getRound();
    boolean isRead =
        switch (message.getGradientCase()) {
          case CANDIDATE -> readCandidate(message, report);
          case ANSWER -> readAnswer(message, report);
          case GRADIENT_NOT_SET -> false;
        };
    return isRead ? new TokenedReport(report, token) : null;
  }

  private static boolean readCandidate(AnonymousReport message, Report report) {
    Candidate candidate = message.getCandidate();
    if (!message.hasPrivUnit()
        || candidate.getDimension() < 1
        || !candidate.hasSeed()
        || !candidate.hasIndex()
        || !GradientReports.isIndex(candidate, message.getPrivUnit())) {
      return false;
    }
    report.form = VectorForm.CANDIDATE;
    report.dimension = candidate.getDimension();
    report.candidateSeed = candidate.getSeed();
    report.candidateIndex = candidate.getIndex();
    return declare(message.getPrivUnit(), report);
  }

  private static boolean readAnswer(AnonymousReport message, Report report) {
    report.form = VectorForm.ANSWER;
    report.question = message.getAnswer().getQuestion();
    report.bit = message.getAnswer().getBit();
    return message.hasRandomisedResponse()
        && message.getAnswer().hasBit()
        && Questions.isName(report.question)
        && declare(message.getRandomisedResponse(), report);
  }

  private static boolean declare(Message declared, Report report) {
    try {
      Declaration.declare(Declarations.of(declared, report.dimension), report);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
