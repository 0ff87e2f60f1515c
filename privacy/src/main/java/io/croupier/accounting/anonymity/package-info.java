/**
 * What readers learn about one person from reports that arrive without identity, in an order that
 * is hidden from them: amplification by shuffling, for randomisers and data that may depend on the
 * whole history (docs/theory/anonymity.md states the hypotheses, lab/proofs/anonymity.md proves the
 * bounds).
 *
 * <p>A window has n honest reports. The pair of laws (P, Q) that bounds what they reveal has n
 * independent letters: x and y with probability p each, c with 1 - (e + 1) p, and 0 with (e - 1) p,
 * where e = exp(epsilon) of one report and p = 1 / (e + r) of a choice of K of N candidates, r = (N
 * - K) / K. With A, B and C the numbers of letters x, y and c, P has the density (e A + B + C) / n
 * and Q has (A + e B + C) / n. The hockey-stick divergence of P and Q is at least that of the
 * reports with a person's data and with any other data, in both directions, and the product of
 * pairs bounds several windows. r = 1, randomised response, bounds every pure mechanism.
 *
 * <p>Sources: [FMT21] Feldman, McMillan and Talwar, FOCS 2021 (the general bound that tests compare
 * with); [BBGN19] Balle, Bell, Gascon and Nissim, CRYPTO 2019 (the privacy blanket); [DGKKM22]
 * Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, PoPETs 2022 (loss distributions from points of a
 * privacy curve); [KJPH21] Koskela, Jalko, Prediger and Honkela, AISTATS 2021 (their composition by
 * Fourier transforms).
 */
package io.croupier.accounting.anonymity;
