package io.croupier.schemas;

import java.util.List;

/** What makes the prediction of a spec well-formed, and what it implies. */
public final class PredictionRules {

  private PredictionRules() {}

  /**
   * The label as a device reads it from a row: as a feature of its kind and values.
   *
   * @throws IllegalArgumentException if the loss is none that this version knows
   */
  public static Feature label(Prediction prediction) {
    Feature.Builder label = Feature.newBuilder().setName(prediction.getLabel());
    return switch (prediction.getLossCase()) {
      case LOGISTIC, HINGE -> label.setYesNo(YesNo.getDefaultInstance()).build();
      case SOFTMAX ->
          label
              .setOneHot(
                  OneHot.newBuilder().addAllCategories(prediction.getSoftmax().getClassesList()))
              .build();
      case SQUARED -> label.setRange(prediction.getSquared().getRange()).build();
      case PINBALL -> label.setRange(prediction.getPinball().getRange()).build();
      case LOSS_NOT_SET ->
          throw new IllegalArgumentException(
              String.format(
                  "the loss of label '%s' is none that this version knows", prediction.getLabel()));
    };
  }

  /** The number of predictions, each of which has weights of its own. */
  public static int predictions(Prediction prediction) {
    return prediction.hasSoftmax() ? prediction.getSoftmax().getClassesCount() : 1;
  }

  /** Label, kind and loss in words, for operators. */
  public static String inWords(Prediction prediction) {
    String name = prediction.getLabel();
    return switch (prediction.getLossCase()) {
      case LOGISTIC -> name + ", true or false, by the logistic loss";
      case HINGE -> name + ", true or false, by the hinge loss";
      case SOFTMAX ->
          String.format(
              "%s, one of %d classes, by the softmax loss", name, predictions(prediction));
      case SQUARED -> inRange(name, prediction.getSquared().getRange()) + " squared loss";
      case PINBALL ->
          inRange(name, prediction.getPinball().getRange())
              + " pinball loss of level "
              + prediction.getPinball().getLevel();
      case LOSS_NOT_SET -> name + ", by a loss that this version doesn't know";
    };
  }

  private static String inRange(String name, Range range) {
    return String.format("%s, from %s to %s, by the", name, range.getFrom(), range.getTo());
  }

  static void check(ModelSpec spec, Violations violations) {
    if (!spec.hasPredicts()) {
      return;
    }
    Prediction prediction = spec.getPredicts();
    violations.require(
        !ModelSpecs.isCentral(spec), "predicts", "set", "left out for a central model");
    violations.require(
        spec.getFeaturesCount() > 0,
        "predicts",
        "set",
        "left out, since the model describes no features");
    Violations ofPrediction = new Violations();
    checkLabel(spec, ofPrediction);
    checkLoss(prediction, ofPrediction);
    ofPrediction.list().forEach(violations::add);
    if (ofPrediction.list().isEmpty() && spec.getFeaturesCount() > 0) {
      checkModel(spec, violations);
    }
  }

  private static void checkLabel(ModelSpec spec, Violations violations) {
    String label = spec.getPredicts().getLabel();
    violations.text("predicts.label", label);
    violations.require(
        spec.getFeaturesList().stream().noneMatch(feature -> feature.getName().equals(label)),
        "predicts.label",
        '"' + label + '"',
        "another than those of the features");
  }

  private static void checkLoss(Prediction prediction, Violations violations) {
    switch (prediction.getLossCase()) {
      case LOGISTIC, HINGE -> {}
      case SOFTMAX ->
          FeatureRules.checkNames(
              "predicts.softmax.classes", prediction.getSoftmax().getClassesList(), violations);
      case SQUARED ->
          FeatureRules.checkRange(
              "predicts.squared.range", prediction.getSquared().getRange(), violations);
      case PINBALL -> {
        Pinball pinball = prediction.getPinball();
        FeatureRules.checkRange("predicts.pinball.range", pinball.getRange(), violations);
        String field = "predicts.pinball.level";
        if (violations.required(field, pinball.hasLevel(), "above 0 and below 1")) {
          double level = pinball.getLevel();
          violations.require(level > 0 && level < 1, field, level, "above 0 and below 1");
        }
      }
      case LOSS_NOT_SET ->
          violations.add(
              "predicts", "has no loss: it must be logistic, softmax, squared, pinball or hinge");
    }
  }

  /** What the loss requires of the rest of the spec. */
  private static void checkModel(ModelSpec spec, Violations violations) {
    Prediction prediction = spec.getPredicts();
    List<Feature> features = spec.getFeaturesList();
    if (features.stream().allMatch(f -> f.getKindCase() != Feature.KindCase.KIND_NOT_SET)) {
      long values = FeatureRules.values(features);
      violations.require(
          spec.getDimension() == values * predictions(prediction),
          "dimension",
          spec.getDimension(),
          String.format(
              "%d, the values that the features make (%d) times the predictions (%d)",
              values * predictions(prediction), values, predictions(prediction)));
    }
    violations.require(
        !prediction.hasSquared() || spec.getAdaptiveClip().getSize() != AdaptiveClip.Size.FEATURES,
        "adaptive_clip.size",
        "FEATURES",
        "GRADIENT, since the slope of the squared loss has no bound");
    boolean isNumber = label(prediction).hasRange();
    for (int i = 0; i < spec.getQuestionsCount(); i++) {
      violations.require(
          !isNumber || !spec.getQuestions(i).hasAccuracy(),
          "questions[" + i + "]",
          "about accuracy",
          "about loss_above, since the model predicts a number");
    }
  }
}
