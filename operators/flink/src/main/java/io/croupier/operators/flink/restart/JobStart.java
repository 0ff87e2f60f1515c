package io.croupier.operators.flink.restart;

import java.io.Serializable;

/**
 * What the operators do before their first record.
 *
 * @param ledger what they do without state
 * @param outputs the outputs that are visible before the job starts, with which restored state is
 *     compared
 */
public record JobStart(LedgerStart ledger, VisibleOutputs outputs) implements Serializable {
  private static final long serialVersionUID = 1;
}
