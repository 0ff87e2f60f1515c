package io.croupier.operators.report;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.DeclarationCase;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.view.GradientReportView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * Turns the bytes of a record into a {@link Report}, or says why they hold none. Its verdict is
 * that of {@link GradientReports#violations}, and on top of it:
 *
 * <ol>
 *   <li>the Kafka key is the user_id;
 *   <li>a raw gradient comes on the topic for raw gradients only, and nothing else comes there.
 * </ol>
 *
 * <p>Vectors are read as runs of bytes, O(d) with nothing allocated per coordinate. What doesn't
 * read well that way is parsed value by value: either it is an encoding that Protobuf allows and
 * our own clients don't write, or the reason is found. No bytes make it throw, and it allocates in
 * proportion to the bytes that it is given, whatever lengths they claim. Not safe for use by
 * several threads.
 *
 * <p>A record of the public topic that declares nothing may be a raw gradient: one of another
 * program, or one that was cut off before its declaration. Such a record is withheld as a raw one
 * is ({@link Decoded.Malformed#withheld}).
 */
public final class ReportDecoder {
  private static final Parser<GradientReport> KNOWN_FIELDS =
      DiscardUnknownFieldsParser.wrap(GradientReport.parser());

  private final String rawTopic;
  private final MessageDigest sha256;

  /**
   * Makes a decoder.
   *
   * @param rawTopic name of the topic for raw gradients
   */
  public ReportDecoder(String rawTopic) {
    this.rawTopic = rawTopic;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Decodes one record.
   *
   * @param key the record's key; may be null
   * @param value the record's value; may be null; not kept
   */
  public Decoded decode(byte[] key, byte[] value, String topic, int partition, long offset) {
    if (value == null) {
      return malformed("value is missing: it must be a GradientReport");
    }
    boolean raw = topic.equals(rawTopic);
    Report report;
    try {
      GradientReportView view = parse(value);
      if (view.hasCentral() && !raw) {
        return rawGradientInPublic();
      }
      report = ViewReader.read(view);
      if (report == null) {
        GradientReport message = KNOWN_FIELDS.parseFrom(value);
        List<String> violations = GradientReports.violations(message);
        if (!violations.isEmpty()) {
          boolean declared = message.getDeclarationCase() != DeclarationCase.DECLARATION_NOT_SET;
          return new Decoded.Malformed(String.join("; ", violations), !raw && !declared);
        }
        // Protobuf writes the vectors packed, as our own clients do.
        report = ViewReader.read(parse(message.toByteArray()));
      }
    } catch (InvalidProtocolBufferException e) {
      // What was read before the bytes went wrong may already have said that they are raw.
      return !raw
              && e.getUnfinishedMessage() instanceof GradientReportView part
              && part.hasCentral()
          ? rawGradientInPublic()
          : new Decoded.Malformed("value is not a GradientReport in Protobuf's encoding", !raw);
    }
    if (raw && report.declaration != Declaration.CENTRAL) {
      return malformed(
          "declaration is "
              + report.declaration
              + ": on the topic for raw gradients it must be central");
    }
    if (!Arrays.equals(key, report.userId.getBytes(StandardCharsets.UTF_8))) {
      return malformed("the record's key must be the report's user_id");
    }
    digest(value, report);
    report.topic = topic;
    report.partition = partition;
    report.offset = offset;
    return new Decoded.WellFormed(report);
  }

  private static GradientReportView parse(byte[] value) throws InvalidProtocolBufferException {
    // Aliasing needs a stream over bytes that nobody changes; nobody does while we read them.
    CodedInputStream in = UnsafeByteOperations.unsafeWrap(value).newCodedInput();
    in.enableAliasing(true);
    try {
      GradientReportView view = GradientReportView.parseFrom(in);
      in.checkLastTagWas(0);
      return view;
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new IllegalStateException("a stream over an array reads nothing else", e);
    }
  }

  private static Decoded rawGradientInPublic() {
    return new Decoded.Malformed(
        "declaration is central: a raw gradient must come on the topic for raw gradients", true);
  }

  private static Decoded malformed(String reason) {
    return new Decoded.Malformed(reason, false);
  }

  private void digest(byte[] value, Report report) {
    byte[] hash = sha256.digest(value);
    report.digestHigh = VectorBytes.longAt(hash, 0);
    report.digestLow = VectorBytes.longAt(hash, 1);
  }
}
