package io.croupier.operators.flink.restart;

import io.croupier.operators.report.DigestKey;
import java.io.Serializable;

/**
 * What the operators do before their first record.
 *
 * @param ledger what they do without state
 * @param outputs the outputs that are visible before the job starts, with which restored state is
 *     compared
 * @param digestKey the key of a ledger that begins; state has its own
 */
public record JobStart(LedgerStart ledger, VisibleOutputs outputs, DigestKey digestKey)
    implements Serializable {
  private static final long serialVersionUID = 1;
}
