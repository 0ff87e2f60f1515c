/** Kernels on vectors, in memory and in wire format. */
package io.croupier.operators.math;
