package io.croupier.operators.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.OutputTag;

/** Every side output of the job, once. */
public final class SideOutputs {

  /** What could not be read, from decode. */
  public static final OutputTag<OutboundRecord> DEAD_LETTERS =
      new OutputTag<>("dead-letters", TypeInformation.of(OutboundRecord.class));

  /** One accounting event for each well-formed report, from the ledger. */
  public static final OutputTag<OutboundRecord> ACCOUNTING =
      new OutputTag<>("accounting", TypeInformation.of(OutboundRecord.class));

  private SideOutputs() {}
}
