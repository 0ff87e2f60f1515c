package io.croupier.gateway;

import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;

/** Reports without a user id. */
final class Reports {
  private Reports() {}

  /** A small grid report with much noise. */
  static GradientReport.Builder grid(String model, int dimension, long round, long sequence) {
    Grid.Builder grid = Grid.newBuilder();
    for (int i = 0; i < dimension; i++) {
      grid.addValues(100 + i);
    }
    return GradientReport.newBuilder()
        .setModelId(model)
        .setRound(round)
        .setSequence(sequence)
        .setDeviceId("phone")
        .setGrid(grid)
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(1));
  }

  static GradientReport.Builder dense(String model, long round, long sequence, double... values) {
    Dense.Builder dense = Dense.newBuilder();
    for (double value : values) {
      dense.addValues(value);
    }
    return grid(model, 1, round, sequence).setDense(dense);
  }
}
