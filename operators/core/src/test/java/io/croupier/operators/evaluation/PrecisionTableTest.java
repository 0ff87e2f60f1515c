package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.ResponseLaw;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** How many answers a precision takes: the table of docs/build/evaluation.md. */
class PrecisionTableTest {
  private static final double[] PRECISIONS = {0.1, 0.05, 0.03, 0.02, 0.01};
  private static final double[] EPSILONS = {0.5, 1, 2, 4, 8};

  /** When this changes, copy the table from the failure message to docs/build/evaluation.md. */
  @Test
  void theTableIsThatOfTheDocs() throws IOException {
    assertThat(Files.readString(Path.of("../../docs/build/evaluation.md"))).contains(table());
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| level of an answer |");
    for (double precision : PRECISIONS) {
      table.append(" +- %s |".formatted(precision));
    }
    table.append("\n|---|").append("---|".repeat(PRECISIONS.length)).append('\n');
    for (double epsilon : EPSILONS) {
      table.append(row("epsilon %s".formatted(plain(epsilon)), ResponseLaw.ofEpsilon(epsilon)));
    }
    for (double mu : new double[] {0.5, 1, 2}) {
      table.append(row("mu %s".formatted(plain(mu)), ResponseLaw.ofMu(mu)));
    }
    return table.append(row("no randomisation", new ResponseLaw(1, 1))).toString();
  }

  private static String plain(double level) {
    return level == Math.rint(level) ? "%.0f".formatted(level) : Double.toString(level);
  }

  private static String row(String name, ResponseLaw law) {
    StringBuilder row = new StringBuilder("| ").append(name).append(" |");
    for (double precision : PRECISIONS) {
      row.append(String.format(Locale.ROOT, " %,d |", answers(law.strength(), precision)));
    }
    return row.append('\n').toString();
  }

  /** The least even number of answers, half of them yes, whose interval is narrow enough. */
  private static int answers(double strength, double precision) {
    int tooFew = 0;
    int enough = 2;
    while (halfWidth(enough, strength) > precision) {
      tooFew = enough;
      enough *= 2;
    }
    while (enough - tooFew > 2) {
      int middle = (tooFew + enough) / 4 * 2;
      if (halfWidth(middle, strength) > precision) {
        tooFew = middle;
      } else {
        enough = middle;
      }
    }
    return enough;
  }

  private static double halfWidth(int answers, double strength) {
    AnswerTally tally = AnswerTally.lasting();
    for (int i = 0; i < answers; i++) {
      tally.add(i % 2 == 0 ? strength : -strength, 0);
    }
    FractionEstimate estimate = tally.estimate().orElseThrow();
    return (estimate.high() - estimate.low()) / 2;
  }
}
