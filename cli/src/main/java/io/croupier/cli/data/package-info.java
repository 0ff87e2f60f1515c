/**
 * Data sets and what there is to learn from them: a {@link io.croupier.cli.data.Problem} per data
 * set, with its loss, its gradients and its non-private optimum.
 */
package io.croupier.cli.data;
