package io.croupier.cli.replay;

import java.nio.file.Path;
import java.util.Locale;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar for reading a file, on standard error. */
final class FileProgressBar implements AutoCloseable {
  private static final int REDRAW_MS = 250;
  private static final int STEP = 4096;
  private static final long MEBIBYTE = 1 << 20;

  private final RecordFile file;
  private final ProgressBar bar;
  private final long startNanos = System.nanoTime();
  private long reports;

  /** Starts a bar for {@code file}; draws nothing unless {@code shown}. */
  FileProgressBar(RecordFile file, boolean shown) {
    this.file = file;
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(Path.of(file.name()).getFileName().toString())
            .setInitialMax(file.size())
            .setUnit(" MiB", MEBIBYTE)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(REDRAW_MS);
    if (!shown) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    bar = builder.build();
  }

  /** Counts one report. */
  void step() {
    if (++reports % STEP == 0) {
      bar.stepTo(file.bytesRead());
      bar.setExtraMessage(
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
