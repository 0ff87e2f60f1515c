package io.croupier.bench;

import io.croupier.accounting.GaussianDp;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The computations of an account with a delta for every report, at mus from 0.01 to 10. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(AccountingBenchmark.BLOCK)
public class AccountingBenchmark {
  static final int BLOCK = 1000;
  private static final double LOG_DELTA = StrictMath.log(1e-6);

  private double[] mus;
  private double[] epsilons;

  /** Creates log-uniform mus, and the corresponding epsilons. */
  @Setup
  public void prepare() {
    SplittableRandom random = new SplittableRandom(1);
    mus = new double[BLOCK];
    epsilons = new double[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      mus[i] = Math.pow(10, -2 + 3 * random.nextDouble());
      epsilons[i] = GaussianDp.epsilon(mus[i], LOG_DELTA);
    }
  }

  @Benchmark
  public double epsilon() {
    double sum = 0;
    for (double mu : mus) {
      sum += GaussianDp.epsilon(mu, LOG_DELTA);
    }
    return sum;
  }

  @Benchmark
  public double logDelta() {
    double sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      sum += GaussianDp.logDelta(epsilons[i], mus[i]);
    }
    return sum;
  }

  @Benchmark
  public double mu() {
    double sum = 0;
    for (double epsilon : epsilons) {
      sum += GaussianDp.mu(epsilon, LOG_DELTA);
    }
    return sum;
  }
}
