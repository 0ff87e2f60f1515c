package io.croupier.cli.replay;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Judged reports by where they were recorded. Reads them on as far as it is asked, and keeps those
 * that it has passed: as many as the journal's order and that of the reports are apart.
 */
final class Recording {
  private final Supplier<Judged> reports;
  private final Set<String> modelIds;
  private final Map<Place, Judged> passed = new HashMap<>();
  private long passedAndAdmitted;

  /**
   * A recording of the reports that {@code reports} gives, up to the null behind the last.
   *
   * @param modelIds the models whose reports will be asked for
   */
  Recording(Supplier<Judged> reports, Set<String> modelIds) {
    this.reports = reports;
    this.modelIds = modelIds;
  }

  /** The report at {@code place}, which can be had once; null if there is none. */
  Judged take(Place place) {
    Judged known = passed.remove(place);
    if (known != null) {
      passedAndAdmitted -= known.isAdmitted() ? 1 : 0;
      return known;
    }
    for (Judged judged = reports.get(); judged != null; judged = reports.get()) {
      if (Place.of(judged.report()).equals(place)) {
        return judged;
      }
      keep(judged);
    }
    return null;
  }

  private void keep(Judged judged) {
    // Nobody asks for the second copy of a record.
    if (modelIds.contains(judged.report().modelId) && judged.outcome() != Outcome.DUPLICATE) {
      passed.put(Place.of(judged.report()), judged);
      passedAndAdmitted += judged.isAdmitted() ? 1 : 0;
    }
  }

  /** Reads on to the end; returns how many admitted reports nobody has asked for. */
  long drain() {
    long unasked = passedAndAdmitted;
    for (Judged judged = reports.get(); judged != null; judged = reports.get()) {
      unasked += judged.isAdmitted() ? 1 : 0;
    }
    return unasked;
  }
}
