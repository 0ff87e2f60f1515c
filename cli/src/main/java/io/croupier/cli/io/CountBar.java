package io.croupier.cli.io;

import io.croupier.schemas.VisibleText;
import java.nio.file.Path;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar on standard error. Its methods may be called from any thread. */
public final class CountBar implements AutoCloseable {
  private static final int REDRAW_MS = 250;
  private static final long MEBIBYTE = 1 << 20;

  private final ProgressBar bar;

  private CountBar(ProgressBarBuilder builder, String name, long most, boolean shown) {
    builder
        .setTaskName(VisibleText.name(name))
        .setInitialMax(most)
        .setStyle(ProgressBarStyle.UNICODE_BLOCK)
        .setUpdateIntervalMillis(REDRAW_MS);
    if (!shown) {
      builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
    bar = builder.build();
  }

  /**
   * Starts a bar that counts completed items; draws nothing unless {@code shown}.
   *
   * @param things name of the counted items, in the plural
   * @param most expected total; -1 if unknown
   * @param shown whether to draw the bar
   */
  public CountBar(String things, long most, boolean shown) {
    this(new ProgressBarBuilder(), things, most, shown);
  }

  /** Starts a bar for the bytes of a file; a negative size means that it is unknown. */
  public static CountBar ofBytes(String file, long bytes, boolean shown) {
    return new CountBar(
        new ProgressBarBuilder().setUnit(" MiB", MEBIBYTE),
        Path.of(file).getFileName().toString(),
        bytes,
        shown);
  }

  /**
   * Returns whether both output streams are terminals. The script {@code ./croupier} sets the
   * property, since Java can't detect it.
   */
  public static boolean isTerminal() {
    return Boolean.getBoolean("croupier.terminal");
  }

  /** Sets the expected total. */
  public void expect(long most) {
    bar.maxHint(most);
  }

  /** Adds {@code more} completed items. */
  public void step(int more) {
    bar.stepBy(more);
  }

  /** Sets the number of completed items. */
  public void stepTo(long done) {
    bar.stepTo(done);
  }

  /** Sets the text behind the bar. */
  public void note(String text) {
    bar.setExtraMessage(VisibleText.name(text));
  }

  @Override
  public void close() {
    bar.close();
  }
}
