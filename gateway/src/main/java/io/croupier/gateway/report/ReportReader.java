package io.croupier.gateway.report;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.GradientReport;
import java.nio.ByteBuffer;

/**
 * Reads a report in Protobuf or its JSON mapping. Time and memory are proportional to the number of
 * bytes. No message quotes a value.
 */
final class ReportReader {
  private static final Parser<GradientReport> PROTOBUF =
      DiscardUnknownFieldsParser.wrap(GradientReport.parser());

  private ReportReader() {}

  /**
   * Reads Protobuf.
   *
   * @throws ProblemException if the bytes aren't a report
   */
  static GradientReport protobuf(byte[] body) {
    try {
      return PROTOBUF.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw malformed("the body is not a GradientReport in Protobuf's encoding");
    }
  }

  /**
   * Reads the JSON mapping.
   *
   * @throws ProblemException if the bytes aren't a report
   */
  static GradientReport json(byte[] body) {
    GradientReport.Builder report = GradientReport.newBuilder();
    try {
      StrictJson.merge(StrictJson.text(ByteBuffer.wrap(body)), report);
    } catch (InvalidJsonException e) {
      throw malformed(e.getMessage());
    }
    return report.build();
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(ProblemType.MALFORMED, detail);
  }
}
