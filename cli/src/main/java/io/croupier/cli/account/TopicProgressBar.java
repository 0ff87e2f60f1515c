package io.croupier.cli.account;

import java.nio.file.Path;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar for reading, on standard error if that is a terminal. */
final class TopicProgressBar implements AutoCloseable {
  private static final int REDRAW_MS = 250;
  private static final long MEBIBYTE = 1 << 20;

  private final ProgressBar bar;

  private TopicProgressBar(ProgressBarBuilder builder, long most) {
    builder
        .setInitialMax(most)
        .setStyle(ProgressBarStyle.UNICODE_BLOCK)
        .setUpdateIntervalMillis(REDRAW_MS);
    if (!Boolean.getBoolean("croupier.terminal")) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    bar = builder.build();
  }

  /** Counts the bytes of a file; a negative size means that it is unknown. */
  static TopicProgressBar ofBytes(String file, long bytes) {
    String name = Path.of(file).getFileName().toString();
    return new TopicProgressBar(
        new ProgressBarBuilder().setTaskName(name).setUnit(" MiB", MEBIBYTE), bytes);
  }

  /** Counts records. */
  static TopicProgressBar ofRecords(String topic, long records) {
    return new TopicProgressBar(new ProgressBarBuilder().setTaskName(topic), records);
  }

  /** Sets the progress. */
  void stepTo(long done) {
    bar.stepTo(done);
  }

  @Override
  public void close() {
    bar.close();
  }
}
