package io.croupier.operators.flink.shuffle;

import io.croupier.operators.report.Clip;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import java.io.IOException;

/** The format of {@link Report}. */
public final class ReportSerializer extends RecordSerializer<Report> {
  private static final long serialVersionUID = 1;
  private static final VectorForm[] FORMS = VectorForm.values();
  private static final Declaration[] DECLARATIONS = Declaration.values();
  private static final Clip[] CLIPS = Clip.values();

  /** Creates a serializer. */
  public ReportSerializer() {
    super(Report.class, 2, Location.TRANSIT);
  }

  @Override
  protected void pass(FieldPass fields, Report from, Report to) throws IOException {
    to.modelId = fields.name(from.modelId);
    to.round = fields.number(from.round);
    to.userId = fields.text(from.userId);
    to.deviceId = fields.text(from.deviceId);
    to.sequence = fields.number(from.sequence);
    to.form = fields.constant(from.form, FORMS);
    to.dimension = fields.integer(from.dimension);
    to.values = fields.bytes(from.values);
    to.indices = fields.integers(from.indices);
    to.y = fields.real(from.y);
    to.declaration = fields.constant(from.declaration, DECLARATIONS);
    to.level = fields.real(from.level);
    to.levelIsMu = fields.flag(from.levelIsMu);
    to.gradientBound = fields.real(from.gradientBound);
    to.question = fields.name(from.question);
    to.bit = fields.flag(from.bit);
    to.taus = fields.bytes(from.taus);
    to.clip = fields.constant(from.clip, CLIPS);
    to.candidates = fields.integer(from.candidates);
    to.top = fields.integer(from.top);
    to.candidateSeed = fields.number(from.candidateSeed);
    to.candidateIndex = fields.integer(from.candidateIndex);
    to.digest = fields.fixed(from.digest);
    to.partition = fields.integer(from.partition);
    to.offset = fields.number(from.offset);
    to.appendedAtMs = fields.fixed(from.appendedAtMs);
    to.erasure = fields.since(2).flag(from.erasure);
  }

  @Override
  public Report createInstance() {
    return new Report();
  }

  @Override
  public ReportSerializer duplicate() {
    return new ReportSerializer();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<Report> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(ReportSerializer::new);
    }
  }
}
