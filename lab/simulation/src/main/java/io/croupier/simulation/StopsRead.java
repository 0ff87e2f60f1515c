package io.croupier.simulation;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What one subtask of the ledger has read of who is stopped, and what follows for its events. */
final class StopsRead {
  private final Set<String> stopped = new HashSet<>();
  private long next;

  /** The subtask reads a record; one that it has read before changes nothing. */
  void read(SpecRecord stop) {
    if (stop.offset >= next) {
      next = stop.offset + 1;
      if (stop.value == null) {
        stopped.remove(stop.modelId);
      } else {
        stopped.add(stop.modelId);
      }
    }
  }

  /** Checks the events that the subtask writes: nothing of a stopped person is charged. */
  void check(List<OutboundRecord> written) throws IOException {
    for (OutboundRecord record : written) {
      if (record.destination == Destination.ACCOUNTING && record.value != null) {
        AccountingEvent event = AccountingEvents.read(record.key, record.value);
        String userId = event.getUserId();
        if (stopped.contains(userId) && AccountingEvents.isCharged(event)) {
          throw new WorldFinding(14, "A report of " + userId + ", who is stopped, is charged");
        }
        if (!stopped.contains(userId) && event.getOutcome() == Outcome.REFUSED_STOPPED) {
          throw new WorldFinding(14, userId + " isn't stopped, and a report is refused for that");
        }
      }
    }
  }
}
