/**
 * What reads state of release 0.2.0. The next release restores such a state; no later one does, and
 * this package goes then. With it go the parts that have to be elsewhere:
 *
 * <ul>
 *   <li>{@link io.croupier.operators.flink.ledger.DigestBlockSerializer}, which that state names;
 *   <li>of models, {@code operators.model.FormerState} with {@code OpenRound.addFormer} and {@code
 *       Learners.formerAverage}, and {@code DeviceWindow.move} of accounts, which are private to
 *       their classes' state;
 *   <li>bundles that wait for their spec: the dense and sparse forms of {@code PreAggregator},
 *       {@code CentralModel.addFormerSparse} and {@code FormerState.isFormer};
 *   <li>{@code noFormerDigests} of {@link io.croupier.operators.flink.LedgerMark}, and marks
 *       without a generation, which {@code LedgerComparison} and {@code LastRounds} compare by
 *       time.
 * </ul>
 */
package io.croupier.operators.flink.former;
