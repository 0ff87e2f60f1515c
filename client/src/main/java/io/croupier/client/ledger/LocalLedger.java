package io.croupier.client.ledger;

import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.GradientReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * What one person has released from this device, and what of it is still to arrive. For noise that
 * is not disclosed it is the only account there is.
 *
 * <p>Invariants, whenever the process or the machine stops: (1) a report that was handed out by
 * {@link #release} or {@link #pending} is charged; (2) its bytes stay the same until it is settled,
 * and its number is never used for others; (3) numbers have no gaps, and begin at 0 with the
 * device_id, which is drawn at random for a new ledger; (4) spending never falls.
 *
 * <p>They hold because a charge and the report that it pays for are one entry of the file, which is
 * forced to the disk before anybody gets to see the report. They don't survive a copy of the file:
 * whoever goes back to an older one, or deletes it, forgets what was spent.
 *
 * <p>Before a report is drawn the file is written anew, without the reports that are settled, if
 * these take more than half of it, and more than 64 KiB. So it has at most twice the size of the
 * reports that were pending then, or 64 KiB more than that, and the report with marks: what is
 * settled later stays until the next one is drawn. In memory are only those that are not settled.
 *
 * <p>Safe for use by several threads.
 */
public final class LocalLedger implements AutoCloseable {
  /**
   * Among how many numbers of a device the job knows a resend for what it is. One that is further
   * back would be refused and charged again, so a report must be settled before that.
   */
  public static final int WINDOW = 64;

  private final String userId;
  private final Limit limit;
  private final String deviceId;
  private final EntryStore store;
  private final ParticipationSampler sampler;
  private final LedgerState state = new LedgerState();
  private boolean closed;

  private LocalLedger(String userId, Limit limit) {
    requireUserId(userId);
    this.userId = userId;
    this.limit = limit;
    deviceId = UUID.randomUUID().toString();
    sampler = new ParticipationSampler(ParticipationSampler.newSecret());
    store = EntryStore.NOWHERE;
  }

  private LocalLedger(Path path, String userId, Limit limit, Disk disk, int slackBytes)
      throws IOException {
    requireUserId(userId);
    this.userId = userId;
    this.limit = limit;
    LedgerFile file = LedgerFile.open(path, userId, disk, slackBytes, state);
    deviceId = file.deviceId();
    sampler = new ParticipationSampler(file.secret());
    store = file;
  }

  /**
   * Opens a ledger on the disk, or creates it. Beside it is a file with the suffix {@code .lock}
   * and, while it is written anew, one with {@code .new}.
   *
   * @param path of its file, readable and writable by its owner alone; links are followed, but it
   *     may have no other names (hard links), and its folder must outlive the process as it does
   * @param userId whose privacy is spent; 1 to 256 bytes of UTF-8; always the same for one file
   * @param limit how far spending may go from now on; it may differ from time to time
   * @throws CorruptLedgerException if the file is damaged
   * @throws java.nio.file.FileSystemException if the ledger is open already, here or in another
   *     process (also if the lock's file was deleted), or its path is a link to nothing, or its
   *     file has several names
   * @throws IOException if the file can't be read or written
   */
  public static LocalLedger open(Path path, String userId, Limit limit) throws IOException {
    return open(path, userId, limit, Disk.REAL, LedgerFile.SLACK_BYTES);
  }

  static LocalLedger open(Path path, String userId, Limit limit, Disk disk, int slackBytes)
      throws IOException {
    return new LocalLedger(path, userId, limit, disk, slackBytes);
  }

  /**
   * A ledger that ends with the process, for people who are simulated: it counts and limits, and
   * remembers nothing.
   */
  public static LocalLedger inMemory(String userId, Limit limit) {
    return new LocalLedger(userId, limit);
  }

  private static void requireUserId(String userId) {
    if (!GradientReports.isUserId(userId)) {
      throw new IllegalArgumentException(
          "userId is empty or too long; it must have 1 to "
              + GradientReports.MAX_ID_BYTES
              + " bytes of UTF-8");
    }
  }

  /** Whose privacy is spent. */
  public String userId() {
    return userId;
  }

  /** Tells this ledger's reports from those of the user's other devices. */
  public String deviceId() {
    return deviceId;
  }

  /** All that was spent from this device. */
  public synchronized Spent spent() {
    return state.spent();
  }

  /** Reports that were charged and are not known to have arrived or to be refused, in order. */
  public synchronized List<StoredReport> pending() {
    return state.pending();
  }

  /**
   * Whether this device is to answer a published round, which each does with the same probability.
   * That is decided once: whoever asks again has the same answer, as long as the file lives.
   *
   * @param probability in [0, 1]; a round that is answered at one is answered at every larger one
   */
  public boolean answers(String modelId, long round, double probability) {
    return sampler.answers(modelId, round, probability);
  }

  /**
   * Charges a report, has it drawn, and makes it durable; only then may it be sent.
   *
   * @param randomiser the noise that it is drawn with, which is what is charged
   * @param draw makes the record with the number that it gets; not called if there is no room
   * @throws LimitReachedException if the person's limit has no room for it
   * @throws IllegalStateException if the ledger is closed, or the report {@value #WINDOW} numbers
   *     before is still pending; nothing is drawn then
   * @throws UncheckedIOException if it could not be written, or the file was deleted or replaced
   *     meanwhile: it must not be sent, and whether it is charged shows when the ledger is opened
   *     again
   */
  public synchronized StoredReport release(Randomiser randomiser, LongFunction<byte[]> draw) {
    if (closed) {
      throw new IllegalStateException("the ledger is closed; it must be open");
    }
    long sequence = state.nextSequence();
    long oldest = state.oldestPending();
    if (sequence - oldest >= WINDOW) {
      throw new IllegalStateException(
          "report "
              + oldest
              + " is still pending; it must be settled before report "
              + sequence
              + " is drawn");
    }
    Spent cost = Spent.of(randomiser.cost());
    limit.admit(cost, state.spent().plus(cost));
    try {
      store.tidy();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    StoredReport report = new StoredReport(sequence, draw.apply(sequence));
    add(LedgerEntry.report(sequence, cost, report.bytes()));
    return report;
  }

  /** The report arrived: it is not sent again. */
  public void acknowledge(long sequence) {
    settle(LedgerEntry.EntryKind.ACKNOWLEDGED, sequence);
  }

  /** The report will never be taken: it is not sent again, and stays charged. */
  public void refuse(long sequence) {
    settle(LedgerEntry.EntryKind.REFUSED, sequence);
  }

  private synchronized void settle(LedgerEntry.EntryKind kind, long sequence) {
    // One that comes too late costs nothing: the same bytes are sent again.
    if (!closed && state.isPending(sequence)) {
      add(LedgerEntry.mark(kind, sequence));
    }
  }

  private void add(LedgerEntry entry) {
    try {
      store.append(entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    state.take(entry);
  }

  /** Ends the work with it, and lets others open it. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      store.close();
    }
  }
}
