/**
 * The checks of ledger and learner at a start: restored state, or the absence of state, must agree
 * with the job's committed outputs. At each checkpoint an operator stores a mark of its progress,
 * and the next start compares the marks with {@link
 * io.croupier.operators.flink.restart.VisibleOutputs}. A start that would forget spend, or publish
 * a round twice, fails with {@link io.croupier.operators.flink.restart.RefusedStartException}.
 */
package io.croupier.operators.flink.restart;
