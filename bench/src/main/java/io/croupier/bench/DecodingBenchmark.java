package io.croupier.bench;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Dense;
import io.croupier.schemas.Grid;
import io.croupier.schemas.view.VectorView;
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
 * Decoding a message's bytes to a {@code double[]}: by the view that the job uses, and by the
 * classes that Protobuf generates for other programs.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DecodingBenchmark {
  private static final int[] NO_INDICES = {};
  private static final int GRID_EXPONENT = -16;

  /** Number of coordinates. */
  @Param({"10000", "1000000"})
  public int dimension;

  private byte[] dense;
  private byte[] grid;
  private double[] into;

  /** Creates a message of each form. */
  @Setup
  public void prepare() {
    Random random = new Random(1);
    Dense.Builder doubles = Dense.newBuilder();
    Grid.Builder steps = Grid.newBuilder();
    for (int i = 0; i < dimension; i++) {
      doubles.addValues(random.nextGaussian());
      steps.addValues(random.nextInt());
    }
    dense = doubles.build().toByteArray();
    grid = steps.build().toByteArray();
    into = new double[dimension];
  }

  @Benchmark
  public double[] denseByView() throws InvalidProtocolBufferException {
    return byView(VectorForm.DENSE, dense);
  }

  @Benchmark
  public double[] denseByProtobuf() throws InvalidProtocolBufferException {
    Dense message = Dense.parseFrom(dense);
    for (int i = 0; i < into.length; i++) {
      into[i] = message.getValues(i);
    }
    return into;
  }

  @Benchmark
  public double[] gridByView() throws InvalidProtocolBufferException {
    return byView(VectorForm.GRID, grid);
  }

  @Benchmark
  public double[] gridByProtobuf() throws InvalidProtocolBufferException {
    Grid message = Grid.parseFrom(grid);
    double gridStep = Math.scalb(1.0, GRID_EXPONENT);
    for (int i = 0; i < into.length; i++) {
      into[i] = message.getValues(i) * gridStep;
    }
    return into;
  }

  private double[] byView(VectorForm form, byte[] message) throws InvalidProtocolBufferException {
    byte[] values = VectorView.parseFrom(message).getValues(0).toByteArray();
    PackedVectors.decode(form, values, NO_INDICES, GRID_EXPONENT, 1, into);
    return into;
  }
}
