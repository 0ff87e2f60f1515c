/**
 * What each person has spent of their privacy, and what they may still spend: pure, with the state
 * in the caller's hands.
 *
 * <p>Relation: replace-one. All sums err on the side of too much spent, and saturate instead of
 * overflowing.
 *
 * <p>State: for each user totals of 102 bytes, and 102 more and its name for every model; for every
 * central model 24 bytes and its name, and 4 for each level of its tree: 68 in all for trees of
 * 1024 rounds, 148 for one that never restarts; for every device 49 to 1057 bytes, as its window
 * fills, and its name, of which a user has 16 at most. So a user with one model and one device
 * takes 253 to 1261 bytes, or 148 more if it is central, plus keys. It has no time to live:
 * forgetting spend would be the fault.
 *
 * <p>Renyi divergences are kept of one order, the filter's, and none where no limit asks. A curve
 * of 43 orders would take 344 bytes more in all totals and decide nothing otherwise: a filter has
 * one order. It would only tell less of the same: over ten mixtures (pure epsilons of 0.02 to 0.5,
 * mu up to 0.5, limits of 4 to 16 at a delta of 1e-6) what is told was above it by at most 6 % near
 * the limit, and by at most 12 % far below it.
 *
 * <p>[BS16] Bun and Steinke, TCC 2016 (zero-concentrated differential privacy). [CKS20] Canonne,
 * Kamath and Steinke, NeurIPS 2020. [DRS22] Dong, Roth and Su, JRSS B 2022 (Gaussian differential
 * privacy). [FZ21] Feldman and Zrnic, NeurIPS 2021 (Renyi filters). [KOV15] Kairouz, Oh and
 * Viswanath, ICML 2015. [KTH23] Koskela, Tobaben and Honkela, ICLR 2023 (individual accounting with
 * Gaussian differential privacy).
 */
package io.croupier.operators.accounting;
