package io.croupier.client.ledger;

/** One line of the ledger: a charged report, or the mark that one is settled. */
final class LedgerEntry {

  /** Numbers are part of the format. */
  enum EntryKind {
    /** A charge and the report that it pays for. */
    DISCLOSED(1),
    /** The same, where the report doesn't disclose its noise. */
    UNDISCLOSED(2),
    /** A mark: the report arrived. */
    ACKNOWLEDGED(3),
    /** A mark: the broker refused the report permanently. */
    REFUSED(4),
    /** {@link #DISCLOSED}, where the actual cost may exceed the recorded one. */
    UNBOUNDED(5),
    /** {@link #UNDISCLOSED}, where the actual cost may exceed the recorded one. */
    UNDISCLOSED_UNBOUNDED(6),
    /** A report carried over from an earlier file; the header includes its charge. */
    CARRIED(7);

    private final byte code;

    EntryKind(int code) {
      this.code = (byte) code;
    }

    byte code() {
      return code;
    }

    boolean isReport() {
      return this != ACKNOWLEDGED && this != REFUSED;
    }

    private static EntryKind of(Spent cost) {
      if (cost.unbounded() > 0) {
        return cost.undisclosed() > 0 ? UNDISCLOSED_UNBOUNDED : UNBOUNDED;
      }
      return cost.undisclosed() > 0 ? UNDISCLOSED : DISCLOSED;
    }

    /** The kind with a code; null if there is none. */
    static EntryKind of(byte code) {
      for (EntryKind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  private static final byte[] NO_REPORT = {};

  private final EntryKind kind;
  private final long sequence;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final byte[] report;

  LedgerEntry(
      EntryKind kind, long sequence, long epsilonNanos, long muSquaredPicos, byte[] report) {
    this.kind = kind;
    this.sequence = sequence;
    this.epsilonNanos = epsilonNanos;
    this.muSquaredPicos = muSquaredPicos;
    this.report = report;
  }

  static LedgerEntry report(long sequence, Spent cost, byte[] report) {
    return new LedgerEntry(
        EntryKind.of(cost), sequence, cost.epsilonNanos(), cost.muSquaredPicos(), report);
  }

  static LedgerEntry carried(StoredReport report) {
    return new LedgerEntry(EntryKind.CARRIED, report.sequence(), 0, 0, report.bytes());
  }

  static LedgerEntry mark(EntryKind kind, long sequence) {
    return new LedgerEntry(kind, sequence, 0, 0, NO_REPORT);
  }

  EntryKind kind() {
    return kind;
  }

  long sequence() {
    return sequence;
  }

  long epsilonNanos() {
    return epsilonNanos;
  }

  long muSquaredPicos() {
    return muSquaredPicos;
  }

  Spent cost() {
    boolean undisclosed = kind == EntryKind.UNDISCLOSED || kind == EntryKind.UNDISCLOSED_UNBOUNDED;
    boolean unbounded = kind == EntryKind.UNBOUNDED || kind == EntryKind.UNDISCLOSED_UNBOUNDED;
    return new Spent(1, epsilonNanos, muSquaredPicos, undisclosed ? 1 : 0, unbounded ? 1 : 0);
  }

  /** The report's record; empty in a mark. */
  byte[] report() {
    return report;
  }
}
