package io.croupier.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documented table on the printed formula equals the computed values. */
class FormulaAccuracyTest {

  @Test
  void theTableStatesTheSharesOverTheDomain() throws IOException {
    assertStated("over the whole domain", FormulaAccuracy.overTheDomain());
  }

  @Test
  void theTableStatesTheSharesOfWhatALearnerVisits() throws IOException {
    assertStated("as a learner visits it", FormulaAccuracy.asVisited());
  }

  private static void assertStated(String where, FormulaAccuracy.Shares shares) throws IOException {
    String row =
        "| %s | %d %% | %d %% |"
            .formatted(
                where,
                Math.round(100 * shares.notFiniteShare()),
                Math.round(100 * shares.wrongShare()));
    assertThat(Files.readString(Path.of("..", "docs", "microbenchmarks.md"))).contains(row);
    assertThat(shares.points()).isGreaterThan(80_000);
    assertThat(shares.potentialNotFinite()).isZero();
  }
}
