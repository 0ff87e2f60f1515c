package io.croupier.cli.demo;

import io.croupier.gateway.trial.Visits;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Waits until the accounting topic and the updates topic account for every report, of people and of
 * visitors. Visitors can send reports until those of all people are accounted for.
 */
record CompletionMonitor(
    List<ComparedLearner> learners,
    DemoEnvironment environment,
    Arrivals arrivals,
    PublicationScores scores,
    SpendTracker spendTracker,
    Visits visits) {
  /**
   * After this time without news from the job, people wait, since stale reports are of little use.
   */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * After this time without a newly settled report, the run ends with the reports settled so far.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long LOOK_MS = 200;

  /**
   * Whether reports are in flight, but the job has neither judged a report nor published an update
   * for 2 s. Judgements count since there are no publications if all reports are refused.
   */
  boolean isStalled() {
    return scores.nanosSincePublication() > STALL_NANOS
        && spendTracker.nanosSinceEvent() > STALL_NANOS
        && !Reconciliation.balance(learners, standings(), spendTracker, arrivals.sent());
  }

  /** Waits until every report is accounted for, or no report was settled for 30 s. */
  Reconciliation untilSettled(Progress progress) throws InterruptedException {
    GrowthRate rate = new GrowthRate();
    long settled = -1;
    long lastMove = System.nanoTime();
    while (true) {
      environment.checkJob();
      // Read first: once they are settled, no later number changes by a visit.
      boolean areVisitsSettled = visits.areSettled();
      long reported = arrivals.reported();
      List<ModelStatus> statuses = standings();
      long now = System.nanoTime();
      progress.show(statuses, rate.at(now, spendTracker.accounted()));
      if (Reconciliation.balance(learners, statuses, spendTracker, arrivals.due())) {
        if (areVisitsSettled) {
          return close(statuses);
        }
        visits.end();
      }
      boolean moreCome =
          reported < arrivals.size()
              && Reconciliation.balance(learners, statuses, spendTracker, arrivals.sent());
      long nowSettled =
          spendTracker.accounted()
              + visits.judged()
              + statuses.stream().mapToLong(ModelStatus::accounted).sum();
      if (moreCome || nowSettled != settled) {
        settled = nowSettled;
        lastMove = now;
      } else if (now - lastMove > PATIENCE_NANOS) {
        return close(statuses);
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }

  private Reconciliation close(List<ModelStatus> statuses) {
    visits.end();
    return Reconciliation.close(learners, statuses, spendTracker, arrivals.due(), visits);
  }

  private List<ModelStatus> standings() {
    return learners.stream()
        .map(
            learner ->
                scores
                    .standing(learner.modelId())
                    .withRefused(spendTracker.refused(learner.modelId())))
        .toList();
  }
}
