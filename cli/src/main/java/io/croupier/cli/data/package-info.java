/**
 * Data sets, each with a {@link io.croupier.cli.data.Problem} that has its loss, its gradients and
 * its non-private optimum.
 */
package io.croupier.cli.data;
