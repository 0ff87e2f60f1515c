package io.croupier.operators.flink.ledger;

import org.junit.jupiter.api.Tag;

/** The ledger's state with the other backends and plans. */
@Tag("thorough")
class LedgerStateInEveryBackendTest extends LedgerStateTest {}
