package io.croupier.cli;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar that counts completed items, on standard error. */
public final class CountBar implements AutoCloseable {
  private static final int REDRAW_MS = 250;

  private final ProgressBar bar;

  /**
   * Starts a bar; draws nothing unless {@code shown}.
   *
   * @param things name of the counted items, in the plural
   * @param most expected total; -1 if unknown
   * @param shown whether to draw the bar
   */
  public CountBar(String things, long most, boolean shown) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(things)
            .setInitialMax(most)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(REDRAW_MS);
    if (!shown) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    bar = builder.build();
  }

  /** Adds {@code more} completed items; may be called from any thread. */
  public void step(int more) {
    bar.stepBy(more);
  }

  @Override
  public void close() {
    bar.close();
  }
}
