package io.croupier.operators.flink.learner;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.restart.VisibleRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.TestSums;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.view.ModelUpdateView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;

/**
 * Incremental checkpoints in RocksDB of a coordinate-wise model that receives one sparse report
 * between two of them.
 */
final class SparseCheckpoints implements AutoCloseable {
  static final int NON_ZEROS = 50;

  private final int dimension;
  private final KeyedTwoInputStreamOperatorTestHarness<String, RoundSum, SpecRecord, OutboundRecord>
      harness;
  private final Random random = new Random(1);
  private long checkpoints;
  private long round;

  /** What one checkpoint wrote, in bytes, and how long it took with its publication. */
  record Checkpoint(long bytes, long millis) {}

  SparseCheckpoints(int dimension, Path directory) throws Exception {
    this.dimension = dimension;
    harness =
        LearnerTasks.harness(
            new SpecRequirements(Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ofHours(1)),
            new VisibleRecords());
    harness
        .getEnvironment()
        .getJobConfiguration()
        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(true);
    backend.setDbStoragePath(Files.createDirectories(directory.resolve("db")).toString());
    harness.setStateBackend(backend);
    harness.setCheckpointStorage(
        new FileSystemCheckpointStorage(
            Files.createDirectories(directory.resolve("checkpoints")).toUri()));
    harness.setup();
    harness.open();
    harness.processElement2(
        TestRecords.published(
            0,
            TestRecords.common("m")
                .setDimension(dimension)
                .setMaxStaleness(1)
                .setCoordinateWise(CoordinateWise.getDefaultInstance())),
        0);
    checkpoint();
  }

  /** Reports on random coordinates. */
  void report() throws Exception {
    int[] indices = random.ints(0, dimension).distinct().limit(NON_ZEROS).sorted().toArray();
    double[] values = random.doubles(NON_ZEROS, -1, 1).toArray();
    RoundSum sum = TestSums.sparse(round, dimension, indices, values);
    harness.processElement1(sum, 0);
  }

  /** Takes a checkpoint, which publishes a round, and completes it. */
  Checkpoint checkpoint() throws Exception {
    long start = System.nanoTime();
    long id = ++checkpoints;
    harness.prepareSnapshotPreBarrier(id);
    OperatorSubtaskState state = harness.snapshot(id, 0);
    long millis = (System.nanoTime() - start) / 1_000_000;
    harness.notifyOfCompletedCheckpoint(id);
    round = ModelUpdateView.parseFrom(harness.extractOutputValues().get(0).value).getRound();
    harness.getOutput().clear();
    return new Checkpoint(state.getCheckpointedSize(), millis);
  }

  @Override
  public void close() {
    try {
      harness.close();
    } catch (Exception e) {
      throw new AssertionError("The operator can't be closed", e);
    }
  }

  /** Prints what each of some checkpoints wrote: dimension, history, checkpoints, directory. */
  public static void main(String[] args) throws Exception {
    try (SparseCheckpoints run =
        new SparseCheckpoints(Integer.parseInt(args[0]), Path.of(args[3]).toAbsolutePath())) {
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        run.report();
      }
      System.out.println("history " + run.checkpoint());
      for (int i = 0; i < Integer.parseInt(args[2]); i++) {
        run.report();
        Checkpoint checkpoint = run.checkpoint();
        System.out.println("report " + checkpoint.bytes() + " " + checkpoint.millis());
      }
    }
  }
}
