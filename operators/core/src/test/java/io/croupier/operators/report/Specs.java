package io.croupier.operators.report;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.ModelSpec;
import java.nio.DoubleBuffer;

/** Specs and reports of the tests. */
public final class Specs {
  private Specs() {}

  /** Returns the spec of a text. */
  public static ModelSpec parse(String text) {
    return parse(text, ModelSpec.class);
  }

  /** Returns the message of a text. */
  public static <T extends Message> T parse(String text, Class<T> type) {
    try {
      return TextFormat.parse(text, type);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** Returns a spec of model "m". */
  public static ModelSpec of(int dimension, double gradientBound, String rest) {
    return parse(
        "model_id: 'm' dimension: %d gradient_bound: %s %s"
            .formatted(dimension, gradientBound, rest));
  }

  /** Returns a spec of model "m" for BANCO. */
  public static ModelSpec banco(int dimension, double gradientBound, String strongestNoise) {
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
