package io.croupier.studies;

import io.croupier.operators.math.Vectors;
import java.util.SplittableRandom;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.AhrensDieterMarsagliaTsangGammaSampler;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * Everything random in a trial, from one seed: the same seed gives the same people and the same
 * noise, bit for bit. The generator is not cryptographically secure: it is only for simulations and
 * public data, whose noise protects no person.
 */
final class SeededRandom {
  private final UniformRandomProvider random;
  private final ContinuousSampler normal;
  private final ContinuousSampler exponential;

  private ContinuousSampler gamma;
  private double gammaShape;

  SeededRandom(long seed) {
    random = RandomSource.XO_SHI_RO_256_PP.create(seed);
    normal = ZigguratSampler.NormalizedGaussian.of(random);
    exponential = ZigguratSampler.Exponential.of(random);
  }

  /** A separate seed for each trial of a study. */
  static long seed(long study, int cell, int replication) {
    long mixed = new SplittableRandom(study).nextLong();
    mixed = new SplittableRandom(mixed + cell).nextLong();
    return new SplittableRandom(mixed + replication).nextLong();
  }

  /** 64 fair bits. */
  long bits() {
    return random.nextLong();
  }

  /** Uniform in [0, 1). */
  double uniform() {
    return random.nextDouble();
  }

  /** Uniform in 0 .. bound - 1. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** The numbers 0 .. size - 1 in random order. */
  int[] permutation(int size) {
    int[] all = new int[size];
    for (int i = 0; i < size; i++) {
      int other = below(i + 1);
      all[i] = all[other];
      all[other] = i;
    }
    return all;
  }

  /** Standard normal. */
  double normal() {
    return normal.sample();
  }

  /** Symmetric, density exp(-|x|) / 2. */
  double laplace() {
    double size = exponential.sample();
    return random.nextBoolean() ? size : -size;
  }

  /** Gamma of this shape and scale 1. */
  double gamma(double shape) {
    if (gamma == null || gammaShape != shape) {
      gamma = AhrensDieterMarsagliaTsangGammaSampler.of(random, shape, 1);
      gammaShape = shape;
    }
    return gamma.sample();
  }

  /** Writes a uniform point of the unit sphere into {@code into}. */
  void sphere(double[] into) {
    double square;
    do {
      for (int j = 0; j < into.length; j++) {
        into[j] = normal();
      }
      square = Vectors.squaredNorm(into);
    } while (square == 0);
    Vectors.scale(1 / Math.sqrt(square), into, into);
  }
}
