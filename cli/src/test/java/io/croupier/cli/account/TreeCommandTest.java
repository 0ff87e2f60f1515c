package io.croupier.cli.account;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.croupier.cli.CommandRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeCommandTest {
  /** The order of [KMSTTX21, D.2.1]: a mini-batch of one in each step. */
  private static final String ORDER = "1\n2\n3\n1\n4\n";

  @TempDir private Path directory;

  private static CommandRun tree(String arguments) {
    return CommandRun.of(new TreeCommand(), arguments);
  }

  private static JsonObject json(String arguments) {
    return CommandRun.json(new TreeCommand(), arguments);
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /** DP-FTRLM of [KMSTTX21, Table 4], and the exact epsilon of the same noise. */
  @ParameterizedTest
  @CsvSource({
    "1.13, 18.71, 17.67",
    "2.33, 7.83, 7.34",
    "4.03, 4.19, 3.92",
    "6.21, 2.60, 2.42",
    "8.83, 1.77, 1.65"
  })
  void tableFour(String noiseMultiplier, String renyi, String exact) {
    String arguments = "--steps 1600 --delta 1e-6 --noise-multiplier " + noiseMultiplier;

    assertThat(tree(arguments).out())
        .containsPattern("zeta +\\| +11 \\|")
        .containsPattern("epsilon +\\| +" + exact + " \\|")
        .containsPattern("epsilon by Renyi DP +\\| +" + renyi + " \\|")
        .containsPattern("delta +\\| +1e-6 \\|")
        .containsPattern("relation +\\| +zero-out \\|")
        .contains("one person's contributions are replaced by zeros", ") p + 1e-6, and vice versa.")
        .contains("Zeta is exact; Algorithm 3 gives the same value.");
    JsonObject json = json(arguments);
    assertThat(json.keySet())
        .startsWith("zeta", "mu", "epsilon", "epsilonRenyi", "delta", "relation");
    assertHas(json, "{zeta: 11, delta: 1e-6, relation: zero-out}");
    assertThat(json.get("epsilon").getAsDouble())
        .isCloseTo(Double.parseDouble(exact), within(0.005));
    assertThat(json.get("epsilonRenyi").getAsDouble())
        .isCloseTo(Double.parseDouble(renyi), within(0.005));
  }

  @Test
  void theDocsShowWhatIsPrinted() throws IOException {
    List<String> page = Files.readAllLines(Path.of("..", "docs/reference/calibrate.md"));
    String command = "./croupier account tree ";
    String shown = page.stream().filter(line -> line.startsWith(command)).findFirst().get();

    List<String> printed =
        tree(shown.substring(command.length())).out().lines().map(String::stripTrailing).toList();

    assertThat(page).containsSequence(printed);
  }

  /** [KMSTTX21, D.2.1 and D.3.1]: sqrt(8), and with three virtual steps sqrt(12) and 2. */
  @Test
  void theWorkedExamples() throws IOException {
    String given = "--noise-multiplier 2 --order " + file("order.txt", ORDER);

    assertHas(json(given + " --by-user"), "{zetaByUser: {1: 8, 2: 3, 3: 3, 4: 1}}");
    assertHas(
        json(given + " --by-user --completion"),
        "{zeta: 12, zetaByUser: {1: 12, 2: 4, 3: 4, 4: 4}}");
    assertThat(tree(given + " --by-user").out())
        .containsPattern("1 +\\| +8")
        .containsPattern("4 +\\| +1")
        .contains("the given order of 5 steps and 4 people");
  }

  @Test
  void ordersHaveMiniBatchesAndEmptySteps() throws IOException {
    Path plain = file("batches.txt", "ada bob,cy\n\n\tbob , cy\n");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(Files.readAllBytes(plain));
    }
    Path gzipped = Files.write(directory.resolve("batches.gz"), packed.toByteArray());
    for (Path file : new Path[] {plain, gzipped}) {
      JsonObject json = json("--noise-multiplier 2 --by-user --steps 3 --order " + file);
      // Leaves 0 and 2, and the node above leaves 0 and 1; leaf 2 has no sibling.
      assertHas(json, "{steps: 3, zetaByUser: {ada: 2, bob: 3, cy: 3}}");
    }
  }

  @Test
  void limitsRestartsAndTreesCount() {
    // golden: 24 steps, xi 2, E 8
    String limited = "--noise-multiplier 3 --steps 24 --participations 8 --min-separation 2";
    assertHas(json(limited), "{zeta: 88, zetaAlgorithm3: 90}");
    tree(limited).printed("Zeta is exact; Algorithm 3 gives 90.");

    // golden: 100 epochs of 100 steps, each person once in each, a new tree every 5 epochs
    String restarted =
        "--noise-multiplier 8.5 --delta 1e-5 --steps 10000 --participations 100"
            + " --min-separation 99 --restart-every 500";
    assertHas(json(restarted), "{zeta: 1000}");
    assertThat(json(restarted).get("epsilonRenyi").getAsDouble())
        .isCloseTo(23.54451988469581, within(1e-6));
    assertHas(json(restarted + " --completion"), "{zeta: 1570}");
    assertThat(json(restarted + " --completion every-tree").get("zeta").getAsLong())
        .isGreaterThan(1570);

    assertHas(json("--steps 1600 --noise-multiplier 3 --trees 2"), "{zeta: 22}");
  }

  @Test
  void replacingOneDoublesMu() {
    String arguments = "--steps 1600 --noise-multiplier 4.03";
    JsonObject zeroOut = json(arguments);
    JsonObject replaceOne = json(arguments + " --relation replace-one");

    assertThat(replaceOne.get("mu").getAsDouble()).isEqualTo(2 * zeroOut.get("mu").getAsDouble());
    assertHas(replaceOne, "{zeta: 44, relation: replace-one}");
    tree(arguments + " --relation replace-one")
        .printed("one person's data are replaced by another's");
  }

  @Test
  void manyParticipationsGiveABound() {
    String arguments = "--steps 40000 --participations 40000 --noise-multiplier 1e4";

    assertHas(json(arguments), "{zetaIsExact: false}");
    tree(arguments).printed("Zeta is the upper bound of Algorithm 3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --steps 5 --noise-multiplier 0 | --noise-multiplier is 0.0; it must be pos
          --steps 5 --noise-multiplier 1 --delta 1 | --delta is 1.0; it must be between
          --noise-multiplier 1 | The number of steps is missing
          --steps 0 --noise-multiplier 1 | --steps is 0; it must be between 1 and
          --steps 5 --noise-multiplier 1 --participations 0 | --participations is 0; it must
          --steps 5 --noise-multiplier 1 --restart-every 0 | --restart-every is 0; it must
          --steps 5 --noise-multiplier 1 --trees 0 | --trees is 0; it must
          --steps 5 --noise-multiplier 1 --by-user | --by-user requires an --order
          --noise-multiplier 1 --order none.txt | none.txt: no such file
          --noise-multiplier 1 --order ORDER --steps 6 | --steps is 6, but
          --noise-multiplier 1 --order ORDER --participations 2 | can't be given with --order
          --noise-multiplier 1 --order EMPTY | is empty
          """)
  void invalidInputIsReported(String arguments, String message) throws IOException {
    tree(arguments
            .replace("ORDER", file("order.txt", ORDER).toString())
            .replace("EMPTY", file("empty.txt", "").toString()))
        .assertRefused(message);
  }

  @Test
  void wrongArgumentsAreReported() {
    assertThat(tree("--steps 5 --noise-multiplier 1 --relation none").err())
        .contains("zero-out", "replace-one");
    assertThat(tree("--steps 5").code()).isEqualTo(2);
  }
}
