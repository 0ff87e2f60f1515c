/**
 * Arithmetic of stated accuracy: sums in decimal units, rounded up, quadrature, and Fourier
 * transforms.
 *
 * <p>Sources: [CT65] Cooley and Tukey, Math. Comp. 1965; [Hig02] Higham, "Accuracy and Stability of
 * Numerical Algorithms", SIAM 2002.
 */
package io.croupier.accounting.numerics;
