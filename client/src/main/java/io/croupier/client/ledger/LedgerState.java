package io.croupier.client.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The state that results from a ledger's entries, read or appended. */
final class LedgerState {
  private final NavigableMap<Long, StoredReport> pending = new TreeMap<>();
  private Spent spent = Spent.NOTHING;

  /**
   * Starts from the totals of a file's header; the reports that the file carries over follow as
   * entries.
   */
  void begin(Spent opening) {
    spent = opening;
  }

  /** Applies an entry; returns false, without a change, if it contradicts earlier ones. */
  boolean take(LedgerEntry entry) {
    long sequence = entry.sequence();
    switch (entry.kind()) {
      case ACKNOWLEDGED, REFUSED -> {
        return pending.remove(sequence) != null;
      }
      case CARRIED -> {
        boolean isInOrder = pending.isEmpty() || sequence > pending.lastKey();
        if (!isInOrder || sequence >= spent.reports()) {
          return false;
        }
      }
      default -> {
        if (sequence != nextSequence()) {
          return false;
        }
        spent = spent.plus(entry.cost());
      }
    }
    pending.put(sequence, new StoredReport(sequence, entry.report()));
    return true;
  }

  /** The next number; numbers have no gaps. */
  long nextSequence() {
    return spent.reports();
  }

  Spent spent() {
    return spent;
  }

  /** The lowest pending number, or the next number if none is pending. */
  long oldestPending() {
    return pending.isEmpty() ? nextSequence() : pending.firstKey();
  }

  boolean isPending(long sequence) {
    return pending.containsKey(sequence);
  }

  /** Pending reports in order. */
  List<StoredReport> pending() {
    return new ArrayList<>(pending.values());
  }
}
