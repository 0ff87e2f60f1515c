package io.croupier.cli.replay;

import static io.croupier.cli.replay.ReplayFolder.json;
import static io.croupier.cli.replay.ReplayFolder.recorded;
import static io.croupier.cli.replay.ReplayFolder.report;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.croupier.cli.io.FileFormat;
import io.croupier.cli.io.RecordFile;
import io.croupier.cli.replay.ReportRecord.Candidate;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.RecordedReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The type of a record is determined by the record alone, whatever its neighbours are. */
class ReportFileTest {
  private static final GradientReport REPORT = report("report", 3, "report", 5, 0.5, -1).build();

  @TempDir private Path directory;
  private ReplayFolder folder;

  @BeforeEach
  void createFolder() {
    folder = new ReplayFolder(directory);
  }

  private List<ReportRecord> entries(String name) throws Exception {
    List<ReportRecord> entries = new ArrayList<>();
    try (RecordFile file =
        RecordFile.open(
            folder.path(name), name.endsWith(".bin") ? FileFormat.PROTOBUF : FileFormat.JSON)) {
      ReportFile reports = new ReportFile(file);
      for (ReportRecord entry = reports.next(); entry != null; entry = reports.next()) {
        entries.add(entry);
      }
    }
    return entries;
  }

  private static void assertReport(
      ReportRecord entry, boolean isRecorded, String topic, long offset) {
    assertThat(entry).isInstanceOf(Candidate.class);
    Candidate candidate = (Candidate) entry;
    assertThat(candidate.value()).isEqualTo(REPORT.toByteString());
    assertThat(candidate.key().toStringUtf8()).isEqualTo("report");
    assertThat(candidate.isRecorded()).isEqualTo(isRecorded);
    assertThat(candidate.topic()).isEqualTo(topic);
    assertThat(candidate.partition()).isZero();
    assertThat(candidate.offset()).isEqualTo(offset);
  }

  @Test
  void recordedAndOtherReportsMayBeMixed() throws Exception {
    List<Message> mixed =
        List.of(
            REPORT,
            recorded(7, REPORT.toBuilder()),
            recorded(0, REPORT.toBuilder()).toBuilder().setTopic("other").build(),
            REPORT);
    folder.writeJson("mixed.jsonl", mixed);
    folder.writeBinary("mixed.bin", mixed);
    for (String name : List.of("mixed.jsonl", "mixed.bin")) {
      List<ReportRecord> entries = entries(name);

      assertThat(entries).hasSize(4);
      assertReport(entries.get(0), false, name, 1);
      assertReport(entries.get(1), true, "gradients", 7);
      assertReport(entries.get(2), true, "other", 0);
      assertReport(entries.get(3), false, name, 4);
    }
  }

  @Test
  void aRecordedReportHasItsPosition() throws Exception {
    RecordedReport whole = recorded(7, REPORT.toBuilder());
    List<Message> incomplete =
        List.of(
            whole.toBuilder().clearTopic().build(),
            whole.toBuilder().clearPartition().build(),
            whole.toBuilder().setOffset(-1).build());
    folder.writeJson("incomplete.jsonl", incomplete);
    folder.writeBinary("incomplete.bin", incomplete);
    for (String name : List.of("incomplete.jsonl", "incomplete.bin")) {
      assertThat(entries(name))
          .extracting(entry -> ((Unreadable) entry).reason())
          .satisfiesExactly(
              reason -> assertThat(reason).startsWith("topic of the recorded report"),
              reason -> assertThat(reason).startsWith("partition of the recorded report"),
              reason -> assertThat(reason).startsWith("offset of the recorded report"));
    }
  }

  @Test
  void aLineThatIsNotUtf8IsUnreadable() throws Exception {
    Files.write(
        directory.resolve("latin.jsonl"), new byte[] {'{', '"', (byte) 0xe9, '"', ':', '1', '}'});

    assertThat(entries("latin.jsonl"))
        .singleElement()
        .satisfies(
            entry -> assertThat(((Unreadable) entry).reason()).isEqualTo("the line is not UTF-8"));
  }

  @Test
  void fieldsThatExcludeEachOtherAreUnreadable() throws Exception {
    folder.write(
        "both.jsonl", json(REPORT).replace("\"dense\"", "\"grid\":{\"values\":[1]},\"dense\""));

    assertThat(entries("both.jsonl"))
        .singleElement()
        .satisfies(
            entry -> assertThat(((Unreadable) entry).reason()).contains("exclude each other"));
  }
}
