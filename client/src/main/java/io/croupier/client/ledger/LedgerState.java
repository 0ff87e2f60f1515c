package io.croupier.client.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a ledger's entries come to. Those that are read and those that are added count alike. */
final class LedgerState {
  private final NavigableMap<Long, StoredReport> pending = new TreeMap<>();
  private Spent spent = Spent.NOTHING;

  /** Begins with what a file has carried over, but for its reports. */
  void begin(Spent opening) {
    spent = opening;
  }

  /** Takes an entry; false if it contradicts those before, and is not taken. */
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

  /** Numbers have no gaps. */
  long nextSequence() {
    return spent.reports();
  }

  Spent spent() {
    return spent;
  }

  /** The next number if none is pending. */
  long oldestPending() {
    return pending.isEmpty() ? nextSequence() : pending.firstKey();
  }

  boolean isPending(long sequence) {
    return pending.containsKey(sequence);
  }

  /** In order. */
  List<StoredReport> pending() {
    return new ArrayList<>(pending.values());
  }
}
