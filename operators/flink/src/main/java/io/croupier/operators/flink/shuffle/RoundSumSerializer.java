package io.croupier.operators.flink.shuffle;

import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.VectorForm;
import java.io.IOException;

/** The format of {@link RoundSum}. */
public final class RoundSumSerializer extends RecordSerializer<RoundSum> {
  private static final long serialVersionUID = 1;
  private static final VectorForm[] FORMS = VectorForm.values();

  /** Creates a serializer. */
  public RoundSumSerializer() {
    super(RoundSum.class, 2, Location.TRANSIT);
  }

  @Override
  protected void pass(FieldPass fields, RoundSum from, RoundSum to) throws IOException {
    to.modelId = fields.name(from.modelId);
    to.namedRound = fields.number(from.namedRound);
    to.count = fields.integer(from.count);
    fields.integer(0); // reports that close a round, until release 0.2.0
    to.directionalVariance = fields.real(from.directionalVariance);
    to.form = fields.constant(from.form, FORMS);
    to.dimension = fields.integer(from.dimension);
    to.values = fields.bytes(from.values);
    to.indices = fields.integers(from.indices);
    to.question = fields.name(from.question);
    to.response = fields.real(from.response);
    to.appendedAtMs = fields.fixed(from.appendedAtMs);
    to.specOffset = fields.number(from.specOffset);
    to.partitions = fields.integers(from.partitions);
    to.offsets = fields.numbers(from.offsets);
    to.gradientBound = fields.real(from.gradientBound);
    to.weightExponent = fields.since(2).integer(from.weightExponent);
    to.exponent = fields.since(2).integer(from.exponent);
    to.touches = fields.since(2).integers(from.touches);
    to.seed = fields.since(2).fixed(from.seed);
    to.isHashed = fields.since(2).flag(from.isHashed);
    to.group = fields.since(2).integer(from.group);
    to.groups = fields.since(2).integer(from.groups);
    to.level = fields.since(2).real(from.level);
    to.anonymousLevel = fields.since(2).integer(from.anonymousLevel);
  }

  @Override
  public RoundSum createInstance() {
    return new RoundSum();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<RoundSum> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(RoundSumSerializer::new);
    }
  }
}
