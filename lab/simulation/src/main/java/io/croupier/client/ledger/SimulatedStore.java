package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The disk of a simulated device: a list of the entries of its ledger. An entry with a report is
 * forced before its append returns; marks are not, so a crash loses some of them. A crash may also
 * come right after an entry was forced, so that its report is never sent by this process.
 */
public final class SimulatedStore implements EntryStore {
  private final List<LedgerEntry> entries = new ArrayList<>();
  private int forced;
  private boolean failsNext;

  /** Opens the ledger with the entries that are on the disk. */
  public LocalLedger open(String userId, String deviceId, Limit limit) {
    LedgerState state = new LedgerState();
    for (LedgerEntry entry : entries) {
      if (!state.take(entry)) {
        throw new AssertionError("Entry " + entry.sequence() + " contradicts those before it");
      }
    }
    byte[] secret = new byte[LedgerSecret.SECRET_BYTES];
    secret[0] = (byte) deviceId.hashCode();
    return new LocalLedger(userId, limit, deviceId, ByteString.copyFrom(secret), this, state);
  }

  /** Lets the process end while it writes the next entry, which the disk has or hasn't. */
  public void failNext() {
    failsNext = true;
  }

  /** Loses what wasn't forced, from some entry on; each is kept if {@code keeps} returns true. */
  public void crash(BooleanSupplier keeps) {
    failsNext = false;
    while (entries.size() > forced && !keeps.getAsBoolean()) {
      entries.remove(entries.size() - 1);
    }
    forced = entries.size();
  }

  /** Loses the last entry although it was forced, as a bad disk does. */
  public void loseLast() {
    if (!entries.isEmpty()) {
      entries.remove(entries.size() - 1);
      forced = entries.size();
    }
  }

  /** Whether the disk has a report with these bytes, whatever happens. */
  public boolean hasForced(long sequence, byte[] report) {
    for (LedgerEntry entry : entries.subList(0, forced)) {
      if (entry.sequence() == sequence
          && entry.kind().hasContent()
          && Arrays.equals(entry.content(), report)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void append(LedgerEntry entry) throws IOException {
    entries.add(entry);
    if (entry.kind().hasContent()) {
      if (failsNext) {
        throw new IOException("the process ends");
      }
      forced = entries.size();
    }
  }

  @Override
  public void tidy() {
    // The file is rewritten in tests of its own.
  }

  @Override
  public void close() {
    // The entries stay.
  }
}
