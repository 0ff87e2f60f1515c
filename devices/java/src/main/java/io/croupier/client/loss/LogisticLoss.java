package io.croupier.client.loss;

/**
 * The cross-entropy {@code log(1 + e^p) - y p} of a prediction p (log odds) and a target y in {0,
 * 1}. Finite wherever p is.
 */
public record LogisticLoss() implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    // Computes log(1 + e^p) - y p without cancellation for large p.
    double wrong = target > 0.5 ? -prediction : prediction;
    return Math.max(wrong, 0) + PortableMath.log1p(PortableMath.exp(-Math.abs(wrong)));
  }

  @Override
  public double slope(double prediction, double target) {
    return target > 0.5
        ? -PortableMath.probability(-prediction)
        : PortableMath.probability(prediction);
  }

  @Override
  public double curvature(double prediction, double target) {
    return PortableMath.probability(prediction) * PortableMath.probability(-prediction);
  }

  @Override
  public double steepest() {
    return 1;
  }

  @Override
  public int classes() {
    return 2;
  }
}
