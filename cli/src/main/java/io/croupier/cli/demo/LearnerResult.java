package io.croupier.cli.demo;

import io.croupier.cli.data.Score;
import java.util.List;

/**
 * What one learner made of everybody's reports.
 *
 * @param comparedLearner the learner
 * @param average of its published average
 * @param lastIterate of its last weights
 * @param curve its average on the way, a point per publication
 * @param spent the most that one person spent on it, by the ledger
 */
record LearnerResult(
    ComparedLearner comparedLearner,
    Score average,
    Score lastIterate,
    List<CurvePoint> curve,
    MaxSpend spent) {

  LearnerResult {
    curve = List.copyOf(curve);
  }
}
