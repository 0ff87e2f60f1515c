package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Random;
import java.util.Set;

/** The file system with a hook before every operation except reads. */
record WatchedDisk(Watcher watcher) implements Disk {

  /**
   * The next operation: open, create, lock, write, truncate, force, close, move (to the path) or
   * delete.
   *
   * @param target the file's channel, if it is open
   */
  record Operation(String name, Path path, FileChannel target, ByteBuffer bytes, long position) {

    Operation(String name, Path path) {
      this(name, path, null, null, 0);
    }

    /** Writes a random part of the bytes. */
    void writePart(Random random) throws IOException {
      ByteBuffer part = bytes.duplicate();
      part.limit(part.position() + random.nextInt(part.remaining()));
      target.write(part, position);
    }

    /** The operation's name and the kind of its file. */
    String what() {
      String file = path.getFileName().toString();
      int dot = file.lastIndexOf('.');
      return name + (dot < 0 ? " " + file : " " + file.substring(dot));
    }
  }

  @FunctionalInterface
  interface Watcher {
    void before(Operation operation) throws IOException;
  }

  @Override
  public FileChannel open(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    boolean isNew = options.contains(StandardOpenOption.CREATE_NEW);
    watcher.before(new Operation(isNew ? "create" : "open", path));
    return new WatchedChannel(path, Disk.REAL.open(path, options, attributes), watcher);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    watcher.before(new Operation("move", to));
    Disk.REAL.move(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    watcher.before(new Operation("delete", path));
    Disk.REAL.delete(path);
  }
}
