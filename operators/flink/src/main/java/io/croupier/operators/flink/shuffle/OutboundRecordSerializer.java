package io.croupier.operators.flink.shuffle;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import java.io.IOException;

/** The format of {@link OutboundRecord}. */
public final class OutboundRecordSerializer extends RecordSerializer<OutboundRecord> {
  private static final long serialVersionUID = 1;
  private static final Destination[] DESTINATIONS = Destination.values();

  /** Creates a serializer. */
  public OutboundRecordSerializer() {
    super(OutboundRecord.class, 1, Location.TRANSIT);
  }

  @Override
  protected void pass(FieldPass fields, OutboundRecord from, OutboundRecord to) throws IOException {
    to.destination = fields.constant(from.destination, DESTINATIONS);
    to.key = fields.bytes(from.key);
    to.value = fields.bytes(from.value);
    to.headerNames = fields.texts(from.headerNames);
    to.headerValues = fields.byteArrays(from.headerValues);
  }

  @Override
  public OutboundRecord createInstance() {
    return new OutboundRecord();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<OutboundRecord> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(OutboundRecordSerializer::new);
    }
  }
}
