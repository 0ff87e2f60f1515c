package io.croupier.gateway.anonymous;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.operators.anonymous.AnonymousDecoder;
import io.croupier.operators.anonymous.TokenedReport;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelSpecs;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Checks an anonymous report as the job will, but for whether its token was spent. Safe for use by
 * several threads.
 *
 * @param issuers whose keys alone sign tokens: another key on the topic may be of anybody who can
 *     write to it
 */
public record AnonymousCheck(Specs specs, Updates updates, WindowIssuers issuers) {
  /** Bytes of every report in Protobuf. */
  public static final int PROTOBUF_BYTES = 1024;

  /** Bytes of every report in JSON. */
  public static final int JSON_BYTES = 2048;

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Parser<AnonymousReport> PROTOBUF =
      DiscardUnknownFieldsParser.wrap(AnonymousReport.parser());

  /**
   * A report that may be stored.
   *
   * @param nonce of its token, the key of its record
   * @param value of its record
   */
  public record CheckedSpend(ByteString nonce, ByteString value) {}

  /** Reads and checks a report in Protobuf. */
  public CheckedSpend protobuf(byte[] body) {
    requireLength(body.length, PROTOBUF_BYTES);
    try {
      return check(PROTOBUF.parseFrom(body));
    } catch (InvalidProtocolBufferException e) {
      throw new ProblemException(
          ProblemType.MALFORMED, "the body is not an AnonymousReport in Protobuf's encoding");
    }
  }

  /** Reads and checks a report in Protobuf's JSON mapping. */
  public CheckedSpend json(byte[] body) {
    requireLength(body.length, JSON_BYTES);
    AnonymousReport.Builder report = AnonymousReport.newBuilder();
    try {
      StrictJson.merge(StrictJson.text(ByteBuffer.wrap(body)), report);
    } catch (InvalidJsonException e) {
      throw new ProblemException(ProblemType.MALFORMED, e.getMessage());
    }
    return check(report.build());
  }

  /**
   * Checks the length of a body, before or after it is read.
   *
   * @param bytes as the header or the body has them; negative if the header doesn't state them
   * @param right for the body's format
   * @throws ProblemException if they differ
   */
  public static void requireLength(long bytes, int right) {
    if (bytes != right) {
      throw new ProblemException(
          ProblemType.MALFORMED,
          bytes < 0
              ? "Content-Length is absent; it must be %d, as for all anonymous reports"
                  .formatted(right)
              : "the body has %d bytes; all anonymous reports must have %d, by padding"
                  .formatted(bytes, right));
    }
  }

  private CheckedSpend check(AnonymousReport sent) {
    TokenedReport tokened = AnonymousDecoder.read(sent, 0);
    if (tokened == null) {
      throw new ProblemException(
          ProblemType.MALFORMED,
          "the report must have a model_id, a round, a token of 386 bytes, and a candidate with"
              + " priv_unit or an answer with randomised_response");
    }
    Report report = tokened.report();
    Header header = report.header();
    Specs.Judge judge =
        specs
            .judge(header.modelId())
            .filter(of -> of.spec().hasAnonymous())
            .orElseThrow(
                () ->
                    field(
                        ProblemType.NOT_FOUND,
                        "model_id must name a model that is published and takes anonymous reports",
                        "model_id"));
    int level = judge.levels().indexOf(report.mechanism());
    if (level < 0) {
      throw field(
          ProblemType.REFUSED,
          "declaration must be one of the model's anonymous levels, with all of its parameters",
          "declaration");
    }
    String refusal = judge.refusalOfAnonymous(report);
    if (!refusal.isEmpty()) {
      throw field(ProblemType.REFUSED, refusal, "gradient");
    }
    requireRound(header, judge);
    long window = AnonymousWindows.window(judge.spec(), header.round());
    byte[] modulus =
        issuers
            .issuer(header.modelId(), window, judge.levels().get(level))
            .orElseThrow(() -> conflict("the window of the round has no key of this gateway", true))
            .key()
            .modulus()
            .toByteArray();
    if (!judge.isSigned(tokened, modulus)) {
      throw field(
          ProblemType.FORBIDDEN,
          "token must be signed for the report's model and declaration, and the window of its"
              + " round",
          "token");
    }
    return new CheckedSpend(
        ByteString.copyFrom(tokened.token().nonce()),
        sent.toBuilder().clearPadding().build().toByteString());
  }

  /** The learner drops a report whose round it can't use. */
  private void requireRound(Header header, Specs.Judge judge) {
    ServedModel newest = updates.newest(header.modelId()).orElse(null);
    if (newest == null || header.round() > newest.round()) {
      throw conflict("round must be a published one", true);
    }
    if (newest.newerThan(header.round()) > ModelSpecs.maxStaleness(judge.spec())) {
      throw conflict("round is too old, by max_staleness", false);
    }
  }

  private static ProblemException field(ProblemType type, String detail, String name) {
    return new ProblemException(ProblemDocument.ofField(type, name, detail));
  }

  private static ProblemException conflict(String detail, boolean soon) {
    ProblemDocument problem = ProblemDocument.ofField(ProblemType.CONFLICT, "round", detail);
    return new ProblemException(soon ? problem.retryAfter(SOON) : problem);
  }
}
