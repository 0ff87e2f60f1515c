package io.croupier.bench;

import io.croupier.operators.learner.Potential;
import io.croupier.operators.learner.Prior;
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
 * The weights of a coordinate-wise learner, one prediction per coordinate: time per coordinate for
 * each prior, and by the formula of the paper. Each invocation takes the next block of coordinates;
 * blocks are short, so that the median of the samples excludes those that other processes
 * interrupted.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(WeightsBenchmark.BLOCK)
public class WeightsBenchmark {
  static final int BLOCK = 10_000;
  static final int DIMENSION = 200_000;

  private Coordinates at;
  private double[] weights;
  private int next;
  private Potential conjugate;
  private Potential uniform;
  private Potential improper;
  private Potential cv;

  /** Creates the coordinates, and a potential for each prior. */
  @Setup
  public void prepare() {
    at = new Coordinates(DIMENSION, 1);
    weights = new double[BLOCK];
    conjugate = new Potential(new Prior.Conjugate(Coordinates.B), Coordinates.HALF_WIDTH);
    uniform = new Potential(new Prior.Uniform(), Coordinates.HALF_WIDTH);
    improper = new Potential(new Prior.Improper(), Coordinates.HALF_WIDTH);
    cv = new Potential(new Prior.Cv(), Coordinates.HALF_WIDTH);
  }

  @Benchmark
  public double[] conjugate() {
    return weights(conjugate);
  }

  @Benchmark
  public double[] uniform() {
    return weights(uniform);
  }

  @Benchmark
  public double[] improper() {
    return weights(improper);
  }

  @Benchmark
  public double[] cv() {
    return weights(cv);
  }

  @Benchmark
  public double[] formula() {
    int start = nextBlock();
    for (int i = 0; i < BLOCK; i++) {
      weights[i] =
          ErfFormula.prediction(
              at.coins[start + i], at.variances[start + i], Coordinates.B, Coordinates.HALF_WIDTH);
    }
    return weights;
  }

  private double[] weights(Potential potential) {
    int start = nextBlock();
    for (int i = 0; i < BLOCK; i++) {
      weights[i] = potential.prediction(at.coins[start + i], at.variances[start + i]);
    }
    return weights;
  }

  private int nextBlock() {
    int start = next;
    next = (next + BLOCK) % DIMENSION;
    return start;
  }
}
