package io.croupier.operators.evaluation;

/**
 * An estimate of a fraction from randomised answers.
 *
 * @param fraction the estimate, without bias; it may lie outside [0, 1] where answers are few
 * @param standardError its standard error, from randomisation and sampling
 * @param low lower end of the 95 % confidence interval, from 0 to 1
 * @param high upper end of the interval, at least {@code low} and at most 1
 * @param answers the number of equally weighted answers to which the weights by age correspond
 */
public record FractionEstimate(
    double fraction, double standardError, double low, double high, long answers) {}
