package io.croupier.cli;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** How many are done, on standard error where a person sees it. */
public final class CountBar implements AutoCloseable {
  private static final int REDRAW_MS = 250;

  private final ProgressBar bar;

  /**
   * A bar; nothing if it is not {@code shown}.
   *
   * @param things what is counted
   * @param most how many there are to be; -1 if nobody knows
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

  /** Counts some more; from any thread. */
  public void step(int more) {
    bar.stepBy(more);
  }

  @Override
  public void close() {
    bar.close();
  }
}
