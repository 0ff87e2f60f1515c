package io.croupier.cli.account;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.CommandRun;
import io.croupier.cli.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnonymityCommandTest {
  private static final String PRIV_UNIT = "--mechanism priv-unit --dimension 8 --delta 1e-6 ";
  private static final Path PAGE = Path.of("../docs/theory/anonymity.md");

  private static CommandRun anonymity(String arguments) {
    return CommandRun.of(new AnonymityCommand(), arguments);
  }

  private static JsonObject json(String arguments) {
    return CommandRun.json(new AnonymityCommand(), arguments);
  }

  /** Golden: 0.0575085882 for the census. */
  @Test
  void centralEpsilon() {
    JsonObject json = json(PRIV_UNIT + "--epsilon 2 --people 28155");
    assertThat(json.get("epsilon").getAsDouble()).isCloseTo(0.0575085882, within(1e-9));
    assertHas(json, "{counted: 28155, localEpsilonOfAll: 2}");
  }

  /** Golden: four reports of a person are four windows of a quarter of the reports. */
  @Test
  void severalReportsAndWindows() {
    JsonObject reports = json(PRIV_UNIT + "--epsilon 2 --people 7038 --reports 4");
    JsonObject windows = json(PRIV_UNIT + "--epsilon 2 --people 7038 --windows 4");
    assertThat(reports.get("epsilon").getAsDouble()).isCloseTo(0.253663, within(1e-5));
    assertThat(windows.get("epsilon")).isEqualTo(reports.get("epsilon"));
    assertThat(windows.get("localEpsilonOfAll").getAsDouble()).isEqualTo(8);
  }

  @Test
  void dishonestReportsDontCount() {
    JsonObject json = json(PRIV_UNIT + "--epsilon 2 --people 1111 --honest 0.901");
    JsonObject fewer = json(PRIV_UNIT + "--epsilon 2 --people 1001");
    assertThat(json.get("counted").getAsLong()).isEqualTo(1001);
    assertThat(json.get("epsilon")).isEqualTo(fewer.get("epsilon"));
    JsonObject elsewhere = json(PRIV_UNIT + "--epsilon 2 --people 1001 --availability 0.5");
    assertThat(elsewhere.get("epsilon").getAsDouble())
        .isGreaterThan(fewer.get("epsilon").getAsDouble());
  }

  /** Golden values of randomised response bound every pure mechanism. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "l2-laplace --dimension 8",
        "coordinate-laplace --dimension 8",
        "randomised-response"
      })
  void otherMechanisms(String mechanism) {
    JsonObject json = json("--mechanism " + mechanism + " --delta 1e-6 --epsilon 2 --people 1000");
    assertThat(json.get("epsilon").getAsDouble()).isCloseTo(0.397087059, within(1e-8));
  }

  /**
   * With two categories it is randomised response, with more it reveals less; four reports of a
   * person are four windows of a quarter of the reports.
   */
  @Test
  void votes() {
    String vote = "--mechanism hashed-response --delta 1e-6 --epsilon 2 --categories ";
    assertThat(json(vote + "2 --people 1000").get("epsilon").getAsDouble())
        .isCloseTo(0.397087059, within(1e-8));
    double many = json(vote + "32 --people 29000").get("epsilon").getAsDouble();
    assertThat(many).isBetween(0.04, 0.06);
    JsonObject reports = json(vote + "32 --people 7000 --reports 4");
    JsonObject windows = json(vote + "32 --people 7000 --windows 4");
    assertThat(windows.get("epsilon").getAsDouble())
        .isCloseTo(reports.get("epsilon").getAsDouble(), within(1e-2));
  }

  /** What the inverse prints satisfies the central epsilon, and little more doesn't. */
  @Test
  void localEpsilonOfACentralOne() {
    for (String reports : List.of("1", "3")) {
      String people = "--people 300 --reports " + reports;
      JsonArray choices = json(PRIV_UNIT + people + " --central 1").get("choices").getAsJsonArray();
      assertThat(choices).hasSize(1);
      double local = choices.get(0).getAsJsonObject().get("localEpsilon").getAsDouble();
      JsonObject within = json(PRIV_UNIT + people + " --epsilon " + local);
      JsonObject beyond = json(PRIV_UNIT + people + " --epsilon " + local * 1.02);
      assertThat(within.get("epsilon").getAsDouble()).isLessThanOrEqualTo(1);
      assertThat(beyond.get("epsilon").getAsDouble()).isGreaterThan(1);
    }
  }

  @Tag("ci")
  @Test
  void theBestNumberOfReportsHasTheLeastError() {
    JsonObject json = json(PRIV_UNIT + "--people 200 --central 2");
    double least = Double.POSITIVE_INFINITY;
    long best = 0;
    for (var each : json.get("choices").getAsJsonArray()) {
      double error = each.getAsJsonObject().get("squaredError").getAsDouble();
      if (error < least) {
        least = error;
        best = each.getAsJsonObject().get("reports").getAsLong();
      }
    }
    assertThat(json.get("choices").getAsJsonArray()).hasSizeGreaterThan(3);
    assertThat(json.get("leastErrorWithReports").getAsLong()).isEqualTo(best);
  }

  /** The page's commands print what the page shows. */
  @Tag("ci")
  @Test
  void thePageShowsTheOutput() throws IOException {
    String page = Files.readString(PAGE);
    List<MatchResult> shown =
        Pattern.compile("```\n\\./croupier account anonymity ([^`]*)\n```\n\n```\n([^`]*)```")
            .matcher(page)
            .results()
            .toList();
    assertThat(shown).hasSizeGreaterThan(2);
    for (MatchResult command : shown) {
      CommandRun run = anonymity(command.group(1));
      assertThat(run.failure()).isNull();
      assertThat(run.out().stripTrailing().lines().map(String::stripTrailing))
          .as(command.group(1))
          .containsExactlyElementsOf(command.group(2).stripTrailing().lines().toList());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --epsilon 17 --people 9 | --epsilon is 17.0; it must be from 0.0001 to 16
          --epsilon 1e-17 --people 9 --windows 2 | --epsilon is 1.0E-17; it must be from 0.0001 to 16
          --epsilon 1 --people 9 --reports 200000 | --reports is 200000; it must be at most 100000
          --epsilon 1 --people 1 | --people is 1; it must be at least 2
          --epsilon 1 --people 3 --honest 0.5 | --people is 3; with --honest 0.5 that leaves 1, and it must leave at least 2: a report hides only among others
          --epsilon 1 --people 9 --honest 0 | --honest is 0.0; it must be above 0 and at most 1
          --epsilon 1 --people 9 --availability 2 | --availability is 2.0; it must be above 0 and at most 1
          --epsilon 1 --people 9 --windows 0 | --windows is 0; it must be at least 1
          --central 1 --people 9 --windows 7000 | --windows is 7000; it must be at most 6250
          """)
  void invalidInputIsReported(String arguments, String message) {
    assertThat(anonymity(PRIV_UNIT + arguments).failure())
        .isInstanceOf(InputException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          l2-laplace --dimension 8 --delta 1e-6 --reports 2 | --reports is 2; it must be 1 with --mechanism l2-laplace
          priv-unit --delta 1e-6 | --dimension is missing; --mechanism priv-unit requires it, such as 8
          randomised-response --dimension 3 --delta 1e-6 | --dimension is 3; --mechanism randomised-response takes none
          priv-unit --dimension 8 --delta 1e-11 | --delta is 1.0E-11; it must be from 1e-10 to 1, such as 1e-6
          """)
  void whatAMechanismDoesNotTakeIsReported(String mechanism, String message) {
    anonymity("--epsilon 1 --people 9 --mechanism " + mechanism).assertRefused(message);
  }

  @Test
  void wrongArgumentsAreReported() {
    assertThat(anonymity("--mechanism gaussian --epsilon 1 --people 9 --delta 1e-6").err())
        .contains("--mechanism", "gaussian", "priv-unit, l2-laplace");
    assertThat(anonymity(PRIV_UNIT + "--people 9").code()).isEqualTo(2);
    assertThat(anonymity(PRIV_UNIT + "--people 9 --epsilon 1 --central 1").code()).isEqualTo(2);
  }
}
