/**
 * Accounts of the privacy that each user has spent and may still spend. The code is pure; the
 * caller keeps the state.
 *
 * <p>Relation: replace-one. All sums overestimate the spend rather than underestimate it, and
 * saturate instead of overflowing.
 *
 * <p>State per user: one value with the totals, the first four models and the devices, of at most
 * 64. With one model and one device it has some 110 bytes after the first report, and some 300
 * after 64, of which digests take 192; every further model adds some 40 and its name, every further
 * device some 40, its name and its digests, and a central model 23 or 34. Under limits with a
 * period, each day with a charge in the window adds some 26 to 46. The state has no time-to-live,
 * since spent privacy must not be forgotten.
 *
 * <p>Renyi divergences are kept of one order, the filter's, and only where a limit needs it. A
 * curve of 43 orders would take 344 bytes more in all totals without changing any decision, since a
 * filter has one order. It would only tighten the reported bound: over ten mixtures (pure epsilons
 * of 0.02 to 0.5, mu up to 0.5, limits of 4 to 16 at a delta of 1e-6) the reported bound exceeded
 * the curve's by at most 6 % near the limit, and by at most 12 % far below it.
 *
 * <p>[BS16] Bun and Steinke, TCC 2016 (zero-concentrated differential privacy). [CKS20] Canonne,
 * Kamath and Steinke, NeurIPS 2020. [DRS22] Dong, Roth and Su, JRSS B 2022 (Gaussian differential
 * privacy). [FZ21] Feldman and Zrnic, NeurIPS 2021 (Renyi filters). [KOV15] Kairouz, Oh and
 * Viswanath, ICML 2015. [KTH23] Koskela, Tobaben and Honkela, ICLR 2023 (individual accounting with
 * Gaussian differential privacy).
 */
package io.croupier.operators.ledger;
