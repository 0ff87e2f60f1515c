package io.croupier.cli.replay;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Judged reports by the position from which they were recorded. Reports are read on demand. Those
 * that are read before the journal requires them, and that the job may have admitted, are kept: as
 * many as the orders of the journal and of the reports differ by, and those that no bundle
 * contains, which stay until the end. No journal contains the others.
 */
final class Recording {
  private final Supplier<JudgedReport> reports;
  private final Map<RecordPosition, JudgedReport> passed = new HashMap<>();

  /** Reads from {@code reports}, which returns null after the last report. */
  Recording(Supplier<JudgedReport> reports) {
    this.reports = reports;
  }

  /**
   * Removes and returns the report at {@code position}; null if there is none, or if it was read
   * earlier and was refused.
   */
  JudgedReport take(RecordPosition position) {
    JudgedReport known = passed.remove(position);
    if (known != null) {
      return known;
    }
    for (JudgedReport judged = reports.get(); judged != null; judged = reports.get()) {
      RecordPosition at = RecordPosition.of(judged.report());
      if (at.equals(position)) {
        return judged;
      }
      if (judged.mayBeAdmitted()) {
        passed.put(at, judged);
      }
    }
    return null;
  }

  /** Reads to the end; returns the number of admitted reports that were never taken. */
  long drain() {
    long remaining = passed.values().stream().filter(JudgedReport::isAdmitted).count();
    for (JudgedReport judged = reports.get(); judged != null; judged = reports.get()) {
      remaining += judged.isAdmitted() ? 1 : 0;
    }
    return remaining;
  }
}
