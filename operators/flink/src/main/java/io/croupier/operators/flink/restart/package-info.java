/**
 * The checks of ledger and learner at a start: restored state, or the absence of state, must agree
 * with the job's committed outputs. In the transaction of each checkpoint an operator writes {@link
 * io.croupier.operators.flink.restart.ProgressRecord}s, and stores a mark of its progress, which
 * contains their number. The next start compares the marks with the newest committed records. A
 * start that would forget spend, or publish a round twice, fails with {@link
 * io.croupier.operators.flink.restart.RefusedStartException}.
 */
package io.croupier.operators.flink.restart;
