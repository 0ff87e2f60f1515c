package io.croupier.studies;

import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * A mean over replications.
 *
 * @param error its standard error; NaN for one replication
 */
record Estimate(double mean, double error) {

  static Estimate of(double[] values) {
    SummaryStatistics statistics = new SummaryStatistics();
    for (double value : values) {
      statistics.addValue(value);
    }
    double error =
        values.length > 1
            ? statistics.getStandardDeviation() / Math.sqrt((double) values.length)
            : Double.NaN;
    return new Estimate(statistics.getMean(), error);
  }

  /** As tables show it. */
  @Override
  public String toString() {
    return NumberLabels.short3(mean) + " (" + NumberLabels.exponent(error) + ")";
  }
}
