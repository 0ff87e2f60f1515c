package io.croupier.operators.flink.ledger;

import org.junit.jupiter.api.Tag;

/** The tokens of an account with the other backends and plans. */
@Tag("thorough")
class TokenStateInEveryBackendTest extends TokenStateTest {}
