package io.croupier.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The whole job in the worlds of the first seeds, which every build runs. */
class SimulationITCase {
  @Test
  void nothingIsFound() {
    assertThat(LongStream.range(0, 300).mapToObj(SimulationTest::finding).toList())
        .allMatch(String::isEmpty);
  }
}
