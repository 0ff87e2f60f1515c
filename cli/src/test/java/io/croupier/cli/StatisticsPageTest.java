package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The table of docs/build/statistics.md: how many votes an interval of +- 0.01 takes. */
class StatisticsPageTest {
  private static final double[] LEVELS = {0.5, 1, 2, 4};
  private static final double QUANTILE = 1.959963984540054;
  private static final double WIDTH = 0.01;

  @Test
  void everyCellIsThatOfTheLaw() throws IOException {
    int rows = 0;
    String section = "";
    for (String line :
        Files.readAllLines(
            ProjectFiles.matching(n -> n.equals("docs/build/statistics.md")).get(0))) {
      section = line.startsWith("## ") ? line : section;
      if (section.equals("## How many people") && line.matches("\\| \\d.*")) {
        String[] cells = line.substring(2).split(" \\| ?", -1);
        int categories = Integer.parseInt(cells[0]);
        for (int i = 0; i < LEVELS.length; i++) {
          int groups = HashedResponseMechanism.of(LEVELS[i], categories).groups();
          boolean isHashed = HashedResponseMechanism.isHashed(LEVELS[i], categories);
          CategoryLaw law = CategoryLaw.of(LEVELS[i], groups, isHashed);
          double votes =
              law.variance(1.0 / categories)
                  / Math.pow(law.strength(), 2)
                  * Math.pow(QUANTILE / WIDTH, 2);
          String[] cell = cells[i + 1].split(" ", -1);
          assertThat(Double.parseDouble(cell[0].replace(",", "")))
              .as(line)
              .isCloseTo(Math.ceil(votes), within(1.0));
          assertThat(cell.length > 1 ? cell[1] : "")
              .as(line)
              .isEqualTo(isHashed ? "(" + groups + ")" : "");
        }
        rows++;
      }
    }
    assertThat(rows).isEqualTo(5);
  }
}
