package io.croupier.operators.flink.shuffle;

import io.croupier.operators.flink.RawRecord;
import java.io.IOException;

/**
 * The format of {@link RawRecord}. Up to release 0.2.0, whose records have version 1, decoded
 * reports crossed the network in its place.
 */
public final class RawRecordSerializer extends RecordSerializer<RawRecord> {
  private static final long serialVersionUID = 1;
  private static final int EARLIEST = 2;

  /** Creates a serializer. */
  public RawRecordSerializer() {
    super(RawRecord.class, EARLIEST, EARLIEST, Location.TRANSIT);
  }

  @Override
  protected void pass(FieldPass fields, RawRecord from, RawRecord to) throws IOException {
    to.topic = fields.name(from.topic);
    to.partition = fields.integer(from.partition);
    to.offset = fields.number(from.offset);
    to.appendedAtMs = fields.fixed(from.appendedAtMs);
    to.key = fields.bytes(from.key);
    to.value = fields.bytes(from.value);
  }

  @Override
  public RawRecord createInstance() {
    return new RawRecord();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<RawRecord> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(RawRecordSerializer::new);
    }
  }
}
