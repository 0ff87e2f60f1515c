package io.croupier.cli.audit;

import java.util.Arrays;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.UnitSphereSampler;
import org.apache.commons.rng.sampling.distribution.AhrensDieterMarsagliaTsangGammaSampler;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateContinuousSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/** Seeded noise with any distribution, correct or incorrect, on the grid of the claim. */
final class Mutant {

  private Mutant() {}

  /** Uniform direction times a Gamma radius; correct with shape d and scale 2G / epsilon. */
  static AuditedMechanism laplace(Claim claim, double shape, double scale, long seed) {
    UniformRandomProvider random = random(seed);
    UnitSphereSampler direction = UnitSphereSampler.of(random, claim.pair().dimension());
    SharedStateContinuousSampler radius =
        AhrensDieterMarsagliaTsangGammaSampler.of(random, shape, scale);
    return gradient -> {
      double[] noise = direction.sample();
      double length = radius.sample();
      for (int i = 0; i < noise.length; i++) {
        noise[i] *= length;
      }
      return add(claim, gradient, noise);
    };
  }

  /** Normal coordinates; correct with standard deviation 2G / mu. */
  static AuditedMechanism gaussian(Claim claim, double deviation, long seed) {
    ContinuousSampler normal = ZigguratSampler.NormalizedGaussian.of(random(seed));
    return gradient -> {
      double[] noise = new double[gradient.length];
      for (int i = 0; i < noise.length; i++) {
        noise[i] = deviation * normal.sample();
      }
      return add(claim, gradient, noise);
    };
  }

  /** Laplace coordinates; correct with scale 2G / tau. */
  static AuditedMechanism coordinates(Claim claim, double scale, long seed) {
    double[] scales = new double[claim.pair().dimension()];
    Arrays.fill(scales, scale);
    return coordinates(claim, scales, seed);
  }

  /** Laplace coordinates, each with its own scale; 0 means no noise. */
  static AuditedMechanism coordinates(Claim claim, double[] scales, long seed) {
    UniformRandomProvider random = random(seed);
    ContinuousSampler plus = ZigguratSampler.Exponential.of(random, 1);
    ContinuousSampler minus = ZigguratSampler.Exponential.of(random, 1);
    return gradient -> {
      double[] noise = new double[gradient.length];
      for (int i = 0; i < noise.length; i++) {
        noise[i] = scales[i] * (plus.sample() - minus.sample());
      }
      return add(claim, gradient, noise);
    };
  }

  private static UniformRandomProvider random(long seed) {
    return RandomSource.XO_RO_SHI_RO_128_PP.create(seed);
  }

  private static int[] add(Claim claim, double[] gradient, double[] noise) {
    int[] released = new int[gradient.length];
    for (int i = 0; i < released.length; i++) {
      int clipped = (int) Math.scalb(gradient[i], -claim.gridExponent());
      released[i] = clipped + (int) Math.rint(Math.scalb(noise[i], -claim.gridExponent()));
    }
    return released;
  }
}
