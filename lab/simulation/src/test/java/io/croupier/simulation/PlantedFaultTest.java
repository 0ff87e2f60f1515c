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

  /** Of each fault, the seed that lab/e2e/faults.md states. */
  private static Map<String, Long> table() throws IOException {
    Map<String, Long> table = new HashMap<>();
    for (String line : Files.readAllLines(Path.of("..", "..", "lab/e2e/faults.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        table.put(row.group(1), Long.valueOf(row.group(2)));
      }
    }
    return table;
  }

  /** A change of what seeds draw changes the table. */
  @ParameterizedTest
  @EnumSource
  void itIsFoundAtTheSeedThatTheTableStates(PlantedFault fault) throws IOException {
    assertThat(finds(table().get(fault.name()), fault))
        .as(() -> "the first seed that finds it is now " + firstSeed(fault, 2_000))
        .isTrue();
  }

  private static boolean finds(long seed, PlantedFault fault) {
    return WorldRun.run(seed, fault.parts()).finding().isPresent();
  }

  private static long firstSeed(PlantedFault fault, int among) {
    return LongStream.range(0, among).filter(seed -> finds(seed, fault)).findFirst().orElseThrow();
  }

  @Test
  void aFindingIsShortened() {
    PlantedFault fault = PlantedFault.KEEPS_SUMS_AT_BARRIERS;
    long seed = firstSeed(fault, 10);
    Outcome whole = WorldRun.run(seed, fault.parts());

    Outcome shortest = Shrinker.shrink(seed, fault::parts, whole);
    assertThat(shortest.finding()).isPresent();
    assertThat(shortest.lines()).hasSizeLessThan(whole.lines().size() / 4);
    assertThat(shortest.lines().get(shortest.lines().size() - 1)).contains("FINDING (5)");
  }
}
