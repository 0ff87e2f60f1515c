package io.croupier.cli.demo;

/**
 * The quality of a published average.
 *
 * @param people number of reports that it had used
 * @param loss on the whole data
 * @param fit on the whole data
 */
record CurvePoint(long people, double loss, double fit) {}
