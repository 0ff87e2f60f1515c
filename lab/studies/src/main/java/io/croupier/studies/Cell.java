package io.croupier.studies;

import java.util.List;

/**
 * One problem of a study, on which learners receive the same people and the same noise.
 *
 * @param label names it among the cells of its study
 * @param epsilon of each report's l2_laplace noise
 * @param checkpoints numbers of rounds, ascending, after which excess risks are taken; the last is
 *     the end
 * @param replications independent trials
 */
record Cell(
    String label,
    Population population,
    double epsilon,
    List<LabelledLearner> candidates,
    int reportsPerRound,
    List<Integer> checkpoints,
    int replications) {

  int rounds() {
    return checkpoints.get(checkpoints.size() - 1);
  }

  /** In steps of a learner. */
  long work() {
    return (long) rounds() * reportsPerRound * candidates.size() * replications;
  }
}
