/**
 * The job's operators, around the mathematics of the other packages. This package contains the
 * pre-aggregation, and what several operators share: records, names of state, side outputs, dead
 * letters. The other operators have packages of their own: {@code ledger} and {@code learner}, with
 * their checks at a start in {@code restart}.
 *
 * <p>State contains the names of {@link io.croupier.operators.flink.LearnerMark}, {@link
 * io.croupier.operators.flink.LedgerMark}, {@link io.croupier.operators.flink.OutboundRecord},
 * {@link io.croupier.operators.flink.RawRecord} and {@link io.croupier.operators.flink.SpecRecord},
 * so these classes never leave this package.
 */
package io.croupier.operators.flink;
