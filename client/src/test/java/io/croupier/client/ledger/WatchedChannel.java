package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file whose openings and changes a test may watch and come before. */
final class WatchedChannel extends FileChannel {

  /** What is about to happen: open, write, truncate, force or close. */
  record Operation(String name, FileChannel target, ByteBuffer bytes, long position) {}

  @FunctionalInterface
  interface Watcher {
    void before(Operation operation) throws IOException;
  }

  private final FileChannel target;
  private final Watcher watcher;

  private WatchedChannel(FileChannel target, Watcher watcher) {
    this.target = target;
    this.watcher = watcher;
  }

  static Channels watchedBy(Watcher watcher) {
    return (path, options, attributes) -> {
      watcher.before(new Operation("open", null, null, 0));
      return new WatchedChannel(FileChannel.open(path, options, attributes), watcher);
    };
  }

  @Override
  public int write(ByteBuffer bytes, long position) throws IOException {
    watcher.before(new Operation("write", target, bytes, position));
    return target.write(bytes, position);
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    watcher.before(new Operation("truncate", target, null, size));
    target.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    watcher.before(new Operation("force", target, null, 0));
    target.force(metadata);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    watcher.before(new Operation("close", target, null, 0));
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
