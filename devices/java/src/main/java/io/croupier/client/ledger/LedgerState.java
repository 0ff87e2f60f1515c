package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.ReportedData.DataCounts;
import io.croupier.client.ledger.StoredToken.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The state that results from a ledger's entries, read or appended. */
final class LedgerState {
  private final NavigableMap<Long, StoredReport> pending = new TreeMap<>();
  private final NavigableMap<Long, StoredToken> tokens = new TreeMap<>();
  private final ReportedData reported = new ReportedData();
  private Spent spent = Spent.NOTHING;

  /**
   * Starts from the totals of a file's header; the reports and tokens that the file carries over
   * follow as entries.
   */
  void begin(Spent opening) {
    spent = opening;
  }

  /** Applies an entry; returns false, without a change, if it contradicts earlier ones. */
  boolean take(LedgerEntry entry) {
    long sequence = entry.sequence();
    return switch (entry.kind()) {
      case ACKNOWLEDGED, REFUSED ->
          pending.remove(sequence) != null || tokens.remove(sequence) != null;
      case CARRIED -> carries(pending, sequence) && put(entry);
      case CARRIED_TOKEN -> carries(tokens, sequence) && putToken(entry);
      case CARRIED_DATA -> sequence == 0 && reported.take(entry.content());
      case TOKEN_STATE -> {
        StoredToken earlier = tokens.get(sequence);
        StoredToken next = token(entry);
        boolean follows = earlier != null && next != null && next.follows(earlier);
        if (follows && next.stage() == Stage.DRAWN) {
          reported.add(next.data(), DataCounts.DRAWN);
        }
        yield follows && putToken(entry);
      }
      case TOKEN ->
          sequence == nextSequence() && putToken(entry) && charge(entry, DataCounts.TOKEN);
      case DISCLOSED, UNDISCLOSED, UNBOUNDED, UNDISCLOSED_UNBOUNDED ->
          sequence == nextSequence() && put(entry) && charge(entry, DataCounts.REPORT);
    };
  }

  private boolean carries(NavigableMap<Long, ?> earlier, long sequence) {
    return (earlier.isEmpty() || sequence > earlier.lastKey()) && sequence < spent.reports();
  }

  private boolean put(LedgerEntry entry) {
    pending.put(entry.sequence(), new StoredReport(entry.sequence(), entry.content()));
    return true;
  }

  private boolean putToken(LedgerEntry entry) {
    StoredToken token = token(entry);
    if (token != null) {
      tokens.put(entry.sequence(), token);
    }
    return token != null;
  }

  /** The token of an entry; null if there is no such stage. */
  private static StoredToken token(LedgerEntry entry) {
    return StoredToken.parse(entry.sequence(), entry.data(), entry.content());
  }

  private boolean charge(LedgerEntry entry, DataCounts counts) {
    spent = spent.plus(entry.cost());
    reported.add(entry.data(), counts);
    return true;
  }

  /** The next number; numbers have no gaps. */
  long nextSequence() {
    return spent.reports();
  }

  Spent spent() {
    return spent;
  }

  /**
   * The lowest number of a pending report or of a token that is asked for, or the next number if
   * there is none.
   */
  long oldestPending() {
    long report = pending.isEmpty() ? nextSequence() : pending.firstKey();
    for (StoredToken token : tokens.values()) {
      if (token.stage() == Stage.ASKED) {
        return Math.min(report, token.sequence());
      }
    }
    return report;
  }

  /** Whether a report is pending, or a token kept, under that number. */
  boolean isPending(long sequence) {
    return pending.containsKey(sequence) || tokens.containsKey(sequence);
  }

  /** Whether a token is kept, and in the same stage. */
  boolean isInStage(StoredToken token) {
    StoredToken kept = tokens.get(token.sequence());
    return kept != null && kept.stage() == token.stage();
  }

  /** How often data were charged and reported. */
  DataCounts counts(ByteString data) {
    return reported.of(data);
  }

  /** Pending reports in order. */
  List<StoredReport> pending() {
    return new ArrayList<>(pending.values());
  }

  /** Tokens in order. */
  List<StoredToken> tokens() {
    return new ArrayList<>(tokens.values());
  }

  /** What a new file carries over. */
  List<LedgerEntry> carried() {
    List<LedgerEntry> carried = new ArrayList<>();
    pending.values().forEach(report -> carried.add(LedgerEntry.carried(report)));
    tokens.values().forEach(token -> carried.add(LedgerEntry.carried(token)));
    if (!reported.isEmpty()) {
      carried.add(LedgerEntry.carried(reported));
    }
    return carried;
  }
}
