package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.report.AnswerContent;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.SpecGradients;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.nio.DoubleBuffer;
import java.util.Optional;

/** Reports of dimension 2 to the model "m", from device "d" of user "u". */
final class TestReports {

  private TestReports() {}

  static ReportDraft undisclosed(long sequence) {
    ReportDraft report = new ReportDraft();
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

  static ReportDraft laplace(long sequence, double epsilon) {
    return declared(sequence, new L2LaplaceMechanism(epsilon, 2));
  }

  /** An answer to the question "q", which costs what randomised response does. */
  static ReportDraft answer(long sequence, double epsilon) {
    ReportDraft report = declared(sequence, new RandomisedResponseMechanism(epsilon, false));
    report.content = new AnswerContent("q", false);
    return report;
  }

  static ReportDraft privUnit(long sequence, double epsilon, int candidates, int top) {
    return declared(sequence, new PrivUnitMechanism(epsilon, candidates, top));
  }

  static ReportDraft gaussian(long sequence, double mu) {
    return declared(sequence, new GaussianMechanism(mu));
  }

  static ReportDraft central(long sequence) {
    return central(sequence, 0);
  }

  static ReportDraft central(long sequence, long round) {
    ReportDraft report = declared(sequence, CentralNoise.CENTRAL);
    report.round = round;
    return report;
  }

  /** A report to a central model of least squares. */
  static ReportDraft example(long sequence, long round) {
    ReportDraft report = central(sequence, round);
    report.content = new ExampleContent(new byte[2 * Double.BYTES], 0);
    return report;
  }

  /** The same report, to another model. */
  static ReportDraft to(String model, ReportDraft report) {
    report.modelId = model;
    return report;
  }

  static ReportDraft coordinates(long sequence, double... taus) {
    return clipped(sequence, DeclaredClip.UNSPECIFIED, taus);
  }

  static ReportDraft clipped(long sequence, DeclaredClip clip, double... taus) {
    ReportDraft report =
        declared(sequence, new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), clip, 0));
    report.dimension = taus.length;
    return report;
  }

  /** The same report as a sparse one of dimension 2 that names only these coordinates. */
  static ReportDraft naming(ReportDraft report, int... indices) {
    report.form = VectorForm.SPARSE;
    report.dimension = 2;
    report.indices = indices;
    report.values = new byte[indices.length * Double.BYTES];
    if (report.mechanism instanceof CoordinateLaplaceMechanism laplace) {
      report.mechanism =
          new CoordinateLaplaceMechanism(laplace.taus(), laplace.clip(), 2 - laplace.count());
    }
    return report;
  }

  /** Returns the cost of a report by its declaration. */
  static Totals cost(ReportDraft report) {
    return Totals.of(report.mechanism.cost());
  }

  /** The rules of a spec whose learner accepts all noise or none, and lengths likewise. */
  static AdmissionRules rules(ModelSpec spec, boolean acceptedNoise, boolean plausible) {
    return new AdmissionRules(
        spec,
        ModelSpecs.isCentral(spec) ? Optional.of(CentralMechanism.of(spec)) : Optional.empty(),
        new SpecGradients(spec, new PrivUnitLaws()).all(),
        mechanism -> acceptedNoise,
        report -> plausible);
  }

  private static ReportDraft declared(long sequence, Mechanism mechanism) {
    ReportDraft report = undisclosed(sequence);
    report.mechanism = mechanism;
    return report;
  }
}
