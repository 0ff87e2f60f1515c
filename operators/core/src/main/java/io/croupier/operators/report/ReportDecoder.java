package io.croupier.operators.report;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.DeclarationCase;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Violation;
import io.croupier.schemas.view.GradientReportView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Decodes the bytes of a record into a {@link Report}, or returns the reason why that fails. It
 * checks {@link GradientReports#violations}, and additionally:
 *
 * <ol>
 *   <li>the Kafka key is the user_id;
 *   <li>a raw gradient comes on the topic for raw gradients only, and nothing else comes there.
 * </ol>
 *
 * <p>Vectors are read as runs of bytes, O(d) with nothing allocated per coordinate, and the reports
 * that nearly all clients send without Protobuf's classes ({@link OrdinaryReader}). Other records
 * are parsed value by value: either the encoding is one that Protobuf allows and our own clients
 * don't write, or the parse finds the reason. No bytes make the decoder throw, and it allocates in
 * proportion to the bytes that it receives, whatever lengths they claim. Not safe for use by
 * several threads.
 *
 * <p>A record of the public topic without a declaration may be a raw gradient: from another
 * program, or truncated before its declaration. Such a record is withheld like a raw one ({@link
 * Received.Malformed#withheld}), and the reason names the missing declaration alone.
 */
public final class ReportDecoder {
  private static final Parser<GradientReport> KNOWN_FIELDS =
      DiscardUnknownFieldsParser.wrap(GradientReport.parser());

  /**
   * The other violations follow from values that may be raw, so the reason doesn't contain them.
   */
  private static final Received UNDECLARED_IN_PUBLIC =
      new Received.Malformed(
          List.of(
              new Violation(
                  "declaration",
                  "declaration is missing or unknown: it must be one of "
                      + Declarations.onDevices()
                          .map(FieldDescriptor::getName)
                          .collect(Collectors.joining(", ")))),
          true);

  private final OrdinaryReader.Repeated repeated = new OrdinaryReader.Repeated();
  private final ReportDigest digest;

  /** Creates a decoder whose digests have no key, for readers that use no digests of the job. */
  public ReportDecoder() {
    this(DigestKey.NONE);
  }

  /** Creates a decoder for a ledger whose digests have this key. */
  public ReportDecoder(DigestKey key) {
    digest = key.digest();
  }

  /**
   * Decodes one record.
   *
   * @param key the record's key; may be null
   * @param value the record's value; may be null; not kept
   * @param isRaw whether it comes from the topic for raw gradients
   */
  public Received decode(byte[] key, byte[] value, boolean isRaw, Source source) {
    if (value == null) {
      return malformed("value is missing: it must be a GradientReport");
    }
    long bits = digest.of(value);
    Received received = new OrdinaryReader(value, repeated).read(bits, source);
    if (received == null) {
      received = readAny(value, isRaw, bits, source);
    }
    if (!(received instanceof Report report)) {
      return received;
    }
    if (isRaw && !(report.mechanism() instanceof CentralNoise)) {
      return malformed(
          "declaration is "
              + report.mechanism().name().toUpperCase(Locale.ROOT)
              + ": on the topic for raw gradients it must be central");
    }
    if (key == null || !isUtf8Of(report.header().userId(), key)) {
      return malformed("the record's key must be the report's user_id");
    }
    return report;
  }

  /** Returns whether bytes are those of a text, without a copy of it where it is ASCII. */
  private static boolean isUtf8Of(String text, byte[] bytes) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
      }
      if (i >= bytes.length || bytes[i] != c) {
        return false;
      }
    }
    return length == bytes.length;
  }

  /** Reads a report of any form, whatever its key. */
  private static Received readAny(byte[] value, boolean raw, long digest, Source source) {
    try {
      GradientReportView view = parse(value);
      if (view.hasCentral() && !raw) {
        return rawGradientInPublic();
      }
      Report report = ViewReader.read(view, digest, source);
      if (report == null) {
        GradientReport message = KNOWN_FIELDS.parseFrom(value);
        List<Violation> violations = GradientReports.violations(message);
        if (!violations.isEmpty()) {
          return !raw && message.getDeclarationCase() == DeclarationCase.DECLARATION_NOT_SET
              ? UNDECLARED_IN_PUBLIC
              : new Received.Malformed(violations, false);
        }
        // Protobuf writes the vectors packed, as our own clients do.
        report = ViewReader.read(parse(message.toByteArray()), digest, source);
      }
      return report;
    } catch (InvalidProtocolBufferException e) {
      // The fields read before the error may already declare a raw gradient.
      return !raw
              && e.getUnfinishedMessage() instanceof GradientReportView part
              && part.hasCentral()
          ? rawGradientInPublic()
          : new Received.Malformed("value is not a GradientReport in Protobuf's encoding", !raw);
    }
  }

  private static GradientReportView parse(byte[] value) throws InvalidProtocolBufferException {
    // Aliasing requires that the bytes don't change, and no code changes them during the read.
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

  private static Received rawGradientInPublic() {
    return new Received.Malformed(
        "declaration is central: a raw gradient must come on the topic for raw gradients", true);
  }

  private static Received malformed(String reason) {
    return new Received.Malformed(reason, false);
  }
}
