package io.croupier.operators.report;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.ModelSpec;
import java.nio.DoubleBuffer;

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

  static ReportDraft report(Mechanism mechanism, double... values) {
    ReportDraft report = new ReportDraft();
    report.form = VectorForm.DENSE;
    report.dimension = values.length;
    report.values = PackedVectors.encode(values);
    report.mechanism = mechanism;
    return report;
  }

  static ReportDraft coordinateLaplace(double[] taus, double... values) {
    return report(coordinates(taus), values);
  }

  static Mechanism coordinates(double... taus) {
    return new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), DeclaredClip.UNSPECIFIED, 0);
  }
}
