package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.report.Received;
import org.apache.flink.streaming.api.operators.KeyContext;

/**
 * Records that are judged one after the other, each of another user. On the heap, an account is a
 * dozen objects, and the address of most of them stands in another one. So the accounts of a batch
 * are read together first: the processor then waits for the memory of many at a time.
 *
 * <p>There is a new one for each batch, as there is a new {@link KeyedAccount} for each record.
 */
final class LedgerBatch {
  /** The most records; half as many and twice as many gain as much. */
  private static final int RECORDS = 32;

  /** The bytes of values from which on a batch is full, since a few large ones fill the cache. */
  private static final int BYTES = 1 << 16;

  /** Judges a record, whose user is the current key. */
  interface RecordJudge {
    void judge(Received received, RawRecord record, KeyedAccount account);
  }

  private final String[] users = new String[RECORDS];
  private final Received[] received = new Received[RECORDS];
  private final RawRecord[] records = new RawRecord[RECORDS];
  private int size;
  private int bytes;

  /** Without meaning; it is kept so that the compiler leaves no read out. */
  long read;

  /**
   * Returns whether there is room, and no record of the user, whose account that one may change.
   * Users with the same hash count as the same.
   */
  boolean accepts(String user) {
    for (int i = 0; i < size; i++) {
      if (users[i].hashCode() == user.hashCode()) {
        return false;
      }
    }
    return size < RECORDS && bytes < BYTES;
  }

  void add(String user, Received content, RawRecord record) {
    users[size] = user;
    received[size] = content;
    records[size] = record;
    size++;
    bytes += record.value == null ? 0 : record.value.length;
  }

  /** Judges all records in their order. */
  void judge(KeyContext context, KeyedAccounts accounts, RecordJudge judge) {
    KeyedAccount[] loaded = new KeyedAccount[size];
    StoredAccount[] values = new StoredAccount[size];
    for (int i = 0; i < size; i++) {
      context.setCurrentKey(users[i]);
      loaded[i] = accounts.load();
      values[i] = loaded[i].value();
    }
    read = StoredAccount.read(values);
    for (int i = 0; i < size; i++) {
      context.setCurrentKey(users[i]);
      judge.judge(received[i], records[i], loaded[i]);
    }
  }
}
