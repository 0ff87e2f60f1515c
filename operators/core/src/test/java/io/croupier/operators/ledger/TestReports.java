package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.SpecGradients;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Optional;

/** Reports of dimension 2 to the model "m", from device "d" of user "u". */
final class TestReports {

  private TestReports() {}

  static Report undisclosed(long sequence) {
    Report report = new Report();
    report.modelId = "m";
    report.userId = "u";
    report.deviceId = "d";
    report.sequence = sequence;
    report.digest = sequence;
    report.form = VectorForm.DENSE;
    report.dimension = 2;
    report.values = new byte[2 * Double.BYTES];
    report.topic = "gradients";
    report.partition = 3;
    report.offset = 1000 + sequence;
    return report;
  }

  static Report laplace(long sequence, double epsilon) {
    return declared(sequence, Declaration.L2_LAPLACE, epsilon);
  }

  /** An answer to the question "q", which costs what randomised response does. */
  static Report answer(long sequence, double epsilon) {
    Report report = declared(sequence, Declaration.RANDOMISED_RESPONSE, epsilon);
    report.form = VectorForm.ANSWER;
    report.dimension = 0;
    report.question = "q";
    return report;
  }

  static Report privUnit(long sequence, double epsilon, int candidates, int top) {
    Report report = declared(sequence, Declaration.PRIV_UNIT, epsilon);
    report.candidates = candidates;
    report.top = top;
    return report;
  }

  static Report gaussian(long sequence, double mu) {
    return declared(sequence, Declaration.GAUSSIAN, mu);
  }

  static Report central(long sequence) {
    return declared(sequence, Declaration.CENTRAL, 0);
  }

  static Report coordinates(long sequence, double... taus) {
    Report report = declared(sequence, Declaration.COORDINATE_LAPLACE, 0);
    report.dimension = taus.length;
    report.taus = PackedVectors.encode(taus);
    return report;
  }

  static Report clipped(long sequence, DeclaredClip clip, double... taus) {
    Report report = coordinates(sequence, taus);
    report.clip = clip;
    return report;
  }

  /** The same report as a sparse one of dimension 2 that names only these coordinates. */
  static Report naming(Report report, int... indices) {
    report.form = VectorForm.SPARSE;
    report.dimension = 2;
    report.indices = indices;
    report.values = new byte[indices.length * Double.BYTES];
    return report;
  }

  /** Returns the cost of a report by its declaration. */
  static Totals cost(Report report) {
    return Totals.of(Declaration.of(report).cost());
  }

  /** The rules of a spec whose learner accepts all noise or none, and lengths likewise. */
  static AdmissionRules rules(ModelSpec spec, boolean acceptedNoise, boolean plausible) {
    return new AdmissionRules(
        spec,
        ModelSpecs.isCentral(spec) ? Optional.of(CentralMechanism.of(spec)) : Optional.empty(),
        new SpecGradients(spec, new PrivUnitLaws()).all(),
        mechanism -> acceptedNoise,
        (report, mechanism) -> plausible);
  }

  private static Report declared(long sequence, Declaration declaration, double level) {
    Report report = undisclosed(sequence);
    report.declaration = declaration;
    report.level = level;
    return report;
  }
}
