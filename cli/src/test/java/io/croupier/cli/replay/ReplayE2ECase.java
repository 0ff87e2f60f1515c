package io.croupier.cli.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.ModelUpdate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of docs/run/replay.md in a shell, as printed there. */
@Tag("ci")
class ReplayE2ECase {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path directory;

  @Test
  void theDocumentedCommandsWork() throws Exception {
    Files.createSymbolicLink(directory.resolve("croupier"), ROOT.resolve("croupier"));
    FileUtils.copyDirectory(
        ROOT.resolve("examples").toFile(), directory.resolve("examples").toFile());
    List<String> commands =
        Files.readAllLines(ROOT.resolve("docs/run/replay.md")).stream()
            .filter(line -> line.contains("./croupier replay "))
            .toList();
    assertThat(commands).hasSize(2);

    String summary = run(commands.get(0));
    assertThat(summary)
        .containsPattern("demo +\\| black_box +\\| +4 \\| +12 \\| +10 \\| +2 ")
        .contains("12 reports in ");
    List<ModelUpdate> updates = new ReplayFolder(directory).updates("updates.jsonl");
    assertThat(updates)
        .filteredOn(update -> update.getModelId().equals("demo"))
        .extracting(ModelUpdate::getRound)
        .containsExactly(0L, 1L, 2L, 3L, 4L, 4L);

    assertThat(run(commands.get(1)).lines().filter(line -> line.contains("\"demo\"")))
        .extracting(line -> line.replaceAll(".*\"round\":\"(\\d+)\".*", "$1"))
        .containsExactly("0", "4");
  }

  private String run(String command) throws Exception {
    Process process =
        new ProcessBuilder("bash", "-c", command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return out;
  }
}
