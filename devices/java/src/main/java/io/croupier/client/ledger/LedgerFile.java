package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.LedgerReader.Extent;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a ledger, in {@link LedgerFormat}. Written bytes never change.
 *
 * <p>The entry of a report or token is written and forced, and its commit marker is written and
 * forced, before {@link #append} returns. Marks are not forced: if one is lost, the same bytes are
 * sent again, which costs nothing.
 *
 * <p>Once settled entries take more than half of the file, and more than the slack, a new file
 * replaces it: its header contains the spending so far, and the pending reports, the tokens and the
 * digests of all data that were reported follow. The new file is written beside the old one, forced
 * and renamed, and the folder is forced before any entry is appended. So after a crash either the
 * old or the new file has the name, both are complete, and both record the same spending and
 * pending reports.
 */
final class LedgerFile implements EntryStore {
  /** Bytes of settled entries that a file may contain even if fewer bytes are pending. */
  static final int SLACK_BYTES = 1 << 16;

  private static final Logger LOG = LoggerFactory.getLogger(LedgerFile.class);

  private final LedgerFolder folder;
  private final LedgerLock lock;
  private final LedgerState state;
  private final int slackBytes;
  private FileGuard guard;
  private FileChannel channel;
  private FileHeader header;
  private LedgerFormat format;
  private long end;
  private boolean usable = true;

  private LedgerFile(
      LedgerFolder folder,
      LedgerLock lock,
      LedgerState state,
      int slackBytes,
      FileGuard guard,
      FileChannel channel,
      FileHeader header) {
    this.folder = folder;
    this.lock = lock;
    this.state = state;
    this.slackBytes = slackBytes;
    this.guard = guard;
    this.channel = channel;
    this.header = header;
    format = new LedgerFormat(header);
  }

  /**
   * Opens a ledger's file, or creates one for {@code userId}, and repairs an unfinished end that a
   * crash left.
   *
   * @param state a new state, to which this method adds the entries; the caller adds those appended
   *     later
   */
  static LedgerFile open(Path path, String userId, Disk disk, int slackBytes, LedgerState state)
      throws IOException {
    LedgerFolder folder = new LedgerFolder(path, disk);
    LedgerLock lock = folder.lock();
    FileGuard guard = null;
    FileChannel channel = null;
    LedgerFile opened = null;
    try {
      if (folder.hasFile()) {
        folder.requireOneName();
        guard = folder.guard();
        // Only now: before, the draft might have belonged to a process whose lock file was deleted.
        folder.deleteDraft();
        // An earlier process may have crashed after creating the file and before forcing the
        // folder.
        folder.force();
      } else {
        folder.deleteDraft();
        guard = folder.place(List.of(new LedgerFormat(FileHeader.ofNew(userId)).header()));
      }
      channel = folder.open();
      LedgerReader reader = new LedgerReader(folder.file(), channel);
      FileHeader header = reader.readHeader();
      if (!header.userId().equals(userId)) {
        throw new IllegalArgumentException(
            "userId differs from that of the ledger " + folder.file() + "; they must be equal");
      }
      state.begin(header.opening());
      Extent good = reader.readEntries(header, state::take);
      opened = new LedgerFile(folder, lock, state, slackBytes, guard, channel, header);
      if (header.isCurrent()) {
        opened.repair(good);
      } else {
        opened.rewrite();
      }
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      if (opened == null) {
        closeAll(channel, guard, lock);
      } else {
        opened.close();
      }
      throw e;
    }
  }

  private void repair(Extent good) throws IOException {
    end = good.end();
    long unfinished = channel.size() - end;
    if (unfinished == 0 && !good.lacksMarker()) {
      return;
    }
    if (good.lacksMarker()) {
      LOG.info(
          "{} ends with a report without commit marker, after a crash: the report is"
              + " kept, charged, and sent",
          folder.file());
    } else {
      LOG.info(
          "{} ends with an entry that a crash truncated: {} bytes dropped, none of which"
              + " was ever sent",
          folder.file(),
          unfinished);
    }
    channel.force(false);
    channel.truncate(end);
    if (good.lacksMarker()) {
      write(format.marker(end));
    }
    channel.force(false);
  }

  String deviceId() {
    return header.deviceId();
  }

  ByteString secret() {
    return header.secret();
  }

  /**
   * {@inheritDoc}
   *
   * <p>After a failure no entry may be appended, since the content of the disk is unknown until the
   * file is reopened.
   */
  @Override
  public void append(LedgerEntry entry) throws IOException {
    uninterrupted(() -> appendTo(entry));
  }

  @FunctionalInterface
  private interface FileChange {
    void make() throws IOException;
  }

  /**
   * Changes the file on a thread that no program knows: an interrupt before or during a write would
   * close the channel. The caller waits in any case, and stays interrupted. It runs no other tasks
   * meanwhile, as the threads of a pool do that wait for a CompletableFuture: it holds the ledger's
   * lock.
   */
  private void uninterrupted(FileChange change) throws IOException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable task =
        () -> {
          try {
            change.make();
          } catch (IOException | RuntimeException | Error e) {
            failure.set(e);
          }
        };
    Thread writer = new Thread(task, "ledger-writer");
    writer.start();
    boolean isInterrupted = false;
    while (writer.isAlive()) {
      try {
        writer.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure.get() != null) {
      throw named(failure.get());
    }
  }

  /** The error of a full disk doesn't name the file. */
  private IOException named(Throwable cause) {
    if (cause instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    if (cause instanceof FileSystemException already) {
      return already;
    }
    FileSystemException named =
        new FileSystemException(
            folder.file().toString(), null, "can't be written: " + cause.getMessage());
    named.initCause(cause);
    return named;
  }

  private void appendTo(LedgerEntry entry) throws IOException {
    requireUsable();
    usable = false;
    guard.requireName(folder.file());
    write(format.entry(entry));
    if (entry.kind().hasContent()) {
      channel.force(false);
      write(format.marker(end));
      channel.force(false);
    }
    usable = true;
  }

  private void requireUsable() throws IOException {
    if (!usable) {
      throw new FileSystemException(
          folder.file().toString(),
          null,
          "an earlier write to the ledger failed; reopen the ledger");
    }
  }

  @Override
  public void tidy() throws IOException {
    requireUsable();
    guard.requireName(folder.file());
    long kept = format.headerBytes();
    for (LedgerEntry entry : state.carried()) {
      kept += format.entryBytes(entry) + LedgerFormat.MARKER_BYTES;
    }
    if (end - kept > Math.max(kept, slackBytes)) {
      uninterrupted(this::rewrite);
    }
  }

  private void rewrite() throws IOException {
    usable = false;
    List<LedgerEntry> carried = state.carried();
    header = header.carrying(state.spent(), carried.size());
    format = new LedgerFormat(header);
    List<ByteBuffer> parts = new ArrayList<>();
    parts.add(format.header());
    end = format.headerBytes();
    for (LedgerEntry entry : carried) {
      ByteBuffer bytes = format.entry(entry);
      end += bytes.remaining();
      parts.add(bytes);
      parts.add(format.marker(end));
      end += LedgerFormat.MARKER_BYTES;
    }
    if (!folder.replacesOpenFiles()) {
      channel.close();
    }
    FileGuard before = guard;
    guard = folder.place(parts);
    closeAll(channel, before);
    channel = folder.open();
    usable = true;
  }

  private void write(ByteBuffer bytes) throws IOException {
    end = LedgerFolder.writeAt(channel, bytes, end);
  }

  @Override
  public void close() throws IOException {
    closeAll(channel, guard, lock);
  }

  /** Closes all parts in order, even if closing some of them fails. */
  private static void closeAll(Closeable... parts) throws IOException {
    IOException failure = null;
    for (Closeable part : parts) {
      try {
        if (part != null) {
          part.close();
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
