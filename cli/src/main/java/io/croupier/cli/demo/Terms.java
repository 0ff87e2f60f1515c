package io.croupier.cli.demo;

/**
 * What is the same for every learner.
 *
 * @param epsilon of every report, l2_laplace
 * @param clip length at which gradients are clipped: the gradient bound of every model
 * @param roundSize reports in a round
 * @param people how many report
 * @param seed of the order in which they do; the noise is never seeded
 */
record Terms(double epsilon, double clip, int roundSize, int people, long seed) {}
