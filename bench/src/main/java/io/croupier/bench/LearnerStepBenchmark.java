package io.croupier.bench;

import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.Round;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;
import java.util.Random;
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
 * One step of each learner, beside what this machine's memory allows: the triad a = b + s c of
 * STREAM over three vectors of the same length. A step reads three vectors (the gradient, the
 * direction or weights, the average) and writes two of them; the triad reads two and writes one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LearnerStepBenchmark {

  /** Number of coordinates: vectors that fit the second-level cache, and vectors that don't. */
  @Param({"10000", "1000000"})
  public int dimension;

  private Stepper banco;
  private Stepper blackBox;
  private Stepper adaptiveRadius;
  private Stepper ldpSgd;
  private double[] a;
  private double[] b;
  private double[] c;

  /** Makes every learner and one gradient of norm 1 for all of them. */
  @Setup
  public void prepare() {
    Random random = new Random(1);
    banco = new Stepper(spec().setBanco(bancoSpec()).build(), random);
    blackBox = new Stepper(spec().setBlackBox(BlackBox.getDefaultInstance()).build(), random);
    adaptiveRadius =
        new Stepper(spec().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build(), random);
    LdpSgd sgd = LdpSgd.newBuilder().setStepSize(0.1).setDecay(0.5).build();
    ldpSgd = new Stepper(spec().setLdpSgd(sgd).build(), random);
    a = new double[dimension];
    b = unitVector(dimension, random);
    c = unitVector(dimension, random);
  }

  @Benchmark
  public long banco() {
    return banco.step();
  }

  @Benchmark
  public long blackBox() {
    return blackBox.step();
  }

  @Benchmark
  public long adaptiveRadius() {
    return adaptiveRadius.step();
  }

  @Benchmark
  public long ldpSgd() {
    return ldpSgd.step();
  }

  @Benchmark
  public double[] triad() {
    for (int i = 0; i < a.length; i++) {
      a[i] = b[i] + 3.0 * c[i];
    }
    return a;
  }

  private ModelSpec.Builder spec() {
    return ModelSpec.newBuilder()
        .setModelId("benchmark")
        .setDimension(dimension)
        .setGradientBound(1);
  }

  private static Banco bancoSpec() {
    SubExponential noise = SubExponential.newBuilder().setVariance(0.1).setBetaMax(1).build();
    return Banco.newBuilder()
        .setStrongestNoise(StrongestNoise.newBuilder().setSubExponential(noise))
        .build();
  }

  private static double[] unitVector(int dimension, Random random) {
    double[] v = new double[dimension];
    for (int i = 0; i < dimension; i++) {
      v[i] = random.nextGaussian() / Math.sqrt(dimension);
    }
    return v;
  }

  /** A learner with its state. Its coins alternate, so that no weights grow without end. */
  private static final class Stepper {
    private final Learner<LearnerState> learner;
    private final LearnerState state;
    private final Round round;

    Stepper(ModelSpec spec, Random random) {
      learner = anyState(Learners.of(spec));
      state = learner.initial();
      round = new Round(spec.getDimension());
      double[] gradient = unitVector(spec.getDimension(), random);
      System.arraycopy(gradient, 0, round.subgradient, 0, gradient.length);
      round.squaredNorm = 1;
      round.coin = 0.1;
      round.directionalVariance = 0.1;
    }

    /** A learner only ever meets the state that it made itself. */
    @SuppressWarnings("unchecked")
    private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
      return (Learner<LearnerState>) learner;
    }

    long step() {
      round.coin = -round.coin;
      learner.step(state, round);
      return state.round();
    }
  }
}
