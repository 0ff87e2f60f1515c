package io.croupier.job;

import io.croupier.schemas.Central;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelUpdate;
import java.util.Collections;
import java.util.Random;

/**
 * Users' answers to updates of the models of {@link LearningScenario}: gradients of their {@link
 * LogisticProblem} at the published weights, with the noise that the model requires. Data and noise
 * are seeded. Not thread-safe.
 */
final class LogisticAnswers {
  /** A small whole number, so that totals of epsilon are exact in any order of summation. */
  private static final double EPSILON = 16;

  private static final double TAU = 2;
  private static final double MU = 4;

  private final Random random;

  /** Answers whose data and noise derive from {@code random}. */
  LogisticAnswers(Random random) {
    this.random = random;
  }

  /** An answer with noise; the caller adds its sender. */
  GradientReport.Builder noised(ModelUpdate at) {
    GradientReport.Builder report = to(at);
    double bound = at.getGradientBound();
    double[] gradient = gradient(at);
    switch (at.getModelId()) {
      case "coordinate-wise" -> {
        report.setCoordinateLaplace(
            CoordinateLaplace.newBuilder()
                .addAllTaus(Collections.nCopies(LogisticProblem.DIMENSION, TAU)));
        for (int j = 0; j < gradient.length; j++) {
          double sign = random.nextBoolean() ? 1 : -1;
          gradient[j] += sign * exponential() * 2 * bound / TAU;
        }
      }
      case "ldp-sgd" -> {
        report.setGaussian(Gaussian.newBuilder().setMu(MU));
        for (int j = 0; j < gradient.length; j++) {
          gradient[j] += random.nextGaussian() * 2 * bound / MU;
        }
      }
      default -> {
        report.setL2Laplace(L2Laplace.newBuilder().setEpsilon(EPSILON));
        addL2Laplace(gradient, 2 * bound / EPSILON);
      }
    }
    return report.setGrid(grid(gradient, at));
  }

  /** An answer without noise; the caller adds its sender. */
  GradientReport.Builder raw(ModelUpdate at) {
    return to(at).setGrid(grid(gradient(at), at)).setCentral(Central.getDefaultInstance());
  }

  private static GradientReport.Builder to(ModelUpdate at) {
    return GradientReport.newBuilder().setModelId(at.getModelId()).setRound(at.getRound());
  }

  private double[] gradient(ModelUpdate at) {
    return LogisticProblem.gradient(LearningScenario.weights(at), random);
  }

  /** Adds noise of uniform direction whose length has the distribution Gamma(d, scale). */
  private void addL2Laplace(double[] gradient, double scale) {
    double length = 0;
    double squares = 0;
    double[] direction = new double[gradient.length];
    for (int j = 0; j < gradient.length; j++) {
      length += scale * exponential();
      direction[j] = random.nextGaussian();
      squares += direction[j] * direction[j];
    }
    for (int j = 0; j < gradient.length; j++) {
      gradient[j] += length / Math.sqrt(squares) * direction[j];
    }
  }

  private double exponential() {
    return -Math.log(1 - random.nextDouble());
  }

  /** Rounded towards zero, as clients do. */
  private static Grid grid(double[] gradient, ModelUpdate at) {
    Grid.Builder grid = Grid.newBuilder();
    for (double value : gradient) {
      grid.addValues((int) Math.scalb(value, -at.getGridExponent()));
    }
    return grid.build();
  }
}
