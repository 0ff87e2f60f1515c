package io.croupier.cli.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.cli.InputException;
import io.croupier.cli.io.RecordFile.Frame;
import io.croupier.schemas.GradientReport;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {

  @TempDir private Path directory;

  private List<Frame> frames(byte[] content, FileFormat format) throws Exception {
    Path path = Files.write(directory.resolve("file"), content);
    List<Frame> frames = new ArrayList<>();
    try (RecordFile file = RecordFile.open(path.toString(), format)) {
      for (Frame frame = file.next(); frame != null; frame = file.next()) {
        frames.add(frame);
      }
      assertThat(file.next()).as("a further read still returns null").isNull();
      assertThat(file.bytesRead()).isEqualTo(content.length).isEqualTo(file.size());
    }
    return frames;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void linesAreCountedAndBlankOnesSkipped() throws Exception {
    assertThat(frames(utf8("\r\n \n{\"a\":1}\r\n\n{}\n{ \"é\": 2}"), FileFormat.JSON))
        .containsExactly(
            new Frame(3, ByteString.copyFromUtf8("{\"a\":1}"), false),
            new Frame(5, ByteString.copyFromUtf8("{}"), false),
            new Frame(6, ByteString.copyFromUtf8("{ \"é\": 2}"), false));
  }

  @Test
  void nonTextBytesAreKept() throws Exception {
    byte[] line = {'{', '"', (byte) 0xff, 0, (byte) 0x80};
    assertThat(frames(line, FileFormat.JSON))
        .containsExactly(new Frame(1, ByteString.copyFrom(line), false));
  }

  @Test
  void anEmptyFileHasNoRecords() throws Exception {
    assertThat(frames(utf8(""), FileFormat.JSON)).isEmpty();
    assertThat(frames(utf8(" \n\n"), FileFormat.JSON)).isEmpty();
  }

  @Test
  void messagesOfAnyLengthAreReadAndNotMistakenForText() throws Exception {
    for (int length = 0; length < 300; length++) {
      GradientReport report =
          GradientReport.newBuilder().setModelId("m".repeat(length % 100 + 1)).build();
      while (report.getSerializedSize() < length) {
        report = report.toBuilder().setUserId(report.getUserId() + "u").build();
      }
      byte[] messages = delimited(report);
      assertThat(frames(messages, FileFormat.PROTOBUF))
          .as("a message of %d bytes", report.getSerializedSize())
          .containsExactly(
              new Frame(1, report.toByteString(), false),
              new Frame(2, report.toByteString(), false));
      assertThatThrownBy(() -> frames(messages, FileFormat.JSON))
          .isInstanceOf(InputException.class)
          .hasMessageEndingWith(
              "file: doesn't begin with a JSON object; for records in Protobuf, use --format protobuf");
    }
  }

  private static byte[] delimited(GradientReport report) throws Exception {
    ByteString.Output out = ByteString.newOutput();
    report.writeDelimitedTo(out);
    report.writeDelimitedTo(out);
    return out.toByteString().toByteArray();
  }

  @Test
  void anInvalidArchiveIsClosed() {
    AtomicBoolean isClosed = new AtomicBoolean();
    InputStream source =
        new ByteArrayInputStream(utf8("{}")) {
          @Override
          public void close() {
            isClosed.set(true);
          }
        };

    assertThatThrownBy(() -> RecordFile.open("reports.jsonl.gz", FileFormat.JSON, source))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("reports.jsonl.gz: can't be read: ");
    assertThat(isClosed).isTrue();
  }

  @Test
  void anInputThatEndsWithinAMessageEndsThere() throws Exception {
    assertThat(frames(new byte[] {2, 10, 0, 5, 10, 1}, FileFormat.PROTOBUF))
        .containsExactly(
            new Frame(1, ByteString.copyFrom(new byte[] {10, 0}), false),
            new Frame(2, ByteString.EMPTY, true));
    assertThat(frames(new byte[] {(byte) 0xff}, FileFormat.PROTOBUF))
        .containsExactly(new Frame(1, ByteString.EMPTY, true));
  }

  @Test
  void noMemoryIsAllocatedForAClaimedLength() throws Exception {
    byte[] twoGigabytes = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7, 1};
    byte[] negative = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 15, 1};
    assertThat(frames(twoGigabytes, FileFormat.PROTOBUF))
        .extracting(Frame::isCutShort)
        .containsExactly(true);
    assertThat(frames(negative, FileFormat.PROTOBUF))
        .extracting(Frame::isCutShort)
        .containsExactly(true);
  }
}
