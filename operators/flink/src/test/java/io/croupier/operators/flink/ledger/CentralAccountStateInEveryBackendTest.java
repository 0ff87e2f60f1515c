package io.croupier.operators.flink.ledger;

import org.junit.jupiter.api.Tag;

/** The ledger's charges for noise with the other backends and plans. */
@Tag("thorough")
class CentralAccountStateInEveryBackendTest extends CentralAccountStateTest {}
