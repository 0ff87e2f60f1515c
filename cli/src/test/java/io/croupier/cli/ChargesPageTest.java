package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.PureCosts;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.RenyiFilter;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Every number of lab/proofs/charges.md, computed again. */
class ChargesPageTest {
  private static final double EPSILON = 8;
  private static final RenyiFilter FILTER = RenyiFilter.of(EPSILON, Math.log(1e-6));

  @Test
  void everyRowIsWhatTheLedgerCharges() throws IOException {
    List<Path> pages = ProjectFiles.matching(name -> name.equals("lab/proofs/charges.md"));
    assertThat(pages).hasSize(1);
    BiFunction<Integer, Double, PureLoss> losses = null;
    int rows = 0;
    for (String line : Files.readAllLines(pages.get(0))) {
      if (line.startsWith("## ")) {
        losses =
            switch (line) {
              case "## `privUnit`" -> NoiseMechanism.PRIV_UNIT::loss;
              case "## `l2Laplace`" -> NoiseMechanism.L2_LAPLACE::loss;
              case "## `coordinateLaplace`" -> NoiseMechanism.COORDINATE_LAPLACE::loss;
              case "## `hashedResponse`" ->
                  (categories, epsilon) ->
                      HashedResponseMechanism.of(epsilon, categories).cost().loss();
              default -> throw new AssertionError(line);
            };
      } else if (line.matches("\\| \\d.*")) {
        String[] cells = line.substring(2).split(" \\| ?|, ", -1);
        double epsilon = Double.parseDouble(cells[1]);
        PureLoss own = losses.apply(Integer.parseInt(cells[0]), epsilon);
        PureLoss former = PureLoss.ofEpsilon(epsilon);
        assertRounded(cells[2], former.rho(), line);
        assertRounded(cells[3], own.rho(), line);
        assertRounded(cells[4], former.mu(), line);
        assertRounded(cells[5], own.mu(), line);
        assertThat(cells[6]).as(line).isEqualTo(Long.toString(underMu(former)));
        assertThat(cells[7]).as(line).isEqualTo(Long.toString(underMu(own)));
        assertThat(cells[8]).as(line).isEqualTo(Long.toString(underEpsilon(former)));
        assertThat(cells[9]).as(line).isEqualTo(Long.toString(underEpsilon(own)));
        rows++;
      }
    }
    assertThat(rows).isEqualTo(72);
  }

  /** Within half a unit of its last digit. */
  private static void assertRounded(String cell, double exact, String line) {
    int decimals = cell.length() - cell.indexOf('.') - 1;
    assertThat(Double.parseDouble(cell))
        .as(line)
        .isCloseTo(exact, within(0.501 * Math.pow(10, -decimals)));
  }

  /** Of a limit of mu 10. */
  private static long underMu(PureLoss loss) {
    return 100_000_000_000_000L / PureCosts.muSquaredPicos(loss);
  }

  /** The sum of the epsilons, or of the divergences. */
  private static long underEpsilon(PureLoss loss) {
    long divergences = (long) (FILTER.budget() * 1e12 / PureCosts.renyiPicos(loss, FILTER.order()));
    return Math.max((long) (EPSILON / loss.epsilon()), divergences);
  }
}
