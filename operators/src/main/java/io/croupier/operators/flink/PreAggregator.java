package io.croupier.operators.flink;

import io.croupier.operators.model.Bundle;
import io.croupier.operators.model.Publication;
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
 * Adds up the vectors of one model, named round and gradient bound inside a subtask, so that the
 * shuffle carries sums. Emits a bundle once it contains {@code max(r / (2 parallelism), n / 30 -
 * 1)} reports, where n counts the reports of that round and bound that the subtask has seen, or
 * once it contains as many as one entry of the journal can record; at the latest after an interval,
 * before every checkpoint barrier and at the end of the input. Bundles grow by the same rule as the
 * learner's rounds, so the learner receives some hundred of them for each publication, whatever the
 * rate.
 *
 * <p>Answers to questions are passed on one by one.
 *
 * <p>The operator has no state: after a restart it counts from 0, and bundles are smaller for a
 * while. Grid vectors are added exactly, as integers; others in order of arrival. The sum of sparse
 * reports names the coordinates that any of them names, so it is never longer than they are
 * together, and the cost stays proportional to the coordinates that they touch.
 */
public final class PreAggregator extends AbstractStreamOperator<RoundSum>
    implements OneInputStreamOperator<RoundSum, RoundSum>, BoundedOneInput {
  private static final long serialVersionUID = 1;

  /** The most named rounds, each with a bound, that are counted at the same time. */
  private static final int MOST_ROUNDS = 1024;

  /**
   * The most sparse reports in a bundle. Those to a central model are whole steps of its grid, at
   * most 2^26 in a coordinate, as doubles: a sum of that many is exact, as the noise requires.
   */
  private static final int MOST_SPARSE = 1 << 26;

  private final long intervalMs;
  private final int mostReports;
  private transient Map<RoundKey, Bundle> bundles;
  private transient StreamRecord<RoundSum> outgoing;
  private transient ScheduledFuture<?> timer;
  private transient int parallelism;
  private transient RoundCounts counts;

  private record RoundKey(
      String modelId, long namedRound, long specOffset, VectorForm form, double gradientBound) {

    static RoundKey of(RoundSum report) {
      return new RoundKey(
          report.modelId, report.namedRound, report.specOffset, report.form, report.gradientBound);
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
    counts = new RoundCounts(MOST_ROUNDS);
    outgoing = new StreamRecord<>(null);
    parallelism = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
  }

  @Override
  public void processElement(StreamRecord<RoundSum> element) {
    RoundSum report = element.getValue();
    long enough = report.form == VectorForm.ANSWER ? 1 : bundleSize(report);
    if (enough == 1) {
      output.collect(element);
      return;
    }
    RoundKey key = RoundKey.of(report);
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

  /** Counts a report; returns at how many reports its bundle is emitted. */
  private long bundleSize(RoundSum report) {
    long halfRound = Math.max(1, report.reportsPerRound / (2 * parallelism));
    long share =
        Publication.share(counts.add(report.modelId, report.namedRound, report.gradientBound));
    int most = report.form == VectorForm.SPARSE ? Math.min(mostReports, MOST_SPARSE) : mostReports;
    return Math.min(Math.max(halfRound, share), most);
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
