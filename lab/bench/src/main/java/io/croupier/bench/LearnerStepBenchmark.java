package io.croupier.bench;

import com.google.protobuf.TextFormat;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.Round;
import io.croupier.schemas.ModelSpec;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One publication and the step on its round, of each learner, compared with this machine's memory
 * bandwidth: a simple loop, as in STREAM, that reads and writes as many arrays as the step must.
 * The two alternate, so that other load slows both; their times are the counters {@code stepNanos}
 * and {@code memoryNanos}, and their ratio is the result.
 *
 * <p>Both cycle through models whose arrays together exceed a last-level cache.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LearnerStepBenchmark {
  /** Total size of the arrays through which the steps cycle. */
  @Param("128")
  public int mebibytes;

  @Param({"10000", "1000000"})
  public int dimension;

  @Param({
    "ldp_sgd {step_size: 0.1 decay: 0.5}",
    "black_box {}",
    "banco {strongest_noise {sub_exponential {variance: 0.1 beta_max: 1}}}",
    "coordinate_wise {}"
  })
  public String learner;

  private Stepper[] steppers;
  private double[][] gradients;
  private double[][][] updated;
  private int next;

  /** Nanoseconds spent, summed over an iteration. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public long stepNanos;
    public long memoryNanos;
  }

  /** Creates the models, each with a gradient of norm 1, and plain arrays of the same size. */
  @Setup
  public void prepare() throws TextFormat.ParseException {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder().setModelId("m").setDimension(dimension).setGradientBound(1);
    TextFormat.merge(learner, spec);
    // A bettor or LDP-SGD updates its point and its average; the coordinate-wise learner updates
    // two sums of two doubles.
    int arrays = spec.hasCoordinateWise() ? 4 : 2;
    long bytes = (1L + arrays) * Double.BYTES * dimension;
    int models = Math.toIntExact((mebibytes * (1L << 20) + bytes - 1) / bytes);
    Random random = new Random(1);
    steppers = new Stepper[models];
    gradients = new double[models][];
    updated = new double[models][arrays][dimension];
    for (int i = 0; i < models; i++) {
      steppers[i] = new Stepper(spec.build(), unitVector(random));
      gradients[i] = unitVector(random);
    }
  }

  private double[] unitVector(Random random) {
    double[] v = new double[dimension];
    for (int i = 0; i < dimension; i++) {
      v[i] = random.nextGaussian() / Math.sqrt(dimension);
    }
    return v;
  }

  @Benchmark
  public void step(Nanos nanos) {
    long begin = System.nanoTime();
    steppers[next].step();
    long between = System.nanoTime();
    if (updated[next].length == 2) {
      update(gradients[next], updated[next][0], updated[next][1]);
    } else {
      update(
          gradients[next], updated[next][0], updated[next][1], updated[next][2], updated[next][3]);
    }
    nanos.memoryNanos += System.nanoTime() - between;
    nanos.stepNanos += between - begin;
    next = (next + 1) % steppers.length;
  }

  private static void update(double[] read, double[] a, double[] b) {
    for (int i = 0; i < read.length; i++) {
      a[i] += 0.5 * read[i];
      b[i] += 0.5 * a[i];
    }
  }

  private static void update(double[] read, double[] a, double[] b, double[] c, double[] d) {
    for (int i = 0; i < read.length; i++) {
      a[i] += read[i];
      b[i] += read[i];
      c[i] += read[i];
      d[i] += read[i];
    }
  }

  /** A learner with its state, whose rounds alternate in weight. */
  private static final class Stepper {
    private final Learner<LearnerState> learner;
    private final LearnerState state;
    private final Round round = new Round();
    private final Iterate iterate;
    private final double[] gradient;
    private long publication;

    Stepper(ModelSpec spec, double[] gradient) {
      learner = anyState(Learners.of(spec));
      state = learner.initial();
      iterate = new Iterate(spec.getDimension());
      this.gradient = gradient;
    }

    /** A learner receives only states that it created itself. */
    @SuppressWarnings("unchecked")
    private static Learner<LearnerState> anyState(Learner<? extends LearnerState> learner) {
      return (Learner<LearnerState>) learner;
    }

    void step() {
      publication++;
      learner.publish(state, publication, iterate);
      learner.forget(state, publication);
      round.clear();
      Round.Part part = round.add(publication);
      part.sum = gradient;
      part.count = gradient.length;
      part.weight = publication % 2 == 0 ? 1 : 1.5;
      part.squaredWeight = part.weight;
      part.denseWeight = part.weight;
      part.denseSquaredWeight = part.weight;
      part.gradientBound = 1;
      part.variance = 0.1;
      round.reports = 1;
      round.largestWeight = 1;
      learner.step(state, round);
    }
  }
}
