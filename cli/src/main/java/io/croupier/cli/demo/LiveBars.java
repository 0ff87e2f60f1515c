package io.croupier.cli.demo;

import java.util.List;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.apache.commons.lang3.StringUtils;

/** One progress bar per learner, redrawn in place. */
final class LiveBars implements Progress {

  private static final int REDRAW_MS = 250;

  private final List<ProgressBar> bars;
  private final String fitName;

  LiveBars(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    int width = learners.stream().mapToInt(learner -> learner.label().length()).max().orElse(0);
    this.fitName = fitName;
    this.bars =
        learners.stream()
            .map(
                learner ->
                    bar(StringUtils.rightPad(learner.label(), width), learner.reports(parameters)))
            .toList();
  }

  private static ProgressBar bar(String label, long reports) {
    return new ProgressBarBuilder()
        .setTaskName(label)
        .setInitialMax(reports)
        .setStyle(ProgressBarStyle.UNICODE_BLOCK)
        .setUpdateIntervalMillis(REDRAW_MS)
        .hideEta()
        .build();
  }

  @Override
  public void show(List<ModelStatus> statuses, double reportsPerSecond) {
    for (int i = 0; i < bars.size(); i++) {
      bars.get(i).stepTo(statuses.get(i).settled());
      bars.get(i)
          .setExtraMessage(
              String.format(
                  Locale.ROOT,
                  " %s, %,.0f reports/s",
                  statuses.get(i).inWords(fitName),
                  reportsPerSecond / bars.size()));
    }
  }

  @Override
  public void close() {
    bars.forEach(ProgressBar::close);
  }
}
