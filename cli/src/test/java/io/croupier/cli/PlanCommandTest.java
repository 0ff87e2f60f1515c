package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonObject;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanCommandTest {
  private static final String CENSUS = "--features 8 --epsilon 2 --people 28155";

  @TempDir private Path directory;

  private static CommandRun plan(String arguments) {
    return CommandRun.croupier("plan " + arguments);
  }

  private static JsonObject json(String arguments) {
    CommandRun run = plan(arguments + " --json").succeeded();
    assertThat(run.err()).isEmpty();
    return run.json();
  }

  private static double likely(JsonObject json, String name) {
    return json.getAsJsonObject(name).get("likely").getAsDouble();
  }

  /** Golden: 0.0575085882. The costs are those of lab/proofs/charges.md. */
  @Test
  void whatAPersonSpendsAndReadersLearn() {
    JsonObject json = json(CENSUS);
    assertThat(json.get("epsilon").getAsDouble()).isEqualTo(2);
    assertThat(json.get("rho").getAsDouble()).isCloseTo(1.191, within(5e-4));
    assertThat(json.get("mu").getAsDouble()).isCloseTo(1.814, within(5e-4));
    assertThat(json.get("epsilonAtDelta").getAsDouble()).isLessThanOrEqualTo(2);
    assertThat(json.get("centralEpsilonWithoutIdentity").getAsDouble())
        .isCloseTo(0.0575085882, within(1e-9));

    JsonObject four = json(CENSUS + " --reports-per-person 4");
    assertThat(four.get("epsilon").getAsDouble()).isEqualTo(8);
    assertThat(four.get("rho").getAsDouble()).isCloseTo(4 * 1.191, within(2e-3));
    assertThat(four.get("mu").getAsDouble()).isCloseTo(2 * 1.814, within(1e-3));
    assertThat(four.get("centralEpsilonWithoutIdentity").getAsDouble()).isBetween(0.058, 0.23);
  }

  /** As many people as a loss takes teach that loss. */
  @Test
  void theInverseAgrees() {
    JsonObject asked = json("--features 12 --epsilon 4 --target-loss 0.55 --per-day 250");
    JsonObject needed = asked.getAsJsonArray("needed").get(3).getAsJsonObject();
    assertThat(needed.get("loss").getAsDouble()).isEqualTo(0.55);
    double people = likely(needed, "people");
    assertThat(likely(needed, "days")).isCloseTo(people / 250, within(1e-9));
    assertThat(asked.get("people").getAsLong()).isEqualTo((long) Math.ceil(people));
    assertThat(likely(asked, "loss")).isCloseTo(0.55, within(1e-4));

    JsonObject fewer = json("--features 12 --epsilon 4 --target-loss 0.55 --reports-per-person 2");
    assertThat(fewer.get("people").getAsDouble()).isCloseTo(people / 2, within(1.0));
  }

  @Test
  void tooFewPeopleAreNamed() {
    assertThat(plan("--features 8 --epsilon 2 --people 60").out())
        .containsPattern(
            "Too few: 60 people at epsilon 2 can't teach 8 features; some [\\d,]+ could\\.");
    assertThat(plan(CENSUS).out()).doesNotContain("Too few");
    assertThat(plan("--features 400 --epsilon 2 --people 28155").out())
        .contains("The study has models of 3 to 50 weights");
  }

  @Tag("ci")
  @Test
  void drawsAPicture() throws IOException {
    Path file = directory.resolve("plan.png");
    assertThat(plan(CENSUS + " --plot " + file).err())
        .isEqualTo("Picture: " + file + System.lineSeparator());
    BufferedImage picture = ImageIO.read(file.toFile());
    assertThat(picture.getWidth()).isGreaterThan(800);
    boolean isDrawn = false;
    for (int x = 0; x < picture.getWidth() && !isDrawn; x++) {
      for (int y = 0; y < picture.getHeight() && !isDrawn; y++) {
        isDrawn = (picture.getRGB(x, y) & 0xFFFFFF) == 0x0072B2;
      }
    }
    assertThat(isDrawn).as("the curve's colour").isTrue();
  }

  @Test
  void aPictureThatCannotBeWrittenIsNamed() throws IOException {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Path file = Files.createSymbolicLink(directory.resolve("full.png"), full);
    CommandRun run = plan(CENSUS + " --plot " + file);
    run.failed("--plot " + file + ": can't be written: No space left on device");
    assertThat(run.out()).isNotEmpty();
  }

  /** The page's commands print what the page shows. */
  @Test
  void thePageShowsTheOutput() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/plan/is-it-for-me.md"));
    List<MatchResult> shown =
        Pattern.compile("```\n\\./croupier plan ([^`]*)\n```\n\n```\n([^`]*)```")
            .matcher(page)
            .results()
            .toList();
    assertThat(shown).hasSizeGreaterThan(1);
    for (MatchResult command : shown) {
      assertThat(plan(command.group(1)).out().stripTrailing().lines().map(String::stripTrailing))
          .as(command.group(1))
          .containsExactlyElementsOf(command.group(2).stripTrailing().lines().toList());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--features 0 --epsilon 2 --people 9 | --features is 0; it must be from 1 to",
        "--features 8 --epsilon 17 --people 9 | --epsilon is 17.0; it must be from 0.0001 to 16",
        "--features 8 --epsilon 2 | Give --people N, for the loss that they teach, or --target-loss",
        "--features 8 --epsilon 2 --people 1 | --people is 1; it must be at least 2",
        "--features 8 --epsilon 2 --people 9 --reports-per-person 0 | --reports-per-person is 0; it must be at least 1",
        "--features 8 --epsilon 2 --people 9 --reports-per-person 100001 | it must be at most 100000",
        "--features 8 --epsilon 2 --people 9 --per-day 0 | --per-day is 0.0; it must be positive",
        "--features 8 --epsilon 2 --target-loss 0.7 | --target-loss is 0.7; it must be between --best-loss, 0.518, and",
        "--features 8 --epsilon 2 --people 9 --best-loss 0.7 | --best-loss is 0.7; it must be at least 0, and below",
        "--features 8 --epsilon 2 --people 9 --untrained-loss 0 | --untrained-loss is 0.0; it must be positive",
        "--features 8 --epsilon 2 --people 9 --delta 0 | --delta is 0.0; it must be from 1e-10 to 1",
        "--features 8 --epsilon 2 --people 9 --plot plan.jpg | --plot is plan.jpg; it must end in .png",
        "--features 8 --epsilon 2 --people 9 --plot nowhere/plan.png | --plot: no such directory",
      })
  void invalidInputIsReported(String arguments, String message) {
    assertThat(plan(arguments).failed(message).out()).isEmpty();
  }
}
