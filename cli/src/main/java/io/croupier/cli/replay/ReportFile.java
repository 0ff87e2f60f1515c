package io.croupier.cli.replay;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.croupier.cli.io.RecordFile;
import io.croupier.cli.io.RecordFile.Frame;
import io.croupier.cli.replay.ReportRecord.Candidate;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.RecordedReport;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The reports of a file, {@link GradientReport}s or {@link RecordedReport}s. The position of a
 * {@link GradientReport} is a topic with the name of the file, partition 0, and its line or record
 * number.
 */
final class ReportFile {
  private static final String RAW = "central";

  /** Strings that occur in every line with a gradient. */
  private static final List<String> GRADIENTS = List.of("dense", "grid", "sparse", "example");

  /**
   * Strings that occur in every line that declares the noise of such a gradient. {@code priv_unit}
   * comes with a candidate, so beside another gradient it doesn't show that noise was added.
   */
  private static final List<String> NOISES =
      Declarations.onDevices()
          .filter(field -> field.getNumber() != GradientReport.PRIV_UNIT_FIELD_NUMBER)
          .flatMap(field -> Stream.of(field.getName(), field.getJsonName()))
          .collect(Collectors.toUnmodifiableList());

  private final RecordFile file;
  private final String unrecordedTopic;
  private ByteString topicBytes = ByteString.EMPTY;
  private String topic = "";

  /** Reads from {@code file}, which the caller closes. */
  ReportFile(RecordFile file) {
    this.file = file;
    unrecordedTopic = Path.of(file.name()).getFileName().toString();
  }

  /** Returns the next record; null at the end. */
  ReportRecord next() {
    Frame frame = file.next();
    if (frame == null) {
      return null;
    }
    if (frame.isCutShort()) {
      return new Unreadable(
          frame.number(),
          frame.bytes(),
          "the record is truncated: the input ends before its stated" + " length",
          true);
    }
    return file.isJson() ? line(frame) : message(frame);
  }

  private ReportRecord message(Frame frame) {
    RecordedBytes outer = RecordedBytes.of(frame.bytes());
    if (!outer.isRecorded) {
      if (outer.userId.isEmpty() && mayBeRaw(outer.report)) {
        return new Unreadable(
            frame.number(),
            frame.bytes(),
            "the record has neither the user_id of a report nor the offset of a recorded report",
            true);
      }
      return unrecorded(frame, outer.userId, frame.bytes());
    }
    if (outer.isBroken) {
      return new Unreadable(
          frame.number(),
          frame.bytes(),
          "the record is not a Protobuf message of type RecordedReport",
          true);
    }
    if (!outer.topic.equals(topicBytes)) {
      topicBytes = outer.topic;
      topic = outer.topic.toStringUtf8();
    }
    return recorded(
        frame,
        topic,
        outer.partition,
        outer.offset,
        RecordedBytes.of(outer.report).userId,
        outer.report);
  }

  private ReportRecord line(Frame frame) {
    String text = frame.bytes().toStringUtf8();
    if (!frame.bytes().isValidUtf8()) {
      return new Unreadable(frame.number(), frame.bytes(), "the line is not UTF-8", mayBeRaw(text));
    }
    // The field's name occurs in no GradientReport, so most lines are parsed only once.
    boolean isRecorded = text.contains("\"report\"") && isRecorded(text);
    Message.Builder builder =
        isRecorded ? RecordedReport.newBuilder() : GradientReport.newBuilder();
    try {
      StrictJson.merge(text, builder);
    } catch (InvalidJsonException e) {
      return new Unreadable(frame.number(), frame.bytes(), e.getMessage(), mayBeRaw(text));
    }
    if (builder instanceof RecordedReport.Builder recorded) {
      GradientReport report = recorded.getReport();
      return recorded(
          frame,
          recorded.getTopic(),
          recorded.hasPartition() ? recorded.getPartition() : -1,
          recorded.hasOffset() ? recorded.getOffset() : -1,
          report.getUserIdBytes(),
          report.toByteString());
    }
    GradientReport report = (GradientReport) builder.build();
    return unrecorded(frame, report.getUserIdBytes(), report.toByteString());
  }

  private static boolean isRecorded(String line) {
    try {
      return JsonParser.parseString(line) instanceof JsonObject object && object.has("report");
    } catch (JsonParseException e) {
      return false;
    }
  }

  private ReportRecord unrecorded(Frame frame, ByteString key, ByteString value) {
    return new Candidate(
        frame.number(), frame.bytes(), key, value, false, unrecordedTopic, 0, frame.number());
  }

  private static ReportRecord recorded(
      Frame frame, String topic, int partition, long offset, ByteString key, ByteString value) {
    String missing =
        topic.isEmpty() ? "topic" : partition < 0 ? "partition" : offset < 0 ? "offset" : "";
    if (!missing.isEmpty()) {
      return new Unreadable(
          frame.number(),
          frame.bytes(),
          missing + " of the recorded report is missing or negative",
          mayBeRaw(value));
    }
    return new Candidate(frame.number(), frame.bytes(), key, value, true, topic, partition, offset);
  }

  /**
   * Whether the bytes may contain a raw gradient, which includes all bytes that can't be parsed.
   */
  static boolean mayBeRaw(ByteString value) {
    try {
      GradientReport report = GradientReport.parseFrom(value);
      return report.hasCentral() || report.hasExample();
    } catch (InvalidProtocolBufferException e) {
      return true;
    }
  }

  /**
   * Whether a line that can't be parsed may contain a raw gradient: field names may be escaped, and
   * the line may end before the declaration.
   */
  private static boolean mayBeRaw(String line) {
    return line.contains(RAW)
        || line.contains("\\u")
        || (GRADIENTS.stream().anyMatch(line::contains)
            && NOISES.stream().noneMatch(line::contains));
  }
}
