package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvRowsTest {
  @TempDir private Path directory;

  @Test
  void columnsAreCoordinatesInTheirOrderAndNothingIsScaled() throws IOException {
    Problem problem = load("one,y,x\n1,5,20\n1,2,-30\n", NamedLoss.SQUARED, 2);
    double[] gradient = new double[2];

    problem.gradient(1, new double[] {1, 0.5}, gradient);

    // <(1, -30), (1, 0.5)> - 2 = -16
    assertThat(gradient).containsExactly(-16, 480);
    assertThat(problem.size()).isEqualTo(2);
  }

  @Test
  void invalidInputIsReportedWithoutItsValues() {
    assertRefused("one,y\n1,5\n", NamedLoss.SQUARED, 2, "1 columns besides 'y'", "2 coordinates");
    assertRefused("one,x\n1,5\n", NamedLoss.SQUARED, 1, "no column 'y'", "one, x");
    assertRefused("one,y\n1,0\n1,7.77\n", NamedLoss.LOGISTIC, 1, "line 3", "'y'", "0 or 1");
    assertRefused("x,y\n1,0\n7.77x,1\n", NamedLoss.LOGISTIC, 1, "line 3", "'x'", "finite number");
  }

  @Test
  void aModelOfClassesHasAsManyWeightsForEach() throws IOException {
    Problem problem = load("one,y,x\n1,2,20\n1,0,-30\n", NamedLoss.SOFTMAX, 6);

    assertThat(problem.dimension()).isEqualTo(6);
    assertThat(problem.size()).isEqualTo(2);
    assertThat(problem.score(new double[] {0, -1, 0, 0, 0, 1}).fit()).isEqualTo(1);
    assertRefused("one,y\n1,0\n1,3\n", NamedLoss.SOFTMAX, 3, "line 3", "'y'", "from 0 to 2");
    assertRefused("one,y\n1,0\n1,0.5\n", NamedLoss.SOFTMAX, 2, "line 3", "'y'", "0 or 1");
    assertRefused("one,y,x\n1,0,1\n", NamedLoss.SOFTMAX, 5, "2 columns", "at least two classes");
    assertRefused("one,y,x\n1,0,1\n", NamedLoss.SOFTMAX, 2, "2 columns", "at least two classes");
  }

  private void assertRefused(String text, NamedLoss loss, int dimension, String... parts) {
    assertThatThrownBy(() -> load(text, loss, dimension))
        .isInstanceOf(InputException.class)
        .hasMessageContainingAll(parts)
        .message()
        // The file's path has random digits, but no point between them.
        .doesNotContain("7.77");
  }

  private Problem load(String text, NamedLoss loss, int dimension) throws IOException {
    Path file = Files.writeString(directory.resolve("rows.csv"), text);
    return CsvRows.load(file, "y", loss, dimension, 1, 1);
  }
}
