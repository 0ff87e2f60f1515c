package io.croupier.cli.demo;

/**
 * How good the published average was.
 *
 * @param people how many reports it had used
 * @param loss on the whole data
 * @param fit on the whole data
 */
record CurvePoint(long people, double loss, double fit) {}
