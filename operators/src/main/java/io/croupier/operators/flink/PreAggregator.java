package io.croupier.operators.flink;

import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.RoundSum;
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
 * sums. Passes a bundle on once it holds {@code max(1, r / (2 parallelism))} reports, or what the
 * journal can take of one bundle, at the latest after an interval, before every checkpoint barrier
 * and at the end of the input. It therefore has no state.
 *
 * <p>Grid vectors are added exactly, as integers; others in order of arrival. Sparse reports pass
 * one by one, so that they keep costing what they touch.
 */
public final class PreAggregator extends AbstractStreamOperator<RoundSum>
    implements OneInputStreamOperator<RoundSum, RoundSum>, BoundedOneInput {
  private static final long serialVersionUID = 1;

  private final long intervalMs;
  private final int mostReports;
  private transient Map<Key, Bundle> bundles;
  private transient StreamRecord<RoundSum> outgoing;
  private transient ScheduledFuture<?> timer;
  private transient int parallelism;

  private record Key(String modelId, long namedRound, long specOffset, boolean grid) {}

  /**
   * An operator that holds a bundle back for at most {@code interval}.
   *
   * @param interval positive
   * @param mostReports bundles hold no more than this, at least 1
   */
  public PreAggregator(Duration interval, int mostReports) {
    this.mostReports = mostReports;
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
    int halfRound = Math.max(1, report.reportsPerRound / (2 * parallelism));
    int enough = Math.min(halfRound, mostReports);
    if (enough == 1 || report.form == VectorForm.SPARSE) {
      output.collect(element);
      return;
    }
    boolean grid = report.form == VectorForm.GRID;
    Key key = new Key(report.modelId, report.namedRound, report.specOffset, grid);
    Bundle bundle = bundles.get(key);
    if (bundle == null) {
      bundle = new Bundle(report);
      bundles.put(key, bundle);
    } else {
      bundle.add(report);
    }
    if (bundle.count() >= enough) {
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
}
