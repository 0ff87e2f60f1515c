/** Kernels on vectors, in memory and in the bytes of the wire. */
package io.croupier.operators.math;
