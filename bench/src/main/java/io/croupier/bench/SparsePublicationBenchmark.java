package io.croupier.bench;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.ModelSpec;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What a checkpoint costs a coordinate-wise model that received one report since the last one: the
 * publication, up to the bytes of its update, and the chunks that the state receives. The model has
 * learned from {@code history} such reports before. Needs a heap of 4 GiB.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SparsePublicationBenchmark {
  @Param("10000000")
  public int dimension;

  /** Values of a report; as many as the dimension for dense ones. */
  @Param("50")
  public int values;

  @Param({"20000", "1000000"})
  public int history;

  private final Random random = new Random(1);
  private LiveModel model;
  private long round;

  /** The bytes of the chunks that a checkpoint puts into the state. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class SavedBytes {
    public long chunks;
    public long bytes;

    /** Counts each iteration separately. */
    @Setup(Level.Iteration)
    public void reset() {
      chunks = 0;
      bytes = 0;
    }
  }

  /** Creates the model and its history. */
  @Setup
  public void prepare() {
    ModelSpec spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(dimension)
            .setGradientBound(1)
            .setMaxStaleness(1)
            .setCoordinateWise(CoordinateWise.getDefaultInstance())
            .build();
    model = LiveModel.begin(spec, 0);
    model.publish(true, 0);
    for (int i = 0; i < history; i++) {
      report();
    }
    publish();
    model.save((name, bytes) -> {});
  }

  private void report() {
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    sum.namedRound = round;
    sum.dimension = dimension;
    sum.count = 1;
    sum.values = PackedVectors.encode(random.doubles(values, -1, 1).toArray());
    if (values < dimension) {
      sum.form = VectorForm.SPARSE;
      sum.indices = random.ints(0, dimension).distinct().limit(values).sorted().toArray();
    }
    model.add(sum);
  }

  private byte[] publish() {
    byte[] update = model.publish(true, 0).orElseThrow().toByteArray();
    model.confirm();
    round = model.publishedRound();
    return update;
  }

  /** One report and its publication. */
  @Benchmark
  public byte[] publication() {
    report();
    return publish();
  }

  /** One report, its publication, and the chunks. */
  @Benchmark
  public byte[] publicationAndSave(SavedBytes bytes) {
    report();
    byte[] update = publish();
    model.save(
        (name, value) -> {
          bytes.chunks++;
          bytes.bytes += value.length;
        });
    return update;
  }
}
