/** Arithmetic of stated accuracy: sums in decimal units, rounded up, and quadrature. */
package io.croupier.accounting.numerics;
