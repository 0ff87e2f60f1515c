package io.croupier.bench;

import io.croupier.noise.CandidateVectors;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One candidate of a seed: expanded as the job does, and compared with a direction as a device does
 * for half as many as there are candidates. Beside them, as many normal variates of a generator of
 * the JDK.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CandidateBenchmark {
  @Param({"20", "100", "1000", "10000"})
  int dimension;

  private double[] values;
  private double[] direction;
  private SplittableRandom random;
  private long seed;

  /** Makes a direction that is not sparse. */
  @Setup
  public void prepare() {
    values = new double[dimension];
    random = new SplittableRandom(1);
    direction = random.doubles(dimension + 1L, -1, 1).toArray();
  }

  @Benchmark
  public double[] expand() {
    CandidateVectors.expand(seed++, 7, 2, values);
    return values;
  }

  @Benchmark
  public double height() {
    return CandidateVectors.height(seed++, 3, direction);
  }

  @Benchmark
  public double[] nextGaussian() {
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextGaussian();
    }
    return values;
  }
}
