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
 * Adds up the vectors of one model, publication, weight, grid and anonymous level inside a subtask,
 * so that the shuffle carries sums. Emits all bundles after an interval, before every checkpoint
 * barrier and at the end of the input; a bundle alone once it contains as many reports as one entry
 * of the journal can record; and all once they keep {@value #MOST_VALUES} values.
 *
 * <p>Answers to questions are passed on one by one.
 *
 * <p>The operator has no state. Values are added exactly, as integers, so what the learner receives
 * doesn't depend on the bundles. The sum of sparse reports names the coordinates that any of them
 * names, so the cost stays proportional to the coordinates that they touch.
 */
public final class PreAggregator extends AbstractStreamOperator<RoundSum>
    implements OneInputStreamOperator<RoundSum, RoundSum>, BoundedOneInput {
  private static final long serialVersionUID = 1;

  /** The most values that bundles keep, 128 MiB. */
  static final long MOST_VALUES = 1L << 24;

  private final long intervalMs;
  private final int mostReports;
  private transient Map<RoundKey, Bundle> bundles;
  private transient StreamRecord<RoundSum> outgoing;
  private transient ScheduledFuture<?> timer;

  /** The number of values that the bundles keep. */
  private transient long values;

  private record RoundKey(
      String modelId,
      long namedRound,
      long specOffset,
      VectorForm form,
      double gradientBound,
      int weightExponent,
      int exponent,
      int anonymousLevel) {

    static RoundKey of(RoundSum report) {
      return new RoundKey(
          report.modelId,
          report.namedRound,
          report.specOffset,
          report.form,
          report.gradientBound,
          report.weightExponent,
          report.exponent,
          report.anonymousLevel);
    }
  }

  /**
   * Creates an operator that holds a bundle back for at most {@code interval}.
   *
   * @param interval positive
   * @param mostReports the most reports in a bundle, at least 1
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
  }

  @Override
  public void processElement(StreamRecord<RoundSum> element) {
    RoundSum report = element.getValue();
    if (!isBundled(report.form) || mostReports == 1) {
      output.collect(element);
      return;
    }
    RoundKey key = RoundKey.of(report);
    Bundle bundle = bundles.get(key);
    if (bundle == null) {
      bundle = new Bundle(report);
      bundles.put(key, bundle);
      values += bundle.values();
    } else {
      long before = bundle.values();
      bundle.add(report);
      values += bundle.values() - before;
    }
    if (bundle.count() >= mostReports) {
      bundles.remove(key);
      values -= bundle.values();
      emit(bundle);
    } else if (values >= MOST_VALUES) {
      flush();
    } else if (timer == null) {
      long now = processingTimeService.getCurrentProcessingTime();
      timer = processingTimeService.registerTimer(now + intervalMs, time -> onTimer());
    }
  }

  /** Dense and sparse values are those of reports in flight of release 0.2.0. */
  private static boolean isBundled(VectorForm form) {
    return form == VectorForm.GRID || form == VectorForm.GRID_SUM || form == VectorForm.SPARSE_SUM;
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
    values = 0;
  }

  private void emit(Bundle bundle) {
    output.collect(outgoing.replace(bundle.seal()));
  }
}
