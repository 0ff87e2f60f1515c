/**
 * What each person has spent of their privacy, and what they may still spend: pure, with the state
 * in the caller's hands.
 *
 * <p>Relation: replace-one. All sums err on the side of too much spent, and saturate instead of
 * overflowing.
 *
 * <p>[BS16] Bun and Steinke, TCC 2016 (zero-concentrated differential privacy). [CKS20] Canonne,
 * Kamath and Steinke, NeurIPS 2020. [DRS22] Dong, Roth and Su, JRSS B 2022 (Gaussian differential
 * privacy). [FZ21] Feldman and Zrnic, NeurIPS 2021 (Renyi filters). [KOV15] Kairouz, Oh and
 * Viswanath, ICML 2015. [KTH23] Koskela, Tobaben and Honkela, ICLR 2023 (individual accounting with
 * Gaussian differential privacy).
 */
package io.croupier.operators.accounting;
