package io.croupier.operators.flink.ledger;

import org.junit.jupiter.api.Tag;

/** Requests for accounts with the other backends and plans. */
@Tag("thorough")
class AccountAnswerInEveryBackendTest extends AccountAnswerTest {}
