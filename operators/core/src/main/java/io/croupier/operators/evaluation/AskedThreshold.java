package io.croupier.operators.evaluation;

/**
 * The answers to "is your value above c?" of one publication, each b = +1 or -1 of the strength h.
 *
 * @param threshold c
 * @param aim the level near which c was chosen
 * @param isLower whether c was chosen to be below the quantile of that level, else above it
 * @param weight w, by the age of the publication
 * @param response the sum of h b
 * @param information the sum of h^2, positive
 * @param fourth the sum of h^4
 * @param answers how many there are
 */
record AskedThreshold(
    double threshold,
    double aim,
    boolean isLower,
    double weight,
    double response,
    double information,
    double fourth,
    double answers) {

  /** The weight of the fraction below the threshold: the inverse of the variance of its noise. */
  double mass() {
    return weight * information;
  }

  /** The mass times the estimated fraction of values that are at most c; without bias. */
  double below() {
    return weight * (information - response) / 2;
  }

  /** The variance of {@link #below} if the fraction is {@code level}. */
  double variance(double level) {
    double mean = 1 - 2 * level;
    return weight * weight * Math.max(0, information - fourth * mean * mean) / 4;
  }
}
