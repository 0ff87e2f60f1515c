package io.croupier.studies;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.SeededSums;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.TreeNoise.Estimator;
import java.util.Arrays;

/** Noise of prefix sums that can be drawn. */
interface SumNoise extends PrefixError {

  /** The noise of one release after the other, by itself. */
  Path start(int dimension, SeededRandom random);

  /** The progress of a release. */
  @FunctionalInterface
  interface Path {

    /** Overwrites {@code into} with the noise of the next prefix, that of one draw being 1. */
    void next(double[] into);
  }

  /** The mechanism of the job. */
  record OfTheJob(String label, PrefixNoise noise) implements SumNoise {

    @Override
    public double zeta(long steps, ParticipationLimits limits) {
      return noise.zeta(steps, limits);
    }

    @Override
    public double variance(long step) {
      return noise.variance(step);
    }

    @Override
    public Path start(int dimension, SeededRandom random) {
      PrefixSum sums = SeededSums.start(noise, dimension, random::normal);
      long[] nothing = new long[dimension];
      return into -> sums.add(nothing, into);
    }
  }

  /** A tree without restarts. */
  static SumNoise tree(String label, Estimator estimator) {
    return new OfTheJob(label, TreeNoise.of(estimator));
  }

  /** Honaker's trees of {@code every} steps each, completed. */
  static SumNoise restarted(String label, long every) {
    return new OfTheJob(label, new TreeNoise(Estimator.HONAKER, every, Completion.BEFORE_RESTART));
  }

  /** With the parameters that are best for the horizon and the limits. */
  static SumNoise blt(int buffers, long horizon, ParticipationLimits limits) {
    return new OfTheJob("BLT-" + buffers, BltNoise.optimal(buffers, horizon, limits));
  }

  /** A draw for each round's sum, as in DP-SGD; the prefix has all of them. */
  static SumNoise independent(String label) {
    return new Independent(label);
  }

  /** Of {@link #independent}. */
  record Independent(String label) implements SumNoise {

    @Override
    public double zeta(long steps, ParticipationLimits limits) {
      return participations(steps, limits);
    }

    @Override
    public double variance(long step) {
      return step;
    }

    @Override
    public Path start(int dimension, SeededRandom random) {
      double[] sum = new double[dimension];
      return into -> {
        Arrays.setAll(sum, i -> sum[i] + random.normal());
        System.arraycopy(sum, 0, into, 0, dimension);
      };
    }
  }

  /** Largest number of participations that fit. */
  static long participations(long steps, ParticipationLimits limits) {
    long gap = Math.min(limits.minSeparation(), steps) + 1;
    return Math.min(limits.maxParticipations(), (steps + gap - 1) / gap);
  }
}
