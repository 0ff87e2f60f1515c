package io.croupier.schemas;

import static io.croupier.schemas.Texts.assertEqual;
import static io.croupier.schemas.Texts.assertValid;
import static io.croupier.schemas.Texts.assertViolation;
import static io.croupier.schemas.Texts.changed;
import static io.croupier.schemas.Texts.spec;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveClipsTest {
  private static final String FEATURES =
      "model_id: 'm' dimension: 2 black_box {} adaptive_clip {"
          + " initial: 3 size: FEATURES slope_bound: 0.5 slope_rule: true } ";

  private static ModelSpec features(String fields) {
    return spec(FEATURES + fields);
  }

  @Test
  void defaultsAreThoseOfTheContract() {
    ModelSpec spec =
        spec("model_id: 'm' dimension: 2 combined {} adaptive_clip { size: GRADIENT }");
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    AdaptiveClip clip = spec.getAdaptiveClip();
    assertThat(AdaptiveClips.initial(clip)).isEqualTo(1);
    assertThat(AdaptiveClips.least(clip)).isEqualTo(1e-4);
    assertThat(AdaptiveClips.largest(clip)).isEqualTo(1e4);
    assertThat(AdaptiveClips.slopeBound(clip)).isEqualTo(1);
    assertThat(ModelSpecs.firstGradientBound(spec)).isEqualTo(1);
    assertThat(ModelSpecs.gridExponent(spec)).isEqualTo(-16);
    assertThat(Questions.probability(spec)).isEqualTo(0.02);
  }

  @Test
  void whatIsSetCounts() {
    ModelSpec spec = features("question_probability: 0.1 questions { name: 'a' accuracy {} }");
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    assertThat(ModelSpecs.firstGradientBound(spec)).isEqualTo(3);
    assertThat(ModelSpecs.gridExponent(spec)).isEqualTo(-15);
    assertThat(AdaptiveClips.largest(spec.getAdaptiveClip())).isEqualTo(3e4);
    assertThat(AdaptiveClips.slopeBound(spec.getAdaptiveClip())).isEqualTo(0.5);
    assertThat(Questions.probability(spec)).isEqualTo(0.1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e-96", "1e96"})
  void allClipsAreValidBounds(String initial) {
    ModelSpec spec = spec(FEATURES.replace("initial: 3", "initial: " + initial));
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    AdaptiveClip clip = spec.getAdaptiveClip();
    assertThat(AdaptiveClips.least(clip)).isGreaterThan(0.99e-100);
    assertThat(AdaptiveClips.largest(clip)).isLessThan(1.01e100);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "initial: 3 | initial: 0 | adaptive_clip.initial is 0.0: it must be a finite number above 0",
        "initial: 3 | initial: -1 | adaptive_clip.initial is -1.0",
        "initial: 3 | initial: nan | adaptive_clip.initial is NaN",
        "initial: 3 | initial: inf | adaptive_clip.initial is Infinity",
        "initial: 3 | initial: 1e97 | adaptive_clip.initial is 1.0E97",
        "initial: 3 | initial: 1e-97 | adaptive_clip.initial is 1.0E-97",
        "size: FEATURES | | adaptive_clip.size is missing: it must be FEATURES or GRADIENT",
        "size: FEATURES | size: SIZE_UNSPECIFIED | adaptive_clip.size is missing",
        "slope_bound: 0.5 | slope_bound: 0 | adaptive_clip.slope_bound is 0.0: it must be a finite",
        "slope_bound: 0.5 | slope_bound: nan | adaptive_clip.slope_bound is NaN",
        "slope_bound: 0.5 | slope_bound: inf | adaptive_clip.slope_bound is Infinity",
        "dimension: 2 | dimension: 2 gradient_bound: 1 | gradient_bound is 1.0: it must be left out",
        "dimension: 2 | dimension: 2 grid_exponent: 1 | grid_exponent is 1: it must be left out",
        "dimension: 2 | dimension: 2 report_bound: 9 | report_bound is 9.0: it must be left out",
        "dimension: 2 | dimension: 2 question_probability: 0 | question_probability is 0.0: it must be above 0",
        "dimension: 2 | dimension: 2 question_probability: 1 | question_probability is 1.0",
        "dimension: 2 | dimension: 2 questions { name: 'clip' accuracy {} } | questions[0].name is \"clip\": it must be another",
        "black_box {} | ldp_sgd { step_size: 1 decay: 0 } | adaptive_clip is set: it must be left out unless",
        "black_box {} | coordinate_wise {} | adaptive_clip is set: it must be left out unless",
        "black_box {} | black_box { prior { conjugate {} } } | black_box.prior is conjugate: it must be improper or left out",
        "black_box {} | black_box { prior { uniform {} } } | black_box.prior is uniform: it must be",
        "black_box {} | black_box { prior { cv {} } } | black_box.prior is cv: it must be",
        "black_box {} | black_box { prior {} } | black_box.prior is empty",
      })
  void namesWhatIsWrong(String good, String bad, String reason) {
    assertViolation(spec(changed(FEATURES, good, bad)), reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box { radius: 4 }",
        "black_box { prior { improper {} } }",
        "adaptive_radius {}",
      })
  void onlyTheBlackBoxAndItsDeprecatedNameMayHaveIt(String learner) {
    ModelSpec spec = spec(FEATURES.replace("black_box {}", learner));
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    assertThat(ModelSpecs.current(spec).getAdaptiveClip()).isEqualTo(spec.getAdaptiveClip());
  }

  @Test
  void aSlopeBelongsToFeatures() {
    String gradient = FEATURES.replace("FEATURES", "GRADIENT");
    assertThat(ModelSpecs.violations(spec(gradient)))
        .containsExactly(
            "adaptive_clip.slope_bound is 0.5: it must be left out unless size is FEATURES",
            "adaptive_clip.slope_rule is true: it must be left out unless size is FEATURES");
  }

  @Test
  void centralAndOtherModelsHaveAFixedBound() {
    ModelSpec banco =
        spec(
            FEATURES.replace(
                "black_box {}", "banco { strongest_noise { l2_laplace { epsilon: 1 } } }"));
    ModelSpec central =
        spec(
            FEATURES.replace(
                "black_box {}",
                Texts.CENTRAL_LIMITS + "dp_ftrl { " + Texts.TREE + "learning_rate: 1 }"));
    for (ModelSpec spec : new ModelSpec[] {banco, central}) {
      assertThat(ModelSpecs.violations(spec))
          .contains(
              "adaptive_clip is set: it must be left out unless the learner is combined or black_box:"
                  + " the others rely on a bound that never changes");
    }
  }

  @Test
  void aQuestionNamedClipIsFreeOtherwise() {
    assertValid(Texts.COMMON + "black_box {} questions { name: 'clip' accuracy {} }");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "initial: 3 | initial: 4 | adaptive_clip.initial of a running model is fixed",
        "initial: 3 | | adaptive_clip.initial of a running model is fixed: it is 3.0 and can't become 1.0",
        "slope_bound: 0.5 | | adaptive_clip.slope_bound of a running model is fixed: it is 0.5 and",
        "slope_rule: true | | adaptive_clip.slope_rule of a running model is fixed: it is true and",
      })
  void theClipOfARunningModelIsFixed(String good, String bad, String reason) {
    ModelSpec next = spec(changed(FEATURES, good, bad));
    assertThat(ModelSpecs.changeViolations(features(""), next))
        .singleElement()
        .asString()
        .startsWith(reason);
  }

  @Test
  void anAbsentFieldEqualsItsDefault() {
    ModelSpec implied =
        spec("model_id: 'm' dimension: 2 black_box {} adaptive_clip { size: FEATURES }");
    ModelSpec explicit =
        spec(
            "model_id: 'm' dimension: 2 black_box {} adaptive_clip { initial: 1"
                + " size: FEATURES slope_bound: 1 slope_rule: false } question_probability: 0.5");
    assertEqual(implied, explicit);
  }

  @Test
  void aFixedBoundStaysFixed() {
    ModelSpec fixed = spec("model_id: 'm' dimension: 2 gradient_bound: 3 black_box {}");
    assertThat(ModelSpecs.changeViolations(fixed, features(""))).isNotEmpty();
    assertThat(ModelSpecs.changeViolations(features(""), fixed)).isNotEmpty();
  }
}
