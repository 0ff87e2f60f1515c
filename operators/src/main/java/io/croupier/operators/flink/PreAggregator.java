package io.croupier.operators.flink;

import io.croupier.operators.learner.RoundSum;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up the vectors of one model and named round inside a subtask, so that the shuffle carries
 * sums. Passes a bundle on once it holds {@code max(1, r / (2 parallelism))} reports, at the latest
 * after an interval, before every checkpoint barrier and at the end of the input. It therefore has
 * no state.
 *
 * <p>Grid vectors are added exactly, as integers; others in order of arrival. Sparse reports pass
 * one by one, so that they keep costing what they touch.
 */
public final class PreAggregator extends AbstractStreamOperator<RoundSum>
    implements OneInputStreamOperator<RoundSum, RoundSum>, BoundedOneInput {
  private static final long serialVersionUID = 1;

  private final long intervalMs;
  private transient Map<Key, Bundle> bundles;
  private transient StreamRecord<RoundSum> outgoing;
  private transient ScheduledFuture<?> timer;
  private transient int parallelism;

  private record Key(String modelId, long namedRound, long specOffset, boolean grid) {}

  /**
   * An operator that holds a bundle back for at most {@code interval}.
   *
   * @param interval positive
   */
  public PreAggregator(Duration interval) {
    intervalMs = interval.toMillis();
  }

  @Override
  public void open() throws Exception {
    super.open();
    bundles = new LinkedHashMap<>();
    outgoing = new StreamRecord<>(null);
    parallelism = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
  }

  @Override
  public void processElement(StreamRecord<RoundSum> element) {
    RoundSum report = element.getValue();
    int enough = Math.max(1, report.reportsPerRound / (2 * parallelism));
    if (enough == 1 || report.form == VectorForm.SPARSE) {
      output.collect(element);
      return;
    }
    boolean grid = report.form == VectorForm.GRID;
    Key key = new Key(report.modelId, report.namedRound, report.specOffset, grid);
    Bundle bundle = bundles.computeIfAbsent(key, k -> new Bundle(report));
    bundle.add(report);
    if (bundle.sum.count >= enough) {
      bundles.remove(key);
      emit(bundle);
    } else if (timer == null) {
      long now = processingTimeService.getCurrentProcessingTime();
      timer = processingTimeService.registerTimer(now + intervalMs, time -> onTimer());
    }
  }

  private void onTimer() {
    timer = null;
    flush();
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) {
    flush();
  }

  @Override
  public void endInput() {
    flush();
  }

  private void flush() {
    bundles.values().forEach(this::emit);
    bundles.clear();
  }

  private void emit(Bundle bundle) {
    output.collect(outgoing.replace(bundle.seal()));
  }

  /** A sum that is still growing. */
  private static final class Bundle {
    private final RoundSum sum = new RoundSum();
    private final long[] gridSum;
    private final double[] denseSum;

    Bundle(RoundSum first) {
      sum.modelId = first.modelId;
      sum.namedRound = first.namedRound;
      sum.reportsPerRound = first.reportsPerRound;
      sum.specOffset = first.specOffset;
      sum.dimension = first.dimension;
      boolean grid = first.form == VectorForm.GRID;
      sum.form = grid ? VectorForm.GRID_SUM : VectorForm.DENSE;
      gridSum = grid ? new long[first.dimension] : null;
      denseSum = grid ? null : new double[first.dimension];
    }

    void add(RoundSum report) {
      if (gridSum != null) {
        PackedVectors.addGrid(report.values, gridSum);
      } else {
        PackedVectors.addDense(report.values, denseSum);
      }
      sum.count += report.count;
      sum.directionalVariance += report.directionalVariance;
    }

    RoundSum seal() {
      sum.values = gridSum != null ? PackedVectors.encode(gridSum) : PackedVectors.encode(denseSum);
      return sum;
    }
  }
}
