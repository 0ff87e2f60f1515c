package io.croupier.client.ledger;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.LedgerReader.Extent;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a ledger: a {@link Header}, then one {@link LedgerEntry} after the other, and behind
 * every one that holds a report a {@link CommitMarker}. Nothing in it is ever changed.
 *
 * <p>A report's entry is written, forced, sealed and forced again before {@link #append} returns.
 * Marks are not forced: without one, the same bytes are sent again, which costs nothing.
 *
 * <p>Once more of the file is settled than not, and more than the slack, another takes its place:
 * its header holds what was spent, and the reports that are still pending follow. It is written
 * beside the file, forced, renamed, and the folder is forced before anything is added to it. So the
 * file has at no time another name's content, and whichever of the two a crash leaves tells the
 * same.
 */
final class LedgerFile implements EntryStore {
  /** How much of a file may be settled, in bytes, where less than that is pending. */
  static final int SLACK_BYTES = 1 << 16;

  private static final Logger LOG = LoggerFactory.getLogger(LedgerFile.class);

  private final LedgerFolder folder;
  private final LedgerLock lock;
  private final LedgerState state;
  private final int slackBytes;
  private FileGuard guard;
  private FileChannel channel;
  private Header header;
  private CommitMarker marker;
  private long end;
  private boolean usable = true;

  private LedgerFile(
      LedgerFolder folder,
      LedgerLock lock,
      LedgerState state,
      int slackBytes,
      FileGuard guard,
      FileChannel channel,
      Header header) {
    this.folder = folder;
    this.lock = lock;
    this.state = state;
    this.slackBytes = slackBytes;
    this.guard = guard;
    this.channel = channel;
    this.header = header;
    marker = new CommitMarker(header);
  }

  /**
   * Opens a ledger's file, or makes a new one for {@code userId}, and repairs what a crash left
   * unfinished.
   *
   * @param state a new one, which gets the entries, and must then be told what is appended
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
        // Not before: it may be that of a process whose lock's file was deleted.
        folder.deleteDraft();
        // An earlier process may have made it and come no further.
        folder.force();
      } else {
        folder.deleteDraft();
        guard = folder.place(List.of(Header.ofNew(userId).toBytes()));
      }
      channel = folder.open();
      LedgerReader reader = new LedgerReader(folder.file(), channel);
      Header header = reader.readHeader();
      if (!header.userId().equals(userId)) {
        throw new IllegalArgumentException(
            "userId is not the one that the ledger " + folder.file() + " was made for; it must be");
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
          "{} ends with a report that a crash left without its commit marker: it is kept, charged, and sent",
          folder.file());
    } else {
      LOG.info(
          "{} ends with an entry that a crash cut short: {} bytes dropped, none of them ever sent",
          folder.file(),
          unfinished);
    }
    channel.force(false);
    channel.truncate(end);
    if (good.lacksMarker()) {
      write(marker.at(end));
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
   * <p>After a failure nothing may be appended: what the disk holds is known when it is read again.
   */
  @Override
  public void append(LedgerEntry entry) throws IOException {
    requireUsable();
    usable = false;
    guard.requireName(folder.file());
    write(entry.toBytes());
    if (entry.kind().isReport()) {
      channel.force(false);
      write(marker.at(end));
      channel.force(false);
    }
    usable = true;
  }

  private void requireUsable() throws IOException {
    if (!usable) {
      throw new IOException("the ledger could not be written before; it must be opened again");
    }
  }

  @Override
  public void tidy() throws IOException {
    requireUsable();
    guard.requireName(folder.file());
    long kept = header.toBytes().remaining();
    for (StoredReport report : state.pending()) {
      kept += LedgerEntry.HEAD_BYTES + LedgerEntry.carried(report).bodyBytes() + CommitMarker.BYTES;
    }
    if (end - kept > Math.max(kept, slackBytes)) {
      rewrite();
    }
  }

  private void rewrite() throws IOException {
    usable = false;
    List<StoredReport> pending = state.pending();
    header = header.carrying(state.spent(), pending.size());
    marker = new CommitMarker(header);
    List<ByteBuffer> parts = new ArrayList<>();
    parts.add(header.toBytes());
    end = header.toBytes().remaining();
    for (StoredReport report : pending) {
      ByteBuffer entry = LedgerEntry.carried(report).toBytes();
      end += entry.remaining();
      parts.add(entry);
      parts.add(marker.at(end));
      end += CommitMarker.BYTES;
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

  /** Closes one after the other, whatever becomes of those before. */
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
