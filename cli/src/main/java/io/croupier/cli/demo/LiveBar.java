package io.croupier.cli.demo;

import io.croupier.cli.io.CountBar;
import java.util.List;

/**
 * One progress bar for all people, redrawn in place, with how good the first learner's model is.
 */
final class LiveBar implements Progress {

  private final List<ComparedLearner> learners;
  private final DemoParameters parameters;
  private final String fitName;
  private final CountBar bar;

  LiveBar(List<ComparedLearner> learners, DemoParameters parameters, String fitName) {
    this.learners = learners;
    this.parameters = parameters;
    this.fitName = fitName;
    bar = new CountBar("people", parameters.people(), true);
  }

  @Override
  public void show(List<ModelStatus> statuses, double reportsPerSecond) {
    bar.stepTo(Progress.reported(learners, parameters, statuses));
    CurvePoint newest = statuses.get(0).newest();
    bar.note(newest == null ? "" : NumberFormats.fit(fitName, newest.fit()));
  }

  @Override
  public void showTokens(long granted, long all) {
    bar.note("%,d of %,d tokens".formatted(granted, all));
  }

  @Override
  public void close() {
    bar.close();
  }
}
