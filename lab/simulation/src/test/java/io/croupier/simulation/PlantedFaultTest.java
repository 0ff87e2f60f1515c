package io.croupier.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.simulation.WorldRun.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation is believed because it finds these. */
@Tag("ci")
class PlantedFaultTest {
  private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)`: .* \\| (\\d+) \\|");

  /** Of each fault, the number of seeds that lab/e2e/faults.md states. */
  private static Map<String, Integer> table() throws IOException {
    Map<String, Integer> table = new HashMap<>();
    for (String line : Files.readAllLines(Path.of("..", "..", "lab/e2e/faults.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        table.put(row.group(1), Integer.valueOf(row.group(2)));
      }
    }
    return table;
  }

  @ParameterizedTest
  @EnumSource
  void itIsFoundAsSoonAsTheTableStates(PlantedFault fault) throws IOException {
    assertThat(
            LongStream.range(0, table().get(fault.name()))
                .mapToObj(seed -> WorldRun.run(seed, fault.parts()))
                .flatMap(outcome -> outcome.finding().stream())
                .findFirst())
        .isPresent();
  }

  @Test
  void aFindingIsShortened() {
    PlantedFault fault = PlantedFault.KEEPS_SUMS_AT_BARRIERS;
    long seed =
        LongStream.range(0, 10)
            .filter(tried -> WorldRun.run(tried, fault.parts()).finding().isPresent())
            .findFirst()
            .orElseThrow();
    Outcome whole = WorldRun.run(seed, fault.parts());

    Outcome shortest = Shrinker.shrink(seed, fault::parts, whole);
    assertThat(shortest.finding()).isPresent();
    assertThat(shortest.lines()).hasSizeLessThan(whole.lines().size() / 4);
    assertThat(shortest.lines().get(shortest.lines().size() - 1)).contains("FINDING (5)");
  }
}
