package io.croupier.cli.demo;

import io.croupier.cli.io.CountBar;
import java.util.List;
import java.util.Locale;
import org.apache.commons.lang3.StringUtils;

/** One progress bar per learner, redrawn in place. */
final class LiveBars implements Progress {

  private final List<CountBar> bars;
  private final String fitName;

  LiveBars(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    int width = learners.stream().mapToInt(learner -> learner.label().length()).max().orElse(0);
    this.fitName = fitName;
    this.bars =
        learners.stream()
            .map(
                learner ->
                    CountBar.withoutRemainingTime(
                        StringUtils.rightPad(learner.label(), width), learner.reports(parameters)))
            .toList();
  }

  @Override
  public void show(List<ModelStatus> statuses, double reportsPerSecond) {
    for (int i = 0; i < bars.size(); i++) {
      bars.get(i).stepTo(statuses.get(i).settled());
      bars.get(i)
          .note(
              String.format(
                  Locale.ROOT,
                  " %s, %,.0f reports/s",
                  statuses.get(i).inWords(fitName),
                  reportsPerSecond / bars.size()));
    }
  }

  @Override
  public void showTokens(long granted, long all) {
    bars.forEach(bar -> bar.note(" %,d of %,d tokens for the window".formatted(granted, all)));
  }

  @Override
  public void close() {
    bars.forEach(CountBar::close);
  }
}
