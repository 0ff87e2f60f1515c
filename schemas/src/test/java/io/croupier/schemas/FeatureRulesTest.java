package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FeatureRulesTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);
  private static final String GOOD =
      "features { name: 'one' intercept {} }"
          + " features { name: 'walked' range { from: 0 to: 180 } }"
          + " features { name: 'slept' moments { mean: 7 deviation: 1.5 } }"
          + " features { name: 'well' yes_no {} }"
          + " features { name: 'shift' one_hot { categories: 'day' categories: 'night' other: true } }"
          + " features { name: 'note' encoder { digest: '"
          + DIGEST
          + "' length: 4 } }";

  private static ModelSpec spec(int dimension, String features) {
    return Texts.spec(
        "model_id: 'm' gradient_bound: 1 combined {} dimension: " + dimension + " " + features);
  }

  @ParameterizedTest
  @ValueSource(ints = {11, 22, 33})
  void theDimensionIsTheNumberOfValuesForEachClass(int dimension) {
    assertThat(ModelSpecs.violations(spec(dimension, GOOD))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 12, 23})
  void anotherDimensionIsNamedBesideTheNumberOfValues(int dimension) {
    assertThat(ModelSpecs.violations(spec(dimension, GOOD)))
        .containsExactly(
            "dimension is "
                + dimension
                + ": it must be 11, the number of values that the features make, or for k classes"
                + " k times as much");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'one' | '' | features[0].name is \"\": it must be 1 to 100 characters",
        "'one' | ' one' | features[0].name is \" one\": it must be",
        "'one' | 'a\\tb' | no blank at an end",
        "'walked' | 'one' | features[1].name is \"one\": it must be another than those before it",
        "intercept {} | | features[0] has no kind: it must be intercept, range",
        "to: 180 | | features[1].range.to is missing: it must be from -1.0E100",
        "to: 180 | to: 0 | features[1].range.to is 0.0: it must be above 0.0",
        "to: 180 | to: inf | features[1].range.to is Infinity",
        "from: 0 | from: nan | features[1].range.from is NaN",
        "from: 0 | | features[1].range.from is missing",
        "mean: 7 | | features[2].moments.mean is missing",
        "deviation: 1.5 | deviation: 0 | features[2].moments.deviation is 0.0: it must be from",
        "categories: 'day' | | features[4].one_hot.categories is of length 1: it must be of length 2",
        "'night' | 'day' | features[4].one_hot.categories[1] is \"day\": it must be another than",
        "0123 | 0x23 | features[5].encoder.digest is \"0x23",
        "length: 4 | | features[5].encoder.length is missing: it must be from 1 to 65536",
        "length: 4 | length: 0 | features[5].encoder.length is 0: it must be from 1 to 65536",
      })
  void saysWhatIsWrong(String good, String bad, String sentence) {
    String text =
        GOOD.replaceFirst(Pattern.quote(good), Matcher.quoteReplacement(bad == null ? "" : bad));
    assertThat(text).isNotEqualTo(GOOD);
    assertThat(ModelSpecs.violations(spec(11, text))).singleElement().asString().contains(sentence);
  }

  @Test
  void allFaultsAreNamed() {
    String text =
        GOOD.replace("to: 180", "").replace("deviation: 1.5", "").replace("yes_no {}", "");
    assertThat(ModelSpecs.violations(spec(11, text))).hasSize(3);
  }

  @Test
  void thereAreAtMost1024() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 1025; i++) {
      many.append("features { name: 'f%d' yes_no {} } ".formatted(i));
    }
    assertThat(ModelSpecs.violations(spec(1025, many.toString())))
        .containsExactly("features is of length 1025: it must be at most 1024");
  }

  @Test
  void featuresOfARunningModelAreFixed() {
    ModelSpec current = spec(11, GOOD);
    assertThat(ModelSpecs.changeViolations(current, current)).isEmpty();
    assertThat(ModelSpecs.changeViolations(current, spec(11, GOOD.replace("180", "90"))))
        .containsExactly(
            "features[1].range.to of a running model is fixed: it is 180.0 and can't become 90.0");
    assertThat(ModelSpecs.changeViolations(current, spec(11, "")))
        .containsExactly(
            "features of a running model is fixed: it is 6 values and can't become 0 values");
    String absent = "features { name: 'a' one_hot { categories: 'x' categories: 'y' } }";
    assertThat(
            ModelSpecs.changeViolations(
                spec(2, absent), spec(2, absent.replace("'y'", "'y' other: false"))))
        .isEmpty();
  }

  @Test
  void theBytesOfAnUpdateIncludeThem() {
    long more = ModelSpecs.updateBytes(spec(11, GOOD)) - ModelSpecs.updateBytes(spec(11, ""));
    assertThat(more)
        .isEqualTo(
            ModelUpdate.newBuilder()
                .addAllFeatures(spec(11, GOOD).getFeaturesList())
                .build()
                .getSerializedSize());
  }
}
