package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/plan/is-it-for-me.md is computed from lab/studies/results/rounds.csv. {@code
 * -Dwrite.docs=true} writes it.
 */
class PlanPageTest {
  private static final Path PAGE = ROOT.resolve("docs/plan/is-it-for-me.md");
  private static final String RULE = "|---|---|---|---|---|---|---|\n";
  private static final String HEAD = "| reports | epsilon | census, d = 8 |";
  private static final String LEARNER = "combined";
  private static final int ROUND = 1000;
  private static final List<String> PROBLEMS =
      List.of("census", "logistic d = 20", "absolute d = 5", "absolute d = 20", "one-hot d = 100");

  private static Map<String, Double> shares() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("lab/studies/results/rounds.csv"));
    List<String> columns = Arrays.asList(lines.get(0).split(",", -1));
    Map<String, Double> shares = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      shares.put(
          String.join(",", Arrays.asList(cells).subList(0, 5)),
          Double.parseDouble(cells[columns.indexOf(LEARNER)])
              / Double.parseDouble(cells[columns.indexOf("of_doing_nothing")]));
    }
    return shares;
  }

  /** In percent, with two digits. */
  private static String percent(double share) {
    double percent = 100 * share;
    if (percent < 0.1) {
      return "< 0.1 %";
    }
    int decimals = percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f %%", percent);
  }

  private static String rows() throws IOException {
    Map<String, Double> shares = shares();
    List<String> rows = new ArrayList<>();
    for (int publications : List.of(10, 30, 100, 1000)) {
      for (int epsilon : List.of(1, 2, 4, 8)) {
        String cells =
            PROBLEMS.stream()
                .map(
                    problem ->
                        "%s,priv_unit %d,timely,%d,%d"
                            .formatted(problem, epsilon, ROUND, publications))
                .map(key -> percent(shares.get(key)))
                .collect(joining(" | "));
        rows.add(
            String.format(
                Locale.ROOT, "| %,d | %d | %s |\n", ROUND * publications, epsilon, cells));
      }
    }
    return String.join("", rows);
  }

  @Test
  void theTableIsThatOfTheStudy() throws IOException {
    String page = Files.readString(PAGE);
    int head = page.indexOf(HEAD);
    int begin = page.indexOf(RULE, head) + RULE.length();
    int end = page.indexOf("\n\n", begin - 1) + 1;
    assertThat(head).isPositive();
    if (Boolean.getBoolean("write.docs")) {
      page = page.substring(0, begin) + rows() + page.substring(end);
      Files.writeString(PAGE, page);
      end = page.indexOf("\n\n", begin - 1) + 1;
    }

    assertThat(page.substring(begin, end))
        .as("lab/recipes.md has the command that writes the table of docs/plan/is-it-for-me.md")
        .isEqualTo(rows());
  }
}
