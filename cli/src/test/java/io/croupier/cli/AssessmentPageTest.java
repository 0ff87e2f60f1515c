package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.Topic;
import io.croupier.schemas.Topic.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/plan/dpia.md lists every topic with its retention, and the bounds of docs/plan/epsilon.md
 * are right.
 */
class AssessmentPageTest {
  private static final Map<Retention, String> KEPT =
      Map.of(
          Retention.NEWEST, "newest of each key",
          Retention.ALL, "for ever",
          Retention.REPORTS, "7 days",
          Retention.STAMPED, "7 days",
          Retention.BRIEFLY, "1 hour");

  /** The cells of the rows that begin with a text. */
  private static List<String[]> rows(String page, String pattern) throws IOException {
    List<String[]> rows = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/plan").resolve(page))) {
      if (line.matches(pattern)) {
        rows.add(line.substring(2, line.length() - 2).split(" \\| "));
      }
    }
    return rows;
  }

  @Test
  void theInventoryHasEveryTopicAndHowLongItKeepsRecords() throws IOException {
    Map<String, String> listed = new TreeMap<>();
    for (String[] cells : rows("dpia.md", "\\| topic `.*")) {
      listed.put(cells[0].replaceAll("topic `(.*)`", "$1"), cells[4]);
    }
    Map<String, String> expected = new TreeMap<>();
    Stream.of(Topic.values())
        .forEach(topic -> expected.put(topic.suffix(), KEPT.get(topic.retention())));
    assertThat(listed).isEqualTo(expected);
  }

  /** By the rule of Bayes: what was believed with probability p before, is at most this after. */
  @Test
  void epsilonsInWords() throws IOException {
    List<String[]> rows = rows("epsilon.md", "\\| [0-9.]+ \\| [0-9.,]+ \\| .*%.*");
    assertThat(rows).hasSize(6);
    for (String[] cells : rows) {
      double times = Math.exp(number(cells[0]));
      double stated = number(cells[1]);
      assertThat(stated).as(cells[0]).isCloseTo(times, within(times * 0.03));
      assertPercentage(cells[2], 0.01, times);
      assertPercentage(cells[3], 0.5, times);
    }
  }

  private static void assertPercentage(String cell, double prior, double times) {
    double posterior = prior * times / (1 - prior + prior * times);
    double stated = number(cell) / 100;
    assertThat(1 - stated).as(cell).isCloseTo(1 - posterior, within((1 - posterior) * 0.25));
    assertThat(stated).as(cell).isCloseTo(posterior, within(posterior * 0.03));
  }

  private static double number(String cell) {
    return Double.parseDouble(cell.replaceAll("[^0-9.]", ""));
  }
}
