package io.croupier.operators.report;

import com.google.protobuf.TextFormat;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.ModelSpec;

/** Specs and reports of the tests. */
final class Specs {
  private Specs() {}

  static ModelSpec of(int dimension, double gradientBound, String rest) {
    ModelSpec.Builder builder =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(dimension)
            .setGradientBound(gradientBound);
    try {
      TextFormat.merge(rest, builder);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(e);
    }
    return builder.build();
  }

  static ModelSpec banco(int dimension, double gradientBound, String strongestNoise) {
    return of(dimension, gradientBound, "banco {strongest_noise {" + strongestNoise + "}}");
  }

  static Report report(Declaration declaration, double level, double... values) {
    Report report = new Report();
    report.form = VectorForm.DENSE;
    report.dimension = values.length;
    report.values = PackedVectors.encode(values);
    report.declaration = declaration;
    report.level = level;
    return report;
  }

  static Report coordinateLaplace(double[] taus, double... values) {
    Report report = report(Declaration.COORDINATE_LAPLACE, 0, values);
    report.taus = PackedVectors.encode(taus);
    return report;
  }
}
