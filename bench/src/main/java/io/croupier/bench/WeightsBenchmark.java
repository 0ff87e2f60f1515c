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
 * The weights of a coordinate-wise learner, one potential a coordinate: time per coordinate for
 * each prior, and by the formula of the paper.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(WeightsBenchmark.DIMENSION)
public class WeightsBenchmark {
  static final int DIMENSION = 100_000;

  private Coordinates at;
  private double[] weights;
  private Potential conjugate;
  private Potential uniform;
  private Potential improper;
  private Potential cv;

  /** Makes the coordinates and a potential for each prior. */
  @Setup
  public void prepare() {
    at = new Coordinates(DIMENSION, 1);
    weights = new double[DIMENSION];
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
    for (int i = 0; i < DIMENSION; i++) {
      weights[i] =
          ErfFormula.prediction(
              at.coins[i], at.variances[i], Coordinates.B, Coordinates.HALF_WIDTH);
    }
    return weights;
  }

  private double[] weights(Potential potential) {
    for (int i = 0; i < DIMENSION; i++) {
      weights[i] = potential.prediction(at.coins[i], at.variances[i]);
    }
    return weights;
  }
}
