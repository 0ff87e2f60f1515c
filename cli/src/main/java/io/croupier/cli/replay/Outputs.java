package io.croupier.cli.replay;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.commons.io.IOUtils;

/** The files that a replay writes: those that were asked for, and nothing for the others. */
final class Outputs implements Closeable {
  private final PrintWriter standardOut;
  private final List<JsonLines> files = new ArrayList<>();

  /** No files yet; {@code standardOut} is what {@value RecordFile#PIPE} stands for. */
  Outputs(PrintWriter standardOut) {
    this.standardOut = standardOut;
  }

  /**
   * Creates a file.
   *
   * @param name null if it was not asked for
   * @param write writes one thing into it
   */
  <T> Consumer<T> create(String name, BiConsumer<JsonLines, T> write) {
    if (name == null) {
      return thing -> {};
    }
    JsonLines file = JsonLines.create(name, standardOut);
    files.add(file);
    return thing -> write.accept(file, thing);
  }

  @Override
  public void close() throws IOException {
    IOUtils.close(files.toArray(Closeable[]::new));
    standardOut.flush();
  }
}
