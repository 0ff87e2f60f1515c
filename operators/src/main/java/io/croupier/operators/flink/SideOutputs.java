package io.croupier.operators.flink;

import io.croupier.operators.flink.shuffle.RecordType;
import org.apache.flink.util.OutputTag;

/** The side outputs of the job. */
public final class SideOutputs {

  /** The dead letters of unreadable records, from decode. */
  public static final OutputTag<OutboundRecord> DEAD_LETTERS =
      new OutputTag<>("dead-letters", RecordType.OUTBOUND);

  /** One accounting event for each well-formed report, from the ledger. */
  public static final OutputTag<OutboundRecord> ACCOUNTING =
      new OutputTag<>("accounting", RecordType.OUTBOUND);

  private SideOutputs() {}
}
