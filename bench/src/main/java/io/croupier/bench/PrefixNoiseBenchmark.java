package io.croupier.bench;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.noise.ExactNoise;
import io.croupier.noise.SecureBits;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.NoiseLevel;
import io.croupier.operators.central.PrefixNoise;
import io.croupier.operators.central.PrefixSum;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.learner.LearnerState;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One step of a noisy prefix sum late in a long run, compared with drawing the noise of that step.
 *
 * <p>A tree is restored to the state before its step for each measurement: step 10^6 completes
 * seven nodes; step 2^20 - 1 completes one, and estimates from twenty.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
public class PrefixNoiseBenchmark {
  private static final NoiseLevel LEVEL = new NoiseLevel(1, 4, -16);

  @Param({"1000000"})
  int dimension;

  @Param({"1000000", "1048575"})
  long step;

  @Param({"HONAKER", "VANILLA", "BLT-4"})
  String mechanism;

  private PrefixNoise noise;
  private PrefixSum sum;
  private ExactNoise source;
  private long[] round;
  private long[] drawn;
  private double[] prefix;
  private int draws;

  /** Creates the mechanism. */
  @Setup
  public void prepare() {
    noise =
        mechanism.equals("BLT-4")
            ? BltNoise.optimal(4, 1 << 20, ParticipationLimits.ONCE)
            : TreeNoise.of(Estimator.valueOf(mechanism));
    draws = mechanism.equals("HONAKER") ? 1 + Long.numberOfTrailingZeros(step) : 1;
    source = new ExactNoise(new SecureBits());
    round = new long[dimension];
    drawn = new long[dimension];
    prefix = new double[dimension];
  }

  /** Restores the state before the step, with some noise in every vector. */
  @Setup(Level.Invocation)
  public void putBeforeTheStep() {
    sum = noise.start(dimension, LEVEL);
    sum.visit(new StateBefore(step - 1));
  }

  @Benchmark
  public double[] step() {
    sum.add(round, prefix);
    return prefix;
  }

  @Benchmark
  public long[] itsNoiseAlone() {
    for (int n = 0; n < draws; n++) {
      for (int i = 0; i < drawn.length; i++) {
        drawn[i] = source.gaussian(1 << 24);
      }
    }
    return drawn;
  }

  /** State as if restored from a checkpoint; the values of the noise don't affect the time. */
  private record StateBefore(long steps) implements LearnerState.Visitor {
    @Override
    public double scalar(String name, double value) {
      return value;
    }

    @Override
    public long count(String name, long value) {
      return steps;
    }

    @Override
    public void vector(String name, double[] values) {}

    @Override
    public void counts(String name, long[] values) {
      for (int i = 0; i < values.length; i++) {
        values[i] = (i * 0x9E3779B97F4A7C15L) >> 24;
      }
    }
  }
}
