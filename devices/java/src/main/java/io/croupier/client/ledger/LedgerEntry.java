package io.croupier.client.ledger;

import com.google.protobuf.ByteString;

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
    CARRIED_TOKEN(10),
    /** How often which data were charged and reported, carried over from an earlier file. */
    CARRIED_DATA(11);

    private final byte code;

    EntryKind(int code) {
      this.code = (byte) code;
    }

    byte code() {
      return code;
    }

    /** Whether it has a content, such as a report, and is followed by a commit marker. */
    boolean hasContent() {
      return this != ACKNOWLEDGED && this != REFUSED;
    }

    boolean isCarried() {
      return this == CARRIED || this == CARRIED_TOKEN || this == CARRIED_DATA;
    }

    /** Whether a digest of data comes before the content. */
    boolean hasData() {
      return hasContent() && this != CARRIED && this != CARRIED_DATA;
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

  /** Stands for the data of reports and tokens of files before version 3, which are unknown. */
  static final ByteString UNKNOWN_DATA = ByteString.copyFrom(new byte[LedgerSecret.DATA_BYTES]);

  private static final byte[] NO_CONTENT = {};

  private final EntryKind kind;
  private final long sequence;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final ByteString data;
  private final byte[] content;

  LedgerEntry(
      EntryKind kind,
      long sequence,
      long epsilonNanos,
      long muSquaredPicos,
      ByteString data,
      byte[] content) {
    this.kind = kind;
    this.sequence = sequence;
    this.epsilonNanos = epsilonNanos;
    this.muSquaredPicos = muSquaredPicos;
    this.data = data;
    this.content = content;
  }

  private static LedgerEntry free(EntryKind kind, long sequence, ByteString data, byte[] content) {
    return new LedgerEntry(kind, sequence, 0, 0, data, content);
  }

  /**
   * A charge and its report.
   *
   * @param data digest of the data that it is about
   */
  static LedgerEntry report(StoredReport report, Spent cost, ByteString data) {
    return new LedgerEntry(
        EntryKind.of(cost),
        report.sequence(),
        cost.epsilonNanos(),
        cost.muSquaredPicos(),
        data,
        report.bytes());
  }

  static LedgerEntry carried(StoredReport report) {
    return free(EntryKind.CARRIED, report.sequence(), ByteString.EMPTY, report.bytes());
  }

  /** A token, whose cost must be disclosed and bounded. */
  static LedgerEntry token(StoredToken token, Spent cost) {
    return new LedgerEntry(
        EntryKind.TOKEN,
        token.sequence(),
        cost.epsilonNanos(),
        cost.muSquaredPicos(),
        token.data(),
        token.encoded());
  }

  static LedgerEntry state(StoredToken token) {
    return free(EntryKind.TOKEN_STATE, token.sequence(), token.data(), token.encoded());
  }

  static LedgerEntry carried(StoredToken token) {
    return free(EntryKind.CARRIED_TOKEN, token.sequence(), token.data(), token.encoded());
  }

  static LedgerEntry mark(EntryKind kind, long sequence) {
    return free(kind, sequence, ByteString.EMPTY, NO_CONTENT);
  }

  static LedgerEntry carried(ReportedData reported) {
    return free(EntryKind.CARRIED_DATA, 0, ByteString.EMPTY, reported.encoded());
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

  /** Digest of the data of the report or token; empty where the kind has none. */
  ByteString data() {
    return data;
  }

  /** The report's record, the token's bytes, or the reported data; empty in a mark. */
  byte[] content() {
    return content;
  }
}
