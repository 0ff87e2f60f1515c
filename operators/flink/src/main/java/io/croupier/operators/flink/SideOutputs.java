package io.croupier.operators.flink;

import io.croupier.operators.flink.shuffle.RecordType;
import org.apache.flink.util.OutputTag;

/** The side outputs of the job. */
public final class SideOutputs {

  /**
   * Of the ledger: an accounting event for each well-formed report, dead letters of other records,
   * and records of progress.
   */
  public static final OutputTag<OutboundRecord> LEDGER =
      new OutputTag<>("ledger", RecordType.OUTBOUND);

  private SideOutputs() {}
}
