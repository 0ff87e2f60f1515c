package io.croupier.client.ledger;

import io.croupier.client.ledger.WatchedDisk.Operation;
import io.croupier.client.ledger.WatchedDisk.Watcher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A file of a {@link WatchedDisk}. */
final class WatchedChannel extends FileChannel {
  private final Path path;
  private final FileChannel target;
  private final Watcher watcher;

  WatchedChannel(Path path, FileChannel target, Watcher watcher) {
    this.path = path;
    this.target = target;
    this.watcher = watcher;
  }

  @Override
  public int write(ByteBuffer bytes, long position) throws IOException {
    watcher.before(new Operation("write", path, target, bytes, position));
    return target.write(bytes, position);
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    watcher.before(new Operation("truncate", path, target, null, size));
    target.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    watcher.before(new Operation("force", path, target, null, 0));
    target.force(metadata);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    watcher.before(new Operation("close", path, target, null, 0));
    target.close();
  }

  @Override
  public int read(ByteBuffer bytes, long position) throws IOException {
    return target.read(bytes, position);
  }

  @Override
  public long size() throws IOException {
    return target.size();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    watcher.before(new Operation("lock", path, target, null, 0));
    return target.tryLock(position, size, shared);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int read(ByteBuffer bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] bytes, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] bytes, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long position() {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel position(long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }
}
