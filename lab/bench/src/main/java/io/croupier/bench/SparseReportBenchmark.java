package io.croupier.bench;

import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Sparse;
import io.croupier.schemas.Undisclosed;
import java.nio.charset.StandardCharsets;
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
 * A sparse report of 50 non-zeros, from the record's bytes to the state of a coordinate-wise
 * learner: its cost must not depend on the dimension. The ledger, which reads the values once more,
 * is not included. Needs a heap of 2 GiB.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SparseReportBenchmark {
  private static final int NON_ZEROS = 50;
  private static final int REPORTS = 10_000;
  private static final byte[] USER = "u".getBytes(StandardCharsets.UTF_8);

  @Param({"1000", "10000000"})
  public int dimension;

  private final ReportDecoder decoder = new ReportDecoder();
  private byte[][] reports;
  private ReportIntake intake;
  private LiveModel model;
  private int next;

  /** Creates the model, and reports on random coordinates. */
  @Setup
  public void prepare() {
    ModelSpec spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(dimension)
            .setGradientBound(1)
            .setCoordinateWise(CoordinateWise.getDefaultInstance())
            .build();
    intake = new ReportIntake(spec, 0);
    model = LiveModel.begin(spec, 0);
    model.publish(true, 0);
    Random random = new Random(1);
    reports = new byte[REPORTS][];
    for (int i = 0; i < REPORTS; i++) {
      Sparse.Builder sparse = Sparse.newBuilder().setDimension(dimension);
      random
          .ints(0, dimension)
          .distinct()
          .limit(NON_ZEROS)
          .sorted()
          .forEach(j -> sparse.addIndices(j).addValues(random.nextGaussian()));
      reports[i] =
          GradientReport.newBuilder()
              .setModelId("m")
              .setUserId("u")
              .setRound(0)
              .setSequence(i)
              .setSparse(sparse)
              .setUndisclosed(Undisclosed.getDefaultInstance())
              .build()
              .toByteArray();
    }
  }

  @Benchmark
  public LiveModel.BundleOutcome decodeAndStep() {
    next = (next + 1) % REPORTS;
    Received received = decoder.decode(USER, reports[next], false, Source.unknown(0));
    return model.add(intake.withoutUser((Report) received));
  }
}
