/** The ledger operator: accounts of users in keyed state, verdicts, and their metrics. */
package io.croupier.operators.flink.ledger;
