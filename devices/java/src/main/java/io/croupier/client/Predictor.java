package io.croupier.client;

import io.croupier.client.loss.PortableMath;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.schemas.Feature;
import io.croupier.schemas.Prediction;
import io.croupier.schemas.PredictionRules;
import io.croupier.schemas.Range;
import java.util.Arrays;
import java.util.Map;

/**
 * What a model predicts, as its updates name it: makes a person's {@link Rows} of named values, and
 * predictions. No message contains a value of a person.
 */
final class Predictor {
  private final Features features;
  private final Prediction prediction;
  private final Feature label;
  private final PredictionLoss loss;

  /**
   * Reads the prediction of an update.
   *
   * @throws IllegalArgumentException if its loss is none that this version knows
   */
  Predictor(Features features, Prediction prediction) {
    this.features = features;
    this.prediction = prediction;
    label = PredictionRules.label(prediction);
    loss = PredictionLoss.of(prediction);
  }

  /** The row of a person's values, by names of the features and of the label. */
  Rows rows(Map<String, ?> row) {
    double[] values = features.withLabel(label).vector(row);
    double[] target = Arrays.copyOfRange(values, features.size(), values.length);
    return Rows.of(Arrays.copyOf(values, features.size()), target(target), loss);
  }

  private double target(double[] values) {
    if (!prediction.hasSoftmax()) {
      return values[0];
    }
    for (int c = 0; c < values.length; c++) {
      if (values[c] == 1) {
        return c;
      }
    }
    throw new IllegalArgumentException(
        String.format(
            "label '%s' is none of the model's classes; it must be one of %s",
            prediction.getLabel(), String.join(", ", prediction.getSoftmax().getClassesList())));
  }

  /** The prediction for a row of features: a {@link Double}, a {@link Boolean} or a class. */
  Object predict(Map<String, ?> row, double[] average) {
    Rows rows = Rows.of(features.vector(row), 0, loss);
    if (rows.dimension() != average.length) {
      throw new IllegalArgumentException(
          String.format(
              "the update has %d weights; the features and the loss of its spec need %d",
              average.length, rows.dimension()));
    }
    double[] predictions = rows.predictions(0, average);
    return switch (prediction.getLossCase()) {
      case LOGISTIC -> PortableMath.probability(predictions[0]);
      case HINGE -> predictions[0] > 0;
      case SOFTMAX -> prediction.getSoftmax().getClasses(Softmax.predicted(predictions));
      case SQUARED, PINBALL -> number(label.getRange(), predictions[0]);
      case LOSS_NOT_SET -> throw new AssertionError("the constructor refuses it");
    };
  }

  private static double number(Range range, double value) {
    double number = range.getFrom() + (value + 1) / 2 * (range.getTo() - range.getFrom());
    return Math.max(range.getFrom(), Math.min(range.getTo(), number));
  }
}
