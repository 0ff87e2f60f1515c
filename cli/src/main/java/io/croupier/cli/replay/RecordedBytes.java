package io.croupier.cli.replay;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.RecordedReport;
import java.io.IOException;

/**
 * The fields of a {@link RecordedReport} or {@link GradientReport} that are needed before it is
 * decoded. Field 3 distinguishes the two: it is the offset, a varint, or the user_id, a string. If
 * a field occurs twice, the last one counts, as in Protobuf.
 */
final class RecordedBytes {
  private static final int TOPIC = string(RecordedReport.TOPIC_FIELD_NUMBER);
  private static final int PARTITION = varint(RecordedReport.PARTITION_FIELD_NUMBER);
  private static final int OFFSET = varint(RecordedReport.OFFSET_FIELD_NUMBER);
  private static final int REPORT = string(RecordedReport.REPORT_FIELD_NUMBER);
  private static final int USER_ID = string(GradientReport.USER_ID_FIELD_NUMBER);

  /** Whether the message is a recorded report. */
  boolean isRecorded;

  /** The position of a recorded report; empty or negative if missing. */
  ByteString topic = ByteString.EMPTY;

  int partition = -1;
  long offset = -1;

  /** The inner report of a recorded report. */
  ByteString report = ByteString.EMPTY;

  /** The user of a report. */
  ByteString userId = ByteString.EMPTY;

  /** Whether the bytes are not a message; the other fields may then be incomplete. */
  boolean isBroken;

  private RecordedBytes() {}

  /** Parses {@code bytes}, up to the first error. */
  static RecordedBytes of(ByteString bytes) {
    RecordedBytes parts = new RecordedBytes();
    CodedInputStream in = bytes.newCodedInput();
    in.enableAliasing(true);
    try {
      parts.read(in);
    } catch (InvalidProtocolBufferException e) {
      parts.isBroken = true;
    } catch (IOException e) {
      throw new IllegalStateException("a stream over an array fails only on invalid messages", e);
    }
    return parts;
  }

  private void read(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == TOPIC) {
        topic = in.readBytes();
      } else if (tag == PARTITION) {
        partition = in.readInt32();
      } else if (tag == OFFSET) {
        isRecorded = true;
        offset = in.readInt64();
      } else if (tag == REPORT) {
        report = in.readBytes();
      } else if (tag == USER_ID) {
        userId = in.readBytes();
      } else {
        in.skipField(tag);
      }
    }
  }

  private static int string(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  private static int varint(int field) {
    return field << 3 | WireFormat.WIRETYPE_VARINT;
  }
}
