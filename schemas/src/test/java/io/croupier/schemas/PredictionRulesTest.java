package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredictionRulesTest {
  private static final String RANGE = "range { from: 0 to: 12 }";

  private static ModelSpec spec(int dimension, String rest) {
    return Texts.spec(
        "model_id: 'm' gradient_bound: 1 combined {} dimension: "
            + dimension
            + " features { name: 'one' intercept {} } features { name: 'well' yes_no {} } "
            + rest);
  }

  private static Prediction prediction(String loss) {
    return spec(2, "predicts { label: 'y' " + loss + " }").getPredicts();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | logistic {} | y, true or false, by the logistic loss",
        "2 | hinge {} | y, true or false, by the hinge loss",
        "6 | softmax { classes: 'a' classes: 'b' classes: 'c' } | y, one of 3 classes, by the softmax",
        "2 | squared { range { from: 0 to: 12 } } | y, from 0.0 to 12.0, by the squared loss",
        "2 | pinball { level: 0.9 range { from: 0 to: 12 } } | y, from 0.0 to 12.0, by the pinball loss of level 0.9",
      })
  void eachLossFixesLabelAndDimension(int dimension, String loss, String words) {
    String predicts = "predicts { label: 'y' " + loss + " }";
    assertThat(ModelSpecs.violations(spec(dimension, predicts))).isEmpty();
    assertThat(PredictionRules.inWords(prediction(loss))).startsWith(words);
    assertThat(PredictionRules.label(prediction(loss)).getName()).isEqualTo("y");
    assertThat(PredictionRules.predictions(prediction(loss))).isEqualTo(dimension / 2);
    Texts.assertViolation(
        spec(dimension + 1, predicts),
        "dimension is " + (dimension + 1) + ": it must be " + dimension + ", the values");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "label: '' logistic {} | predicts.label is \"\": it must be 1 to 100 characters",
        "label: 'well' logistic {} | predicts.label is \"well\": it must be another than those of the",
        "label: 'y' | predicts has no loss: it must be logistic, softmax, squared, pinball or hinge",
        "label: 'y' softmax { classes: 'a' } | predicts.softmax.classes is of length 1: it must be of",
        "label: 'y' softmax { classes: 'a' classes: 'a' } | predicts.softmax.classes[1] is \"a\": it must",
        "label: 'y' squared {} | predicts.squared.range.from is missing",
        "label: 'y' squared { range { from: 3 to: 3 } } | predicts.squared.range.to is 3.0: it must be above",
        "label: 'y' pinball { range { from: 0 to: 1 } } | predicts.pinball.level is missing: it must be",
        "label: 'y' pinball { level: 1 range { from: 0 to: 1 } } | predicts.pinball.level is 1.0: it must",
        "label: 'y' pinball { level: nan range { from: 0 to: 1 } } | predicts.pinball.level is NaN",
      })
  void saysWhatIsWrong(String predicts, String sentence) {
    assertThat(ModelSpecs.violations(spec(2, "predicts { " + predicts + " }")))
        .anySatisfy(violation -> assertThat(violation).startsWith(sentence));
  }

  @Test
  void aLossAndTheRestOfTheSpecFit() {
    String squared = "predicts { label: 'y' squared { " + RANGE + " } }";
    assertThat(
            ModelSpecs.violations(
                spec(2, squared + " adaptive_clip { size: FEATURES }").toBuilder()
                    .clearGradientBound()
                    .build()))
        .containsExactly(
            "adaptive_clip.size is FEATURES: it must be GRADIENT, since the slope of the squared"
                + " loss has no bound");
    assertThat(ModelSpecs.violations(spec(2, squared + " questions { name: 'q' accuracy {} }")))
        .containsExactly(
            "questions[0] is about accuracy: it must be about loss_above, since the model predicts a"
                + " number");
    assertThat(
            ModelSpecs.violations(
                spec(2, "predicts { label: 'y' hinge {} }").toBuilder().clearFeatures().build()))
        .containsExactly(
            "predicts is set: it must be left out, since the model describes no features");
  }

  @Test
  void whatARunningModelPredictsIsFixed() {
    ModelSpec logistic = spec(2, "predicts { label: 'y' logistic {} }");
    assertThat(ModelSpecs.changeViolations(logistic, logistic)).isEmpty();
    assertThat(
            ModelSpecs.changeViolations(logistic, spec(2, "predicts { label: 'z' logistic {} }")))
        .containsExactly("predicts.label of a running model is fixed: it is y and can't become z");
    assertThat(ModelSpecs.changeViolations(logistic, spec(2, "predicts { label: 'y' hinge {} }")))
        .hasSize(2)
        .allSatisfy(violation -> assertThat(violation).contains("of a running model is fixed"));
    assertThat(ModelSpecs.changeViolations(spec(2, ""), logistic))
        .singleElement()
        .asString()
        .startsWith("predicts of a running model is fixed: it is absent");
  }

  @Test
  void theBytesOfAnUpdateIncludeIt() {
    ModelSpec spec = spec(2, "predicts { label: 'y' logistic {} }");
    assertThat(ModelSpecs.updateBytes(spec) - ModelSpecs.updateBytes(spec(2, "")))
        .isEqualTo(
            ModelUpdate.newBuilder().setPredicts(spec.getPredicts()).build().getSerializedSize());
  }

  /** Of a later release, whose fields this one skips. */
  @Test
  void aLossThatThisVersionDoesNotKnowIsRefusedByWhoUsesIt() {
    Prediction unknown = Prediction.newBuilder().setLabel("y").build();
    assertThatThrownBy(() -> PredictionRules.label(unknown))
        .hasMessage("the loss of label 'y' is none that this version knows");
    assertThat(PredictionRules.inWords(unknown)).contains("doesn't know");
  }
}
