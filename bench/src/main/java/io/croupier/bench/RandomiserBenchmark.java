package io.croupier.bench;

import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Coordinates that one thread can release per second, with clipping, noise and secure bits; for
 * comparison, the time of an insecure JDK generator for normal variates.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(RandomiserBenchmark.DIMENSION)
public class RandomiserBenchmark {
  static final int DIMENSION = 1000;

  /** The default for a gradient bound of 1. */
  private static final int GRID_EXPONENT = -16;

  private double[] gradient;
  private double[] normals;
  private Random random;
  private GridRandomiser gaussian;
  private GridRandomiser coordinateLaplace;
  private GridRandomiser l2Laplace;

  /** Creates a gradient longer than the bound, and a randomiser of level 1 for each law. */
  @Setup
  public void prepare() {
    random = new Random(1);
    normals = new double[DIMENSION];
    gradient = random.doubles(DIMENSION, -1, 1).toArray();
    double[] taus = new double[DIMENSION];
    Arrays.fill(taus, 1);
    gaussian = new GaussianRandomiser(1, DIMENSION, GRID_EXPONENT, 1);
    coordinateLaplace = new CoordinateLaplaceRandomiser(1, GRID_EXPONENT, taus);
    l2Laplace = new L2LaplaceRandomiser(1, DIMENSION, GRID_EXPONENT, 1);
  }

  @Benchmark
  public int[] gaussian() {
    return gaussian.randomise(gradient);
  }

  @Benchmark
  public int[] coordinateLaplace() {
    return coordinateLaplace.randomise(gradient);
  }

  @Benchmark
  public int[] l2Laplace() {
    return l2Laplace.randomise(gradient);
  }

  @Benchmark
  public double[] nextGaussian() {
    for (int i = 0; i < normals.length; i++) {
      normals[i] = random.nextGaussian();
    }
    return normals;
  }
}
