package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.ModelUpdate;
import java.util.HexFormat;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Vectors of a person's features, against those of the Java client. */
class FeaturesTest extends BrowserFixture {
  private static final String FEATURES =
      "[{name: 'one', intercept: {}}, {name: 'walked', range: {from: 0, to: 180}},"
          + " {name: 'well', yesNo: {}}, {name: 'shift', oneHot: {categories: ['a', 'b']}},"
          + " {name: 'note', encoder: {length: 2, digest:"
          + " 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'}}]";

  private static Value run(String program) {
    return browser.call(
        "(module) => { const abc = new Uint8Array([97, 98, 99]);"
            + " const features = new module.Features("
            + FEATURES
            + "); return "
            + program
            + "; }");
  }

  /** Bit for bit, so that a weight means the same on every device. */
  @Test
  void vectorsAreThoseOfJava() throws Exception {
    Value vector =
        browser.call(
            "(module) => (update, row) => { let features = module.readUpdate(JSON.parse(update))"
                + ".features; for (const feature of JSON.parse(update).features) {"
                + " if (feature.encoder) features = features.withEncoder(feature.name,"
                + " new Uint8Array([97, 98, 99]), (x) => x); }"
                + " return features.vector(JSON.parse(row)); }");
    int rows = 0;
    for (JsonNode one : Browser.golden("features")) {
      byte[] bytes = HexFormat.of().parseHex(one.get("update").asText());
      String update = JsonFormat.printer().print(ModelUpdate.parseFrom(bytes));
      for (JsonNode row : one.get("rows")) {
        double[] expected = new double[row.get("vector").size()];
        for (int j = 0; j < expected.length; j++) {
          expected[j] = row.get("vector").get(j).asDouble();
        }
        Value actual = vector.execute(update, row.get("row").toString());
        assertThat(Browser.doubles(actual)).containsExactly(expected);
        rows++;
      }
    }
    assertThat(rows).isEqualTo(300);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | feature 'walked' is missing; it must be a number",
        "{wlaked: 4567, age: 1789} | feature 'walked' is missing; it must be a number; names in"
            + " the row that are no feature's: 2",
        "{walked: null} | feature 'walked' is missing; it must be a number",
        "{walked: '4567'} | feature 'walked' is a text; it must be a number",
        "{walked: 4567n} | feature 'walked' is a BigInt; it must be a number",
        "{walked: NaN} | feature 'walked' is not finite; it must be a number",
        "{walked: 4567, well: 1789} | feature 'well' is a number; it must be true or false",
        "{walked: 4567, well: true} | feature 'shift' is missing; it must be a text",
        "{walked: 4567, well: true, shift: 1789} | feature 'shift' is a number; it must be a text",
        "{walked: 4567, well: true, shift: 'a'} | feature 'note' is missing; it must be what",
        "{walked: 4567, well: true, shift: 'a', note: 'n'} | the encoder of feature 'note' is missing",
      })
  void whatIsWrongIsNamedWithoutTheValue(String row, String message) {
    assertThatThrownBy(() -> run("features.vector(" + row + ")"))
        .hasMessageStartingWith("CroupierError: " + message)
        .hasMessageNotContainingAny("4567", "1789");
  }

  @Test
  void anEncoderIsUsedOnlyWithItsDigest() {
    assertThatThrownBy(() -> run("features.withEncoder('note', abc.slice(1), (x) => x)"))
        .hasMessageContainingAll("the digest of the encoder of feature 'note'", "ba7816bf8f01cfea");
    assertThatThrownBy(() -> run("features.withEncoder('walked', abc, (x) => x)"))
        .hasMessageContaining("feature is the text 'walked'; it must be one with an encoder");
    String row = ".vector({walked: 45, well: false, shift: 'c', note: 7})";
    assertThatThrownBy(() -> run("features.withEncoder('note', abc, (x) => [x])" + row))
        .hasMessageContaining("feature 'note' is 1; it must be 2");
    assertThatThrownBy(() -> run("features.withEncoder('note', abc, (x) => [x, NaN])" + row))
        .hasMessageContaining("feature 'note' is malformed; it must be finite");
    assertThat(Browser.doubles(run("features.withEncoder('note', abc, (x) => [x, 0])" + row)))
        .containsExactly(1, -0.5, 0, 0, 0, 1, 0);
  }

  @Test
  void theSizeAndTheBoundArePublic() {
    assertThat(run("features.size").asInt()).isEqualTo(7);
    assertThat(run("features.largestNorm").asDouble()).isEqualTo(Math.sqrt(5));
    assertThat(run("features.names.join()").asString()).isEqualTo("one,walked,well,shift,note");
    assertThatThrownBy(() -> run("new module.Features([{name: 'sound', wave: {}}])"))
        .hasMessageContaining("the kind of feature 'sound' is unknown to croupier.js ");
  }

  @Test
  void anUpdateWhoseFeaturesDontFitIsUsableByDevicesThatTakeVectorsAsTheyAre() {
    String update =
        "module.readUpdate({modelId: 'm', round: '0', weights: [0, 0, 0], average: [0, 0, 0],"
            + " gradientBound: 1, gridExponent: -16, features: [{name: 'a', oneHot: {categories:"
            + " ['x', 'y']}}]})";
    assertThat(run(update + ".weights.length").asInt()).isEqualTo(3);
    assertThatThrownBy(() -> run(update + ".features"))
        .hasMessageContaining("the features make 2 values; there are 3 weights");
    assertThat(run(update.replace(", features:", ", other:") + ".features.names.length").asInt())
        .isZero();
  }
}
