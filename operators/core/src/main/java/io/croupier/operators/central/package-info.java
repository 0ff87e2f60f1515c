/**
 * Noise of central models: prefix sums of the rounds' clipped gradients, released one after the
 * other with noise that is correlated so that it cancels. The code is pure; learners on the prefix
 * sums receive nothing else of the gradients.
 *
 * <p>Notation: L is the clipping norm, sigma the noise multiplier, d the dimension; round t adds
 * the exact sum x_t of its gradients, and prefix t is x_1 + ... + x_t with noise. zeta is the
 * squared sensitivity in units of L^2 under zero-out, so that mu = sqrt(zeta) / sigma.
 *
 * <p>All secret numbers are integers. Gradients are in steps of the model's grid, noise in steps of
 * a finer one, a power of two below; the noise of a node, or of a step, is discrete Gaussian, drawn
 * exactly. Computations on the noise are in integers and shift exactly with the sums: adding the
 * exact sums before or after gives the same result. So a released prefix is a function of exactly
 * noisy integers alone, and the final rounding to floating point leaks nothing.
 *
 * <p>Sources: [KMSTTX21] Kairouz, McMahan, Song, Thakkar, Thakurta and Xu, arXiv:2103.00039
 * (DP-FTRL); [Hon15] Honaker, "Efficient use of differentially private binary trees", TPDP 2015;
 * [DMPST24] Dvijotham, McMahan, Pillutla, Steinke and Thakurta, arXiv:2404.16706 (BLT); [MXZ24]
 * McMahan, Xu and Zhang, arXiv:2408.08868 (BLT, several participations); [CKS20] Canonne, Kamath
 * and Steinke, arXiv:2004.00010 (discrete Gaussian); [DRS22] Dong, Roth and Su, JRSS B 2022
 * (mu-GDP); [FZ21] Feldman and Zrnic, NeurIPS 2021 (Renyi filters); [ST22] Smith and Thakurta,
 * arXiv:2210.17520 (GDP filters).
 */
package io.croupier.operators.central;
