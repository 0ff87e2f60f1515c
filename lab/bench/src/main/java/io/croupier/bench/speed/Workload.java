package io.croupier.bench.speed;

import io.croupier.schemas.Banco;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The job's workload: models that receive reports in turns.
 *
 * @param learner of every model
 * @param form of every report
 * @param dimension d of every model
 * @param reportsPerRound r of every model
 * @param models number of models
 */
record Workload(
    MeasuredLearner learner, ReportForm form, int dimension, int reportsPerRound, int models) {

  /** The learners that are measured. */
  enum MeasuredLearner {
    BANCO,
    COORDINATE_WISE
  }

  /** Names that Flink assigns to different subtasks if there are two. */
  static String modelId(int model) {
    return "model-" + (model + 1);
  }

  List<ModelSpec> specs() {
    return IntStream.range(0, models).mapToObj(model -> spec(modelId(model))).toList();
  }

  private ModelSpec spec(String modelId) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId(modelId)
            .setDimension(dimension)
            .setGradientBound(1)
            .setReportsPerRound(reportsPerRound);
    switch (learner) {
      case BANCO -> spec.setBanco(Banco.newBuilder().setStrongestNoise(form.noise(dimension)));
      case COORDINATE_WISE -> spec.setCoordinateWise(CoordinateWise.getDefaultInstance());
    }
    return spec.build();
  }
}
