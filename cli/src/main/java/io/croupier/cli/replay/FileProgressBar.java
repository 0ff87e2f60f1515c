package io.croupier.cli.replay;

import io.croupier.cli.io.CountBar;
import io.croupier.cli.io.RecordFile;
import java.util.Locale;

/** A progress bar for reading a file, on standard error. */
final class FileProgressBar implements AutoCloseable {
  private static final int STEP = 4096;

  private final RecordFile file;
  private final CountBar bar;
  private final long startNanos = System.nanoTime();
  private long reports;

  /** Starts a bar for {@code file}; draws nothing unless {@code shown}. */
  FileProgressBar(RecordFile file, boolean shown) {
    this.file = file;
    bar = CountBar.ofBytes(file.name(), file.size(), shown);
  }

  /** Counts one report. */
  void step() {
    if (++reports % STEP == 0) {
      bar.stepTo(file.bytesRead());
      bar.note(
          String.format(
              Locale.ROOT,
              " %,d reports, %,.0f/s",
              reports,
              reports * 1e9 / (System.nanoTime() - startNanos)));
    }
  }

  @Override
  public void close() {
    bar.close();
  }
}
