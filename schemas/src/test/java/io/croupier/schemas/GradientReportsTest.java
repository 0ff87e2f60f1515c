package io.croupier.schemas;

import static io.croupier.schemas.Texts.report;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GradientReportsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dense { values: [1e-300, -0.0] } undisclosed {}",
        "grid { values: [2147483647, -2147483648] } l2_laplace { epsilon: 1e-9 }",
        "sparse { dimension: 2147483647 indices: [2147483646, 0] values: [1, 2] } gaussian { mu: 1e300 }",
        "sparse { dimension: 5 } central {}",
        "dense { values: [1, nan, inf] } central {}",
        "sparse { dimension: 5 indices: 1 values: nan } central {}",
        "example { x: [1, -inf] y: nan } central {}",
        "dense { values: [1, 2] } coordinate_laplace { taus: [inf, 4.9e-324] }",
        "sparse { dimension: 2 indices: 1 values: 1 } coordinate_laplace { taus: 2 }",
        "sparse { dimension: 10000000 indices: [7, 3] values: [1, 1] } coordinate_laplace { taus: [2, inf] clip: COORDINATES }",
        "sparse { dimension: 2 } coordinate_laplace {}",
        "grid { values: 1 } coordinate_laplace { taus: 2 clip: L2 }",
        "example { x: 0 y: 0 } central {}",
        "dense { values: 1 } undisclosed {} created_at_ms: -1 device_id: ''",
      })
  void acceptsWellFormedReports(String rest) {
    assertThat(GradientReports.violations(report(rest))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dense {} undisclosed {}                                    | dense.values must not be empty",
        "dense { values: [1, nan, inf] } undisclosed {}             | dense.values must be finite",
        "grid {} undisclosed {}                                     | grid.values must not be empty",
        "undisclosed {}                                             | gradient is missing",
        "sparse { indices: 0 values: 1 dimension: 0 } undisclosed {} | sparse.dimension is 0: it must be at least 1,sparse.indices must be from 0",
        "sparse { dimension: 2 indices: 2 values: 1 } undisclosed {} | sparse.indices must be from 0",
        "sparse { dimension: 2 indices: -1 values: 1 } undisclosed {} | sparse.indices must be from 0",
        "sparse { dimension: 3 indices: [2, 0, 2] values: [1, 1, 1] } undisclosed {} | sparse.indices must be from 0",
        "sparse { dimension: 3 indices: [1, 1] values: [1, 1] } undisclosed {} | sparse.indices must be from 0",
        "sparse { dimension: 3 indices: [1, 2] values: [1] } undisclosed {} | sparse.indices and sparse.values must be",
        "sparse { dimension: 3 indices: 1 values: nan } undisclosed {} | sparse.values must be finite",
        "example { y: 1 } central {}                                | example.x must not be empty",
        "example { x: 1 } central {}                                | example.y is missing",
        "example { x: 1 y: inf } undisclosed {}                     | example.y must be finite",
        "example { x: [0, nan] y: 0 } undisclosed {}                | example.x must be finite",
        "dense { values: 1 }                                        | declaration is missing",
        "dense { values: 1 } l2_laplace {}                          | l2_laplace.epsilon is missing",
        "dense { values: 1 } l2_laplace { epsilon: 0 }              | l2_laplace.epsilon is 0.0",
        "dense { values: 1 } l2_laplace { epsilon: nan }            | l2_laplace.epsilon is NaN",
        "dense { values: 1 } gaussian { mu: inf }                   | gaussian.mu is Infinity",
        "dense { values: 1 } gaussian { mu: -1 }                    | gaussian.mu is -1.0",
        "dense { values: [1, 2] } coordinate_laplace { taus: 3 }    | coordinate_laplace.taus is of length 1: it must be of length 2; one for each of the coordinates",
        "dense { values: 1 } coordinate_laplace { taus: nan }       | coordinate_laplace.taus[0] is NaN: it must be above 0",
        "dense { values: 1 } coordinate_laplace { taus: 0 }         | coordinate_laplace.taus[0] is 0.0: it must be above 0",
        "grid { values: 1 } coordinate_laplace {}                   | coordinate_laplace.taus is of length 0: it must be of length 1; one for each of the coordinates",
        "example { x: 1 y: 1 } coordinate_laplace {}                | coordinate_laplace.taus is of length 0: it must be of length 1; one for each of the coordinates",
        "sparse { dimension: 3 indices: 1 values: 1 } coordinate_laplace { taus: [1, 1, 1] } | coordinate_laplace.taus is of length 3: it must be of length 1; one for each of sparse.indices",
        "sparse { dimension: 3 } coordinate_laplace { taus: 1 }     | coordinate_laplace.taus is of length 1: it must be of length 0; one for each of sparse.indices",
        "dense { values: 1 } undisclosed {} round: -1               | round is -1",
        "dense { values: 1 } undisclosed {} sequence: -1            | sequence is -1",
      })
  void namesWhatIsMalformed(String rest, String expected) {
    GradientReport report =
        report("").toBuilder().mergeFrom(Texts.parse(rest, GradientReport.class)).build();
    String[] starts = expected.split(",", -1);
    List<Violation> violations = GradientReports.violations(report);
    assertThat(violations).hasSameSizeAs(starts);
    for (int i = 0; i < starts.length; i++) {
      assertThat(violations.get(i).sentence()).startsWith(starts[i].replace(';', ','));
    }
  }

  /** This release can't charge a clip that only a later release defines. */
  @Test
  void refusesAClipThatIsUnknown() {
    GradientReport.Builder report =
        report("dense { values: 1 } coordinate_laplace { taus: 1 }").toBuilder();
    report.getCoordinateLaplaceBuilder().setClipValue(3);
    assertThat(GradientReports.violations(report.build()))
        .extracting(Violation::sentence)
        .containsExactly("coordinate_laplace.clip is 3: it must be L2, COORDINATES or left out");
  }

  @Test
  void findsEverythingMissingInAnEmptyReport() {
    assertThat(GradientReports.violations(GradientReport.getDefaultInstance()))
        .extracting(Violation::field)
        .containsExactly("model_id", "user_id", "round", "sequence", "gradient", "declaration");
  }

  @Test
  void idsAreBoundedInBytesNotCharacters() {
    assertThat(GradientReports.isUserId("u".repeat(256))).isTrue();
    assertThat(GradientReports.isUserId("u".repeat(257))).isFalse();
    assertThat(GradientReports.isUserId("\u00eb".repeat(128))).isTrue();
    assertThat(GradientReports.isUserId("\u00eb".repeat(129))).isFalse();
    assertThat(GradientReports.isUserId("\ud83c\udfb2".repeat(64))).isTrue();
    assertThat(GradientReports.isUserId("\ud83c\udfb2".repeat(65))).isFalse();
    assertThat(GradientReports.isUserId("")).isFalse();
    assertThat(GradientReports.isDeviceId("")).isTrue();
    assertThat(GradientReports.isDeviceId("\u20ac".repeat(86))).isFalse();
    assertThat(GradientReports.isModelId("A-z.0_9")).isTrue();
    assertThat(GradientReports.isModelId("m\n")).isFalse();
    assertThat(GradientReports.isModelId("m".repeat(101))).isFalse();
  }

  @Test
  void indicesAreThoseOfASetWhateverTheirOrder() {
    long seed = 3;
    Random random = new Random(seed);
    for (int n = 0; n < 5000; n++) {
      int dimension = 1 + random.nextInt(12);
      int[] indices = random.ints(random.nextInt(6), 0, dimension).toArray();
      boolean distinct = Arrays.stream(indices).distinct().count() == indices.length;
      assertThat(GradientReports.areIndices(indices, dimension))
          .as("seed %s: %s", seed, Arrays.toString(indices))
          .isEqualTo(distinct);
    }
  }
}
