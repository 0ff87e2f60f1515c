package io.croupier.bench;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import io.croupier.operators.math.ExactSums;
import io.croupier.operators.report.CandidateContent;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.ReportWeight;
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
 * Reports of priv_unit: a whole release on a device, and the expansion of a report's candidate in
 * the job. For comparison, as many normal variates of a JDK generator as the expansion makes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CandidateBenchmark {
  private static final double EPSILON = 1;

  @Param({"100", "1000", "10000"})
  int dimension;

  private double[] values;
  private double[] gradient;
  private double[] direction;
  private SplittableRandom random;
  private PrivUnitRandomiser randomiser;
  private GradientSpace space;
  private CandidateExpansion expansion;
  private long seed;

  /** Of the sums of these reports. */
  private int exponent;

  /** Creates a gradient that is not sparse, a randomiser with 256 candidates, and its report. */
  @Setup
  public void prepare() {
    values = new double[dimension];
    random = new SplittableRandom(1);
    gradient = random.doubles(dimension, -1, 1).toArray();
    direction = random.doubles(dimension + 1L, -1, 1).toArray();
    randomiser = new PrivUnitRandomiser(1, dimension, EPSILON);
    space = new GradientSpace(dimension, 1, -16);
    expansion = new CandidateExpansion();
    exponent = ReportWeight.gridExponent(1, ReportWeight.exponent(randomiser.mechanism(), space));
  }

  /** The vector of a report, as the ledger's subtask passes it to the learner. */
  @Benchmark
  public byte[] expandInJob() {
    CandidateContent candidate = new CandidateContent(dimension, seed++, 7);
    return ExactSums.of(expansion.expand(candidate, randomiser.mechanism(), space), exponent);
  }

  /** The same vector in an array that is reused. */
  @Benchmark
  public double[] expand() {
    CandidateVectors.expand(seed++, 7, 2, values);
    return values;
  }

  /** The comparison of one pair of candidates with a direction; a release makes 128. */
  @Benchmark
  public double height() {
    return CandidateVectors.height(seed++, 3, direction);
  }

  @Benchmark
  public PrivUnitRandomiser.Choice release() {
    return randomiser.choose(gradient);
  }

  @Benchmark
  public double[] nextGaussian() {
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextGaussian();
    }
    return values;
  }
}
