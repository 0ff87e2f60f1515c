package io.croupier.cli.account;

import io.croupier.cli.InputException;
import io.croupier.cli.io.CountBar;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.apache.commons.io.input.BoundedInputStream;

/** Reads the lines of a file and shows the progress on a terminal. */
final class LineReader implements Closeable {
  private static final String PIPE = "-";
  private static final int STEP = 4096;

  private final String name;
  private final BoundedInputStream counted;
  private final BufferedReader reader;
  private final CountBar bar;
  private long number;

  private LineReader(String name, InputStream source) throws IOException {
    this.name = name;
    counted = BoundedInputStream.builder().setInputStream(source).get();
    InputStream unpacked = name.endsWith(".gz") ? new GZIPInputStream(counted) : counted;
    reader = Utf8Text.reader(unpacked);
    bar =
        CountBar.ofBytes(
            name, name.equals(PIPE) ? -1 : new File(name).length(), CountBar.isTerminal());
  }

  /**
   * Opens a file; {@value #PIPE} is standard input. A file that ends in {@code .gz} is
   * decompressed.
   *
   * @throws InputException if the file can't be read
   */
  static LineReader open(String name) {
    try {
      return new LineReader(
          name, name.equals(PIPE) ? System.in : Files.newInputStream(Path.of(name)));
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  /**
   * Returns the next line, which may be empty; null at the end.
   *
   * @throws InputException if the file can't be read
   */
  String next() {
    try {
      String line = reader.readLine();
      if (++number % STEP == 0) {
        bar.stepTo(counted.getCount());
      }
      return line;
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  /** The place of the last line read: {@code order.txt, line 7}. */
  String place() {
    return "%s, line %d".formatted(name, number);
  }

  private static InputException unreadable(String name, IOException e) {
    return new InputException(name + ": " + FileErrors.unreadable(e), e);
  }

  @Override
  public void close() {
    bar.close();
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
