package io.croupier.client;

import io.croupier.schemas.Question;

/** One person's day, for the model of docs/model.md, which shows this class. */
final class Wellbeing implements Participant {
  private final ModelSnapshot model;
  private final double[] x;
  private final boolean well;

  Wellbeing(ModelSnapshot model, double[] x, boolean well) {
    this.model = model;
    this.x = x;
    this.well = well;
  }

  static double[] features(double minutesWalked, double hoursSlept, String shift) {
    return new double[] {
      1,
      scaled(minutesWalked, 0, 180),
      scaled(hoursSlept, 0, 12),
      shift.equals("day") ? 1 : 0,
      shift.equals("night") ? 1 : 0,
      shift.equals("none") ? 1 : 0
    };
  }

  /** From [low, high] to [-1, 1]. */
  private static double scaled(double value, double low, double high) {
    double within = Math.max(low, Math.min(high, value));
    return 2 * (within - low) / (high - low) - 1;
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
