/**
 * Guarantees of single and composed mechanisms: accountants, exact where possible. The package has
 * no dependencies, so that devices, the job and the command use the same code.
 *
 * <p>Epsilon and rho are in nats; delta is given by its natural logarithm. Epsilons are rounded up,
 * parameters calibrated to a requested epsilon are rounded towards more privacy. The caller defines
 * the neighbouring relation, which must be the same for all composed mechanisms.
 *
 * <p>Sources: [BS16] Bun and Steinke, TCC 2016 (zero-concentrated DP); [BW18] Balle and Wang, ICML
 * 2018 (the exact Gaussian curve); [CKS20] Canonne, Kamath and Steinke, "The Discrete Gaussian for
 * Differential Privacy", NeurIPS 2020; [DGKKM22] Doroshenko, Ghazi, Kamath, Kumar and Manurangsi,
 * "Connect the Dots", PETS 2022; [DRS22] Dong, Roth and Su, JRSS B 2022 (Gaussian DP); [FZ21]
 * Feldman and Zrnic, NeurIPS 2021 (Renyi filters); [KJPH21] Koskela, Jalko, Prediger and Honkela,
 * AISTATS 2021 (composition by Fourier transforms); [KOV17] Kairouz, Oh and Viswanath, IEEE Trans.
 * Inf. Theory 2017 (optimal composition); [Mir17] Mironov, CSF 2017 (Renyi DP); [MV16] Murtagh and
 * Vadhan, TCC 2016 (composition is hard); [War65] Warner, JASA 1965 (randomised response).
 */
package io.croupier.accounting;
