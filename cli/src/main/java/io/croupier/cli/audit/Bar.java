package io.croupier.cli.audit;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** How many releases are drawn, on standard error where a person sees it. */
final class Bar implements AutoCloseable {
  private static final int REDRAW_MS = 250;

  private final ProgressBar bar;

  /** A bar for that many releases; nothing if it is not {@code shown}. */
  Bar(long releases, boolean shown) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName("releases")
            .setInitialMax(releases)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(REDRAW_MS);
    if (!shown) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    bar = builder.build();
  }

  /** Counts some more; from any thread. */
  void step(int more) {
    bar.stepBy(more);
  }

  @Override
  public void close() {
    bar.close();
  }
}
