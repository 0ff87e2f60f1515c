package io.croupier.cli.report;

import io.croupier.client.ModelSnapshot;

/** A gradient that is to be reported. */
final class EvaluatedGradient {
  private final ModelSnapshot model;
  private final long round;
  private final double[] gradient;

  /**
   * Keeps the array.
   *
   * @param model whose loss it is the gradient of
   * @param round the published round at whose weights it was evaluated
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
