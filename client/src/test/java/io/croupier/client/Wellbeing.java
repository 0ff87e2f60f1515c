package io.croupier.client;

import io.croupier.schemas.Question;
import java.util.Map;

/** One person's day, for the model of docs/model.md, which shows this class. */
final class Wellbeing implements Participant {
  private final ModelSnapshot model;
  private final double[] x;
  private final boolean well;

  Wellbeing(ModelSnapshot model, Map<String, ?> day, boolean well) {
    this.model = model;
    this.x = model.features().vector(day);
    this.well = well;
  }

  private double prediction(double[] weights) {
    double sum = 0;
    for (int j = 0; j < x.length; j++) {
      sum += x[j] * weights[j];
    }
    return sum;
  }

  @Override
  public double[] gradient() { // of the logistic loss
    double slope = 1 / (1 + Math.exp(-prediction(model.weights()))) - (well ? 1 : 0);
    double[] gradient = new double[x.length];
    for (int j = 0; j < x.length; j++) {
      gradient[j] = slope * x[j];
    }
    return gradient;
  }

  @Override
  public double size() {
    return Sizes.ofLinear(model.terms(), x, gradient());
  }

  @Override
  public boolean canAnswer(Question question) {
    return question.hasAccuracy();
  }

  @Override
  public boolean answer(Question question) {
    return (prediction(model.average()) >= 0) == well;
  }
}
