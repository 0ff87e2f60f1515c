package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A visitor's browser encodes the answers to the census questions as this program does. */
@Tag("ci")
class CensusEncodingTest {
  private static final Path MODULE = Path.of("src/main/resources/io/croupier/cli/demo/census.js");
  private static final List<String> NUMBERS = List.of("education", "experience");
  private static final List<String> WORDS = List.of("ethnicity", "smsa", "region", "parttime");

  @Test
  void theBrowsersFeaturesAreThoseOfAllRowsBitForBit() throws Exception {
    assertSameFeatures(1);
  }

  @Tag("thorough")
  @Test
  void inOtherUnitsTheyAreToo() throws Exception {
    assertSameFeatures(0.01);
  }

  private static void assertSameFeatures(double scale) throws Exception {
    DataSet census = Census.load().times(scale);
    Problem problem = census.problem();
    int d = problem.dimension();
    double[] gradient = new double[d];
    CsvTable table = table();
    Map<String, double[]> numbers = new HashMap<>();
    NUMBERS.forEach(column -> numbers.put(column, table.numbers(column)));
    Map<String, List<String>> words = new HashMap<>();
    WORDS.forEach(column -> words.put(column, table.column(column)));
    try (Context context =
        Context.newBuilder("js")
            .option("engine.WarnInterpreterOnly", "false")
            .option("js.esm-eval-returns-exports", "true")
            .build()) {
      Value encode =
          context
              .eval(
                  Source.newBuilder("js", MODULE.toFile())
                      .mimeType("application/javascript+module")
                      .build())
              .getMember("encode");
      for (int i = 0; i < problem.size(); i++) {
        Map<String, Object> row = new HashMap<>();
        for (String column : NUMBERS) {
          row.put(column, numbers.get(column)[i]);
        }
        for (String column : WORDS) {
          row.put(column, words.get(column).get(i));
        }
        Value features = encode.execute(ProxyObject.fromMap(row), census.scale());

        // At zero weights the slope of the loss is exactly a half, with the target's sign.
        problem.gradient(i, new double[d], gradient);
        double slope = Math.copySign(0.5, gradient[0]);
        assertThat(features.getArraySize()).isEqualTo(d);
        for (int j = 0; j < d; j++) {
          // Adding 0 makes a negative zero positive.
          assertThat(Double.doubleToRawLongBits(features.getArrayElement(j).asDouble() + 0.0))
              .as("row %s, feature %s", i, j)
              .isEqualTo(Double.doubleToRawLongBits(gradient[j] / slope + 0.0));
        }
      }
    }
  }

  private static CsvTable table() throws Exception {
    try (InputStream in = Census.class.getResourceAsStream("census-wages-1988.csv.gz")) {
      return CsvTable.read("census", new GZIPInputStream(in));
    }
  }
}
