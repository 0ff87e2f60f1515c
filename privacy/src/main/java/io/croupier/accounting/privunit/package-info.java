/**
 * PrivUnit on the lifted sphere, chosen by rank: what one release is worth, as numbers. A gradient
 * g with ||g|| &lt;= 1 becomes the unit vector u = (g, sqrt(1 - ||g||^2)) of D = d + 1 coordinates.
 * N / 2 unit vectors and their opposites are the candidates. The K of them that lie closest to u
 * are chosen with probability proportional to exp(epsilon) each, the others with probability
 * proportional to 1. The first d coordinates of the chosen one, times a scale M, are an unbiased
 * estimate of g, and epsilon-LDP whatever the candidates are.
 *
 * <p>All lengths are in units of the gradient bound G: callers multiply M by G and variances by
 * G^2.
 *
 * <p>Sources: [BDFKR18] Bhowmick, Duchi, Freudiger, Kapoor and Rogers, arXiv:1812.00984 (PrivUnit);
 * [AFT22] Asi, Feldman and Talwar, ICML 2022 (its optimality, and its Gaussian limit); [SCBKT22]
 * Shah, Chen, Balle, Kairouz and Theis, AISTATS 2022 (candidates from a seed); [JO19] Jun and
 * Orabona, COLT 2019 (BANCO, and what it has to know of noise).
 */
package io.croupier.accounting.privunit;
