package io.croupier.cli.replay;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Judged reports by where they were recorded. Reads them on as far as it is asked, and keeps those
 * that it has passed if they were admitted: as many as the journal's order and that of the reports
 * are apart, and those that no bundle of the journal names, which stay to the end. A refused report
 * that it has passed leaves nothing behind, as no journal names it.
 */
final class Recording {
  private final Supplier<JudgedReport> reports;
  private final Map<RecordPosition, JudgedReport> passed = new HashMap<>();

  /** A recording of the reports that {@code reports} gives, up to the null behind the last. */
  Recording(Supplier<JudgedReport> reports) {
    this.reports = reports;
  }

  /**
   * The report at {@code position}, which can be had once; null if there is none, or if it was
   * refused and is passed.
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
      if (judged.isAdmitted()) {
        passed.put(at, judged);
      }
    }
    return null;
  }

  /** Reads on to the end; returns how many admitted reports nobody has asked for. */
  long drain() {
    long unasked = passed.size();
    for (JudgedReport judged = reports.get(); judged != null; judged = reports.get()) {
      unasked += judged.isAdmitted() ? 1 : 0;
    }
    return unasked;
  }
}
