package io.croupier.cli.demo;

import io.croupier.cli.data.Score;
import io.croupier.schemas.Estimate;
import java.util.List;

/**
 * The result of one learner.
 *
 * @param comparedLearner the learner
 * @param average score of its last published average
 * @param lastIterate score of its last weights
 * @param curve scores of its published averages over time
 * @param spent the most that one person spent on it, from the ledger
 * @param clip of its last update
 * @param isScouting whether it was still searching for its clip in its last update
 * @param estimates what the answers to its questions imply, from its last update
 */
record LearnerResult(
    ComparedLearner comparedLearner,
    Score average,
    Score lastIterate,
    List<CurvePoint> curve,
    MaxSpend spent,
    double clip,
    boolean isScouting,
    List<Estimate> estimates) {

  LearnerResult {
    curve = List.copyOf(curve);
    estimates = List.copyOf(estimates);
  }
}
