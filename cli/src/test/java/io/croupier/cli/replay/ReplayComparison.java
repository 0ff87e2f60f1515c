package io.croupier.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.io.JsonLines;
import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.RecordedReport;
import java.io.Writer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Compares the updates of a job's local models with those of a replay of its journal. */
final class ReplayComparison {
  private ReplayComparison() {}

  /**
   * Fails unless a replay reproduces every update, except for its timestamp, and every accounting
   * event.
   *
   * @param specs contents of the folder's {@code models.yaml}
   * @param json whether reports and journal are recorded as JSON
   */
  static void check(RecordedJob job, List<ModelSpec> specs, boolean json, ReplayFolder folder)
      throws Exception {
    record(job, specs, json, folder);
    checkReplay(job, specs, json, folder);
  }

  private static void record(
      RecordedJob job, List<ModelSpec> specs, boolean json, ReplayFolder folder) throws Exception {
    List<RecordedReport> recording = job.recording();
    List<JournalEntry> journal = job.awaitJournal(specs);
    if (json) {
      folder.writeJson(
          "reports",
          recording.stream().map(ReplayComparison::parsed).flatMap(Optional::stream).toList());
      folder.writeJson("journal", journal);
    } else {
      folder.writeBinary("reports", recording);
      folder.writeBinary("journal", journal);
    }
    try (JsonLines published = JsonLines.create(folder.path("published"), Writer.nullWriter())) {
      for (ModelSpec spec : specs) {
        job.updates(spec.getModelId()).forEach(update -> published.write(update));
      }
    }
  }

  /** The whole record; empty if it is malformed, since JSON can't represent it then. */
  private static Optional<RecordedReport> parsed(RecordedReport record) {
    try {
      return Optional.of(RecordedReport.parseFrom(record.toByteString()));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  private static void checkReplay(
      RecordedJob job, List<ModelSpec> specs, boolean json, ReplayFolder folder) throws Exception {
    folder
        .run(
            "--models models.yaml --reports %s --journal %s --format %s --updates %s --accounting %s"
                .formatted(
                    folder.path("reports"),
                    folder.path("journal"),
                    json ? "json" : "protobuf",
                    folder.path("updates"),
                    folder.path("accounting")))
        .succeeded();
    for (ModelSpec spec : specs) {
      String id = spec.getModelId();
      assertThat(updates(folder, "updates", id)).as(id).isEqualTo(updates(folder, "published", id));
    }
    assertThat(new HashSet<>(folder.events("accounting")))
        .hasSameSizeAs(job.events())
        .isEqualTo(new HashSet<>(job.events()));
  }

  /**
   * The updates of a model as lines, without the timestamp. Lines are compared since different
   * doubles have different text, whereas Protobuf's JSON parser reads -0.0 as 0.0.
   */
  private static List<String> updates(ReplayFolder folder, String file, String modelId)
      throws Exception {
    return folder.lines(file).stream()
        .filter(line -> line.contains("\"modelId\":\"%s\"".formatted(modelId)))
        .map(line -> line.replaceFirst(",\"publishedAtMs\":\"[0-9]+\"", ""))
        .toList();
  }
}
