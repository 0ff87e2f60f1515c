package io.croupier.operators.evaluation;

/**
 * An estimate of a quantile, as shares of the range of values: 0 is its lower end, 1 its upper end.
 *
 * @param value the estimate, from 0 to 1
 * @param low lower end of the 95 % confidence interval
 * @param high upper end of the interval
 */
public record QuantileEstimate(double value, double low, double high) {}
