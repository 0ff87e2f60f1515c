package io.croupier.studies;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.math3.analysis.integration.gauss.GaussIntegrator;
import org.apache.commons.math3.analysis.integration.gauss.GaussIntegratorFactory;

/**
 * Features of one law, targets around the predictions of known best weights.
 *
 * <p>The excess risk is exact up to the quadrature (relative 1e-8) for losses of a difference and
 * features on the sphere, whose projection has density proportional to (1 - u^2)^((d-3)/2);
 * elsewhere it is exact given the features, and averaged over a fixed {@link Design}.
 */
final class PredictionProblem implements Population {
  private static final GaussIntegrator NODES = new GaussIntegratorFactory().legendre(48);

  /** Beyond this the losses of a difference are straight lines to the last bit. */
  private static final double BEND = 4;

  private final Design design;
  private final Loss loss;
  private final double[] best;
  private final double[] bestPredictions;
  private final double halfSphere;

  /**
   * A problem.
   *
   * @param best the best weights, kept
   */
  PredictionProblem(Design design, Loss loss, double[] best) {
    this.design = design;
    this.loss = loss;
    this.best = best;
    this.halfSphere = integral(0, Math.PI / 2, angle -> 1);
    this.bestPredictions = new double[design.points.length];
    for (int i = 0; i < bestPredictions.length; i++) {
      bestPredictions[i] = Vectors.dot(design.points[i], best);
    }
  }

  /** Best weights with equal coordinates. */
  static double[] dense(int dimension, double norm) {
    double[] weights = new double[dimension];
    Arrays.fill(weights, norm / Math.sqrt(dimension));
    return weights;
  }

  @Override
  public int dimension() {
    return design.dimension;
  }

  @Override
  public void draw(SeededRandom random, Person into) {
    design.draw(random, into.x);
    into.target = loss.target(random, Vectors.dot(into.x, best));
  }

  @Override
  public double slope(double prediction, double target) {
    return loss.slope(prediction, target);
  }

  @Override
  public double excess(double[] weights) {
    if (loss.ofDifference && design.isSphere()) {
      return onSphere(distance(weights));
    }
    double sum = 0;
    for (int i = 0; i < bestPredictions.length; i++) {
      sum += loss.excess(bestPredictions[i], Vectors.dot(design.points[i], weights));
    }
    return sum / bestPredictions.length;
  }

  /** E loss(distance u), u = sin(angle): no singularity, even for d = 2. */
  private double onSphere(double distance) {
    if (distance <= BEND) {
      return panel(0, Math.PI / 2, distance) / halfSphere;
    }
    double knee = Math.asin(BEND / distance);
    return (panel(0, knee, distance) + panel(knee, Math.PI / 2, distance)) / halfSphere;
  }

  private double panel(double from, double to, double distance) {
    return integral(from, to, angle -> loss.excess(0, distance * Math.sin(angle)));
  }

  /** Of a function of the angle times the density of angles, which isn't normalised. */
  private double integral(double from, double to, DoubleUnaryOperator function) {
    double half = (to - from) / 2;
    double sum = 0;
    for (int i = 0; i < NODES.getNumberOfPoints(); i++) {
      double angle = from + half * (1 + NODES.getPoint(i));
      double density = Math.pow(Math.cos(angle), design.dimension - 2.0);
      sum += NODES.getWeight(i) * density * function.applyAsDouble(angle);
    }
    return half * sum;
  }

  private double distance(double[] weights) {
    double square = 0;
    for (int j = 0; j < best.length; j++) {
      square += (weights[j] - best[j]) * (weights[j] - best[j]);
    }
    return Math.sqrt(square);
  }
}
