package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.JsonMessages;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.RecordedReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recorded demonstration and its replay. */
class RecordingE2ECase {

  private static final int PEOPLE = 300;

  @TempDir private Path directory;
  private Path recording;
  private Script script;

  @BeforeEach
  void makeRoom() throws IOException {
    recording = directory.resolve("recording");
    script = Script.in(directory);
  }

  /** With people who don't disclose their noise. */
  @Tag("thorough")
  @Test
  void aReplayReproducesEveryUpdateBitForBit() throws Exception {
    replay("l2-laplace", 60);
  }

  @Tag("thorough")
  @Test
  void aReplayReproducesEveryUpdateOfCandidates() throws Exception {
    replay("priv-unit", 0);
  }

  private void replay(String mechanism, int undisclosed) throws Exception {
    List<String> output =
        script.run(
            ("demo --all --users %d --duration 5 --round-size 3 --mechanism %s"
                    + " --undisclosed %s --record %s")
                .formatted(PEOPLE, mechanism, (double) undisclosed / PEOPLE, recording));
    assertThat(output)
        .contains(
            "DP-FTRL is not recorded: raw reports never are, and its noise is not reproducible.");
    try (Stream<Path> files = Files.list(recording)) {
      for (Path file : files.toList()) {
        assertThat(file).content().doesNotContain("dp-ftrl", "\"central\"");
      }
    }
    Map<String, List<ModelUpdate>> recorded = reproduced(output);
    assertThat(recorded).hasSize(9);
    List<GradientReport> reports = reports();
    List<GradientReport> refused =
        reports.stream()
            .filter(report -> report.hasUndisclosed() && report.getModelId().equals("banco"))
            .toList();
    // Of 7 times 60 people who don't disclose their noise, each is asked a question, and sends
    // nothing then, with probability 0.02: more than 50 with a probability below 1e-15. The two
    // other models ask all people while they scout.
    assertThat(reports)
        .hasSizeBetween(9 * PEOPLE - (undisclosed == 0 ? 0 : 50 + 2 * undisclosed), 9 * PEOPLE)
        // Each of at least 1,470 is an answer with probability 0.02: fewer than 8 with a
        // probability below 9e-7.
        .filteredOn(GradientReport::hasAnswer)
        .hasSizeGreaterThanOrEqualTo(8);
    recorded.forEach(
        (modelId, published) -> {
          ModelUpdate last = published.get(published.size() - 1);
          assertThat(taken(last))
              .as(modelId)
              .isEqualTo(
                  reports.stream().filter(report -> report.getModelId().equals(modelId)).count()
                      - (modelId.equals("banco") ? refused.size() : 0));
        });
    assertThat(recorded.values())
        .anyMatch(published -> published.get(published.size() - 1).getEstimates(0).hasFraction());
    // More than 20 of 60 people are asked a question with a probability below 1e-18.
    assertThat(refused)
        .extracting(GradientReport::getUserId)
        .doesNotHaveDuplicates()
        .hasSizeBetween(undisclosed * 2 / 3, undisclosed);
    script.assertNothingIsLeft();
  }

  /** Models with a memory, and labels that turn over. */
  @Tag("thorough")
  @Test
  void aDriftEndsWithItsRecoveriesAndIsReplayedBitForBit() throws Exception {
    Path page = directory.resolve("page.html");
    List<String> output =
        script.run(
            "demo drift --users %d --duration 5 --page %s --record %s"
                .formatted(PEOPLE, page, recording));
    List<String> learners =
        List.of(
            "combined, clip 0.25",
            "combined, clip 0.25, memory 30",
            "black box, clip 0.25",
            "black box, clip 0.25, memory 30",
            "coordinate-wise",
            "coordinate-wise, memory 30",
            "LDP-SGD, step 10");
    for (String learner : learners) {
      assertThat(output).anyMatch(line -> line.startsWith(learner + ": loss "));
      assertThat(Files.readString(page)).contains(learner + ": loss ");
    }
    assertThat(output)
        .anyMatch(line -> line.startsWith("After 150 people all labels turned over; the scores"));
    assertThat(reproduced(output)).hasSize(learners.size());
    assertThat(reports()).hasSize(learners.size() * PEOPLE).noneMatch(GradientReport::hasAnswer);
    script.assertNothingIsLeft();
  }

  /**
   * Regions beside a learner, of the same people: of 300, each votes with probability 0.15, fewer
   * than 10 with a probability below 1e-9.
   */
  @Tag("thorough")
  @Test
  void statisticsEndBesideTheTruthAndAreReplayedBitForBit() throws Exception {
    Path page = directory.resolve("page.html");
    List<String> output =
        script.run(
            "demo statistics --users %d --duration 5 --page %s --record %s"
                .formatted(PEOPLE, page, recording));
    for (String region : List.of("midwest", "northeast", "south", "west")) {
      assertThat(output)
          .anyMatch(
              line ->
                  line.matches(
                      " *region = "
                          + region
                          + " *\\| combined-0.25 *\\| *-?\\d\\.\\d{3} \\| \\d\\.\\d{3} to \\d\\.\\d{3} \\| *0\\.\\d{3} .*"));
      assertThat(Files.readString(page)).contains(region);
    }
    assertThat(output).anyMatch(line -> line.startsWith("Bars: # up to the lower end"));
    List<ModelUpdate> published = reproduced(output).values().iterator().next();
    assertThat(
            published.get(published.size() - 1).getStatistics(0).getLasting().getFractionsCount())
        .isEqualTo(4);
    assertThat(reports())
        .hasSize(PEOPLE)
        .filteredOn(GradientReport::hasVote)
        .hasSizeGreaterThanOrEqualTo(10);
    script.assertNothingIsLeft();
  }

  /** Runs the command that the demonstration prints; returns the recorded updates by model. */
  private Map<String, List<ModelUpdate>> reproduced(List<String> output) throws Exception {
    String prefix = "To replay the run: croupier ";
    String line = output.get(output.size() - 1);
    assertThat(line).startsWith(prefix);
    script.run(line.substring(prefix.length()));
    Map<String, List<ModelUpdate>> recorded = updates(recording.resolve("updates.jsonl"));
    assertThat(updates(directory.resolve("out.jsonl"))).isEqualTo(recorded);
    return recorded;
  }

  /** The number of admitted reports; on a slow machine, some are too late to be used. */
  private static long taken(ModelUpdate update) {
    return update.getUsed()
        + update.getAnswers()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound()
        + update.getOpen();
  }

  /** Every update by model, without the timestamp, which differs in a replay. */
  private static Map<String, List<ModelUpdate>> updates(Path file) throws Exception {
    List<String> lines = Files.readAllLines(file);
    return JsonMessages.parse(lines, ModelUpdate.getDefaultInstance()).stream()
        .map(update -> update.toBuilder().clearPublishedAtMs().build())
        .collect(Collectors.groupingBy(ModelUpdate::getModelId));
  }

  private List<GradientReport> reports() throws Exception {
    List<String> lines = Files.readAllLines(recording.resolve("reports.jsonl"));
    return JsonMessages.parse(lines, RecordedReport.getDefaultInstance()).stream()
        .map(RecordedReport::getReport)
        .toList();
  }
}
