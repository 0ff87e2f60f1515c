package io.croupier.cli.report;

import io.croupier.client.ModelSnapshot;

/** A gradient to report. */
final class EvaluatedGradient {
  private final ModelSnapshot model;
  private final long round;
  private final double[] gradient;

  /**
   * Keeps the array without a copy.
   *
   * @param model the model that receives the report
   * @param round the published round at whose weights the gradient was evaluated
   * @param gradient shape [d]
   */
  EvaluatedGradient(ModelSnapshot model, long round, double[] gradient) {
    this.model = model;
    this.round = round;
    this.gradient = gradient;
  }

  ModelSnapshot model() {
    return model;
  }

  long round() {
    return round;
  }

  double[] gradient() {
    return gradient;
  }
}
