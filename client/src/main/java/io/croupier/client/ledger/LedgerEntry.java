package io.croupier.client.ledger;

/** One line of the ledger: a charged report or token, a token's new state, or a mark. */
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
    CARRIED(7),
    /** A charge and the token that it pays for, in its first state. */
    TOKEN(8),
    /** The next state of a token. */
    TOKEN_STATE(9),
    /** A token carried over from an earlier file; the header includes its charge. */
    CARRIED_TOKEN(10);

    private final byte code;

    EntryKind(int code) {
      this.code = (byte) code;
    }

    byte code() {
      return code;
    }

    /** Whether it contains a report or a token, and is followed by a commit marker. */
    boolean hasContent() {
      return this != ACKNOWLEDGED && this != REFUSED;
    }

    boolean isCarried() {
      return this == CARRIED || this == CARRIED_TOKEN;
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

  private static final byte[] NO_CONTENT = {};

  private final EntryKind kind;
  private final long sequence;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final byte[] content;

  LedgerEntry(
      EntryKind kind, long sequence, long epsilonNanos, long muSquaredPicos, byte[] content) {
    this.kind = kind;
    this.sequence = sequence;
    this.epsilonNanos = epsilonNanos;
    this.muSquaredPicos = muSquaredPicos;
    this.content = content;
  }

  static LedgerEntry report(long sequence, Spent cost, byte[] report) {
    return new LedgerEntry(
        EntryKind.of(cost), sequence, cost.epsilonNanos(), cost.muSquaredPicos(), report);
  }

  static LedgerEntry carried(StoredReport report) {
    return new LedgerEntry(EntryKind.CARRIED, report.sequence(), 0, 0, report.bytes());
  }

  /** A token, whose cost must be disclosed and bounded. */
  static LedgerEntry token(StoredToken token, Spent cost) {
    return new LedgerEntry(
        EntryKind.TOKEN,
        token.sequence(),
        cost.epsilonNanos(),
        cost.muSquaredPicos(),
        token.encoded());
  }

  static LedgerEntry state(StoredToken token) {
    return new LedgerEntry(EntryKind.TOKEN_STATE, token.sequence(), 0, 0, token.encoded());
  }

  static LedgerEntry carried(StoredToken token) {
    return new LedgerEntry(EntryKind.CARRIED_TOKEN, token.sequence(), 0, 0, token.encoded());
  }

  static LedgerEntry mark(EntryKind kind, long sequence) {
    return new LedgerEntry(kind, sequence, 0, 0, NO_CONTENT);
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

  /** The report's record, or the token's bytes; empty in a mark. */
  byte[] content() {
    return content;
  }
}
