package io.croupier.client;

import io.croupier.schemas.AdaptiveClip;

/**
 * The size of a person's gradient, which a moving clip bounds, and the gradient that the clip
 * leaves.
 *
 * <p>A size that is no number of at least 0 (NaN, negative, infinite) counts as infinite: the
 * gradient is released as zero, and the answer is that the size is above the clip. An error, or a
 * missing report, would reveal it.
 */
public final class Sizes {

  private Sizes() {}

  /**
   * The size of the gradient of a loss of one linear prediction {@code <x, w>}: with FEATURES the
   * slope bound of the round times {@code ||x||}, with GRADIENT the norm of the gradient. Where the
   * clip is fixed, the norm of the gradient.
   *
   * @param terms of the round at whose weights the gradient was evaluated
   * @param features the person's x, shape [d]
   * @param gradient of the person's loss, shape [d]
   */
  public static double ofLinear(RoundTerms terms, double[] features, double[] gradient) {
    return terms.clip().bounds(AdaptiveClip.Size.FEATURES)
        ? terms.clip().slopeBound() * norm(features)
        : norm(gradient);
  }

  /**
   * The L2 norm, without overflow or underflow of the squares; NaN or infinite if a coordinate is.
   */
  public static double norm(double[] vector) {
    double largest = 0;
    for (double value : vector) {
      // Math.max keeps NaN.
      largest = Math.max(largest, Math.abs(value));
    }
    if (!(largest > 0 && largest <= Double.MAX_VALUE)) {
      return largest;
    }
    double sum = 0;
    for (double value : vector) {
      double ratio = value / largest;
      sum += ratio * ratio;
    }
    return largest * Math.sqrt(sum);
  }

  /** Whether a size is above the clip. */
  static boolean isAbove(double size, double clip) {
    return !isUpTo(size, clip);
  }

  private static boolean isUpTo(double size, double clip) {
    return size >= 0 && size <= clip;
  }

  /**
   * The gradient times min(1, clip / size); not its clipping, which doesn't rely on the size.
   *
   * @param gradient shape [d], not modified
   */
  static double[] scaled(double[] gradient, double size, double clip) {
    if (isUpTo(size, clip)) {
      return gradient;
    }
    double factor = size > clip ? clip / size : 0;
    double[] scaled = new double[gradient.length];
    for (int j = 0; j < scaled.length; j++) {
      scaled[j] = factor * gradient[j];
    }
    return scaled;
  }
}
