package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.ReportedData.DataCounts;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.schemas.GradientReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * The record of all reports that one person has released from this device, and of those not yet
 * acknowledged. For undisclosed noise it is the only account.
 *
 * <p>Invariants, at whatever time the process or the machine stops: (1) every report returned by
 * {@link #release} or {@link #pending} is charged; (2) its bytes stay the same until it is settled,
 * and its number is never used for another report; (3) numbers have no gaps, and start at 0 for
 * each device_id, which is drawn at random for a new ledger; (4) spending never decreases; (5) data
 * are reported to a model at most as often as their {@link DataKey} allows.
 *
 * <p>They hold because a charge, its report and the digest of its data are one entry of the file,
 * which is forced to the disk before the report is returned. They don't survive copies of the file:
 * after a return to an older copy, or a deletion, the later spending is missing.
 *
 * <p>Before a report is drawn, the file is rewritten without the settled reports if these take more
 * than half of it, and more than 64 KiB. So its size is at most twice that of the reports pending
 * and the digests of reported data at that time, or 64 KiB more than that, plus the new report and
 * marks: reports settled later stay in the file until the next one is drawn. Only unsettled reports
 * and digests are kept in memory.
 *
 * <p>Programs open it, close it, and read {@link #spent} and {@link #reported}. The other methods
 * are for {@code GradientReporter} and {@code AnonymousReporter}, and a later release may change
 * them.
 *
 * <p>Safe for use by several threads.
 */
public final class LocalLedger implements AutoCloseable {
  /**
   * Number of a device's newest sequence numbers among which the job recognizes a resend. A resend
   * of an older number would be refused and charged again, so a report must be settled before it is
   * that old.
   */
  public static final int WINDOW = 64;

  private final String userId;
  private final Limit limit;
  private final String deviceId;
  private final EntryStore store;
  private final LedgerSecret secret;
  private final LedgerState state;
  private boolean closed;

  /** Creates a ledger with the state that its store contains. */
  LocalLedger(
      String userId,
      Limit limit,
      String deviceId,
      ByteString secret,
      EntryStore store,
      LedgerState state) {
    requireUserId(userId);
    this.userId = userId;
    this.limit = limit;
    this.deviceId = deviceId;
    this.secret = new LedgerSecret(secret);
    this.store = store;
    this.state = state;
  }

  private LocalLedger(Path path, String userId, Limit limit, Disk disk, int slackBytes)
      throws IOException {
    requireUserId(userId);
    this.userId = userId;
    this.limit = limit;
    state = new LedgerState();
    LedgerFile file = LedgerFile.open(path, userId, disk, slackBytes, state);
    deviceId = file.deviceId();
    secret = new LedgerSecret(file.secret());
    store = file;
  }

  /**
   * Opens a ledger on the disk, or creates it. Beside its file is one with the suffix {@code .lock}
   * and, while it is rewritten, one with {@code .new}.
   *
   * @param path path of its file, which only its owner can read and write; links are followed, but
   *     the file must have no other names (hard links), and it and its folder must persist when the
   *     process ends
   * @param userId the user whose privacy is spent; 1 to 256 bytes of UTF-8; always the same for one
   *     file
   * @param limit limit on the total spending; it isn't stored, and may differ at every opening
   * @throws CorruptLedgerException if the file is damaged
   * @throws java.nio.file.FileSystemException if the ledger is already open, in this or another
   *     process (even if the lock's file was deleted), or its path is a link to nothing, or its
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
   * A ledger for simulated users that ends with the process: it counts and limits, but stores
   * nothing.
   */
  public static LocalLedger inMemory(String userId, Limit limit) {
    return new LocalLedger(
        userId,
        limit,
        UUID.randomUUID().toString(),
        LedgerSecret.newSecret(),
        EntryStore.NOWHERE,
        new LedgerState());
  }

  private static void requireUserId(String userId) {
    if (!GradientReports.isUserId(userId)) {
      throw new IllegalArgumentException(
          "userId is empty, too long or no Unicode; it must have 1 to "
              + GradientReports.MAX_ID_BYTES
              + " bytes of UTF-8");
    }
  }

  /** The user whose privacy is spent. */
  public String userId() {
    return userId;
  }

  /** Distinguishes this ledger's reports from those of the user's other devices. */
  public String deviceId() {
    return deviceId;
  }

  /** The total spending from this device. */
  public synchronized Spent spent() {
    return state.spent();
  }

  /** Charged reports that are neither acknowledged nor refused, in order. */
  public synchronized List<StoredReport> pending() {
    return state.pending();
  }

  /**
   * Whether this device answers a published round, which each device does with the given
   * probability. The decision for a round is the same at every call, as long as the file exists.
   *
   * @param probability in [0, 1]; a round that is answered at one probability is answered at every
   *     larger one
   */
  public boolean answers(String modelId, long round, double probability) {
    return secret.answers(modelId, round, probability);
  }

  /**
   * Whether a question is asked about a published round instead of for a gradient, which happens
   * with the given probability. The decision for a round is the same at every call, as long as the
   * file exists, and independent of {@link #answers}.
   *
   * @param probability in [0, 1]
   */
  public boolean isAsked(String modelId, long round, double probability) {
    return secret.isAsked(modelId, round, probability);
  }

  /**
   * Which question is asked about a published round, each with the same probability. The decision
   * for a round is the same at every call with the same count, as long as the file exists.
   *
   * @param count number of questions, at least 1
   * @return from 0 to {@code count} - 1
   */
  public int question(String modelId, long round, int count) {
    return secret.question(modelId, round, count);
  }

  /** How often data were reported to a model, by whatever kind of report. */
  public synchronized long reported(String modelId, DataKey key) {
    return state.counts(secret.data(modelId, key)).reported();
  }

  /**
   * Checks that data may be reported to a model once more.
   *
   * @throws AlreadyReportedException if they were reported as often as the key allows, or tokens
   *     were charged for the rest of its reports
   */
  public void requireUnreported(String modelId, DataKey key) {
    ByteString unused = unreported(modelId, key, DataCounts::most);
  }

  /** The digest of data whose count is below the times of their key. */
  private synchronized ByteString unreported(
      String modelId, DataKey key, ToIntFunction<DataCounts> count) {
    ByteString data = secret.data(modelId, key);
    DataCounts counts = state.counts(data);
    if (count.applyAsInt(counts) >= key.times()) {
      throw new AlreadyReportedException(modelId, counts, key.times());
    }
    return data;
  }

  /**
   * Charges a report, draws it, and makes it durable, together with the digest of its data; only
   * then may it be sent.
   *
   * @param modelId the model that receives it
   * @param key names its data
   * @param cost what the randomiser that draws it spends
   * @param draw creates the record for the given number; not called if anything is exceeded
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @throws LimitReachedException if it would exceed the person's limit
   * @throws IllegalStateException if the ledger is closed, or the report {@value #WINDOW} numbers
   *     earlier is still pending; no noise is drawn then
   * @throws UncheckedIOException if it could not be written, or the file was deleted or replaced
   *     meanwhile: it must not be sent, and whether it is charged is known only after the ledger is
   *     reopened
   */
  public StoredReport release(
      String modelId, DataKey key, ReleaseCost cost, LongFunction<byte[]> draw) {
    return release(modelId, key, cost, limit::admit, draw);
  }

  /**
   * The same for an answer to a question, or a vote for a statistic.
   *
   * @throws LimitReachedException also if it would exceed the share of the limit for {@linkplain
   *     Limit#answers answers}
   */
  public StoredReport answer(
      String modelId, DataKey key, ReleaseCost cost, LongFunction<byte[]> draw) {
    return release(modelId, key, cost, limit::admitAnswer, draw);
  }

  /**
   * The same for a token that pays for one later report: charges it, and makes what is needed to
   * ask for it durable. Only then may it be asked for.
   *
   * @param key names the data that the report is to be about. The token is one of the reports that
   *     the key allows, for good, also if none is {@linkplain #draw drawn} with it: whether a
   *     further token is asked for must not show that
   * @param cost what the randomiser that will draw the report spends; disclosed and bounded
   * @param request creates the bytes of the stage {@link StoredToken.Stage#ASKED} for the given
   *     number; not called if a limit is exceeded
   */
  public StoredToken chargeToken(
      String modelId, DataKey key, ReleaseCost cost, LongFunction<byte[]> request) {
    if (cost.undisclosed() || cost.unbounded()) {
      throw new IllegalArgumentException(
          "the cost of the randomiser is undisclosed or unbounded; that of a token must be"
              + " neither");
    }
    return charge(
        modelId,
        key,
        // Not by what was reported: the request would reveal in which publication.
        DataCounts::charged,
        cost,
        limit::admit,
        (sequence, data) ->
            new StoredToken(sequence, StoredToken.Stage.ASKED, data, request.apply(sequence)),
        (token, spent, data) -> LedgerEntry.token(token, spent));
  }

  /**
   * Makes a token's next stage durable, other than that of a {@linkplain #draw drawn} report.
   *
   * @param token what the ledger contains
   * @param stage held, or ended
   * @param bytes what the stage needs
   * @throws IllegalStateException if the ledger is closed, or doesn't contain that token in that
   *     stage, or the stage isn't a later one
   * @throws UncheckedIOException if it could not be written: nothing may be sent until the ledger
   *     is reopened
   */
  public synchronized StoredToken advance(
      StoredToken token, StoredToken.Stage stage, byte[] bytes) {
    if (stage == StoredToken.Stage.DRAWN) {
      throw new IllegalArgumentException("stage is DRAWN; draw makes a report durable");
    }
    return advance(token, new StoredToken(token.sequence(), stage, token.data(), bytes));
  }

  /** Ends all tokens of a person who is stopped: nothing of them is sent from now on. */
  public synchronized void endTokens() {
    for (StoredToken token : tokens()) {
      if (token.stage() != StoredToken.Stage.ENDED) {
        StoredToken unused = advance(token, StoredToken.Stage.ENDED, token.bytes());
      }
    }
  }

  /**
   * Makes the report of a token durable, together with the digest of its data; only then may it be
   * sent.
   *
   * @param token what the ledger contains
   * @param modelId the model that receives the report
   * @param key names its data, which may differ from those for which the token was charged
   * @param report draws the report; not called if the data were reported
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @see #advance(StoredToken, StoredToken.Stage, byte[]) for the other exceptions
   */
  public synchronized StoredToken draw(
      StoredToken token, String modelId, DataKey key, Supplier<byte[]> report) {
    ByteString data = unreported(modelId, key, DataCounts::reported);
    return advance(
        token, new StoredToken(token.sequence(), StoredToken.Stage.DRAWN, data, report.get()));
  }

  private StoredToken advance(StoredToken token, StoredToken next) {
    requireOpen();
    if (!state.isInStage(token) || !next.follows(token)) {
      throw new IllegalStateException(
          String.format(
              "token %d is not in the stage %s, or %s is not a later one",
              token.sequence(), token.stage(), next.stage()));
    }
    add(LedgerEntry.state(next));
    return next;
  }

  /** Removes a token that is no longer needed; it stays charged. */
  public void forget(StoredToken token) {
    settle(LedgerEntry.EntryKind.ACKNOWLEDGED, token.sequence());
  }

  /** Tokens in order, until they are {@linkplain #forget forgotten}. */
  public synchronized List<StoredToken> tokens() {
    return state.tokens();
  }

  /**
   * In which publication of its window a token is used, each with the same probability. The same at
   * every call, as long as the file exists.
   *
   * @param challengeDigest digest of what the token is for, which is different for each model,
   *     window and declaration
   * @param publications number of publications in the window, from 1 to 2^31 - 1
   * @return from 0 to {@code publications} - 1
   */
  public int slot(ByteString challengeDigest, int publications) {
    return secret.slot(challengeDigest, publications);
  }

  /**
   * Whether the share of the limit for {@linkplain Limit#answers answers} admits one more answer. A
   * limit that doesn't admit it is reported by {@link #answer}.
   */
  public synchronized boolean admitsAnswer(ReleaseCost released) {
    Spent cost = Spent.of(released);
    return limit.isWithinShare(cost, state.spent().plus(cost));
  }

  private StoredReport release(
      String modelId,
      DataKey key,
      ReleaseCost released,
      BiConsumer<Spent, Spent> admission,
      LongFunction<byte[]> draw) {
    return charge(
        modelId,
        key,
        DataCounts::most,
        released,
        admission,
        (sequence, data) -> new StoredReport(sequence, draw.apply(sequence)),
        LedgerEntry::report);
  }

  /** Draws what is charged. */
  @FunctionalInterface
  private interface Draw<T> {
    T make(long sequence, ByteString data);
  }

  /** The entry of what is charged. */
  @FunctionalInterface
  private interface ToEntry<T> {
    LedgerEntry of(T drawn, Spent cost, ByteString data);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the ledger is closed; it must be open");
    }
  }

  private synchronized <T> T charge(
      String modelId,
      DataKey key,
      ToIntFunction<DataCounts> count,
      ReleaseCost released,
      BiConsumer<Spent, Spent> admission,
      Draw<T> draw,
      ToEntry<T> toEntry) {
    requireOpen();
    ByteString data = unreported(modelId, key, count);
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
    Spent cost = Spent.of(released);
    admission.accept(cost, state.spent().plus(cost));
    try {
      store.tidy();
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    T drawn = draw.make(sequence, data);
    add(toEntry.of(drawn, cost, data));
    return drawn;
  }

  /** Records that the report arrived: it is not sent again. */
  public void acknowledge(long sequence) {
    settle(LedgerEntry.EntryKind.ACKNOWLEDGED, sequence);
  }

  /** Records that the report was refused permanently: it is not sent again, and stays charged. */
  public void refuse(long sequence) {
    settle(LedgerEntry.EntryKind.REFUSED, sequence);
  }

  private synchronized void settle(LedgerEntry.EntryKind kind, long sequence) {
    // A mark after the close is lost, which costs nothing: the same bytes are sent again.
    if (!closed && state.isPending(sequence)) {
      add(LedgerEntry.mark(kind, sequence));
    }
  }

  private void add(LedgerEntry entry) {
    try {
      store.append(entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    state.take(entry);
  }

  /** Closes the ledger and releases its lock. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      store.close();
    }
  }
}
