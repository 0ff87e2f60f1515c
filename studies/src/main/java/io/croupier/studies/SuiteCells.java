package io.croupier.studies;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The cells of a study on a part of the suite: 10,000 people for each of one half of the problems,
 * and 100,000, one by one and in rounds of {@value #REPORTS_PER_ROUND}, for each of one eighth.
 */
final class SuiteCells {
  static final int REPORTS_PER_ROUND = 50;
  private static final int PEOPLE = 10_000;
  private static final int MANY_PEOPLE = 100_000;

  private final StudyScale scale;
  private final BiFunction<SuiteProblem, CandidateLearners, List<LabelledLearner>> learners;
  private final Map<String, Design> designs = new HashMap<>();

  /**
   * @param learners those of a problem, of its dimension
   */
  SuiteCells(
      StudyScale scale,
      BiFunction<SuiteProblem, CandidateLearners, List<LabelledLearner>> learners) {
    this.scale = scale;
    this.learners = learners;
  }

  /** First those of one half, then those of one eighth one by one, then in rounds. */
  List<Cell> cells(List<SuiteProblem> half, List<SuiteProblem> eighth) {
    List<Cell> cells = new ArrayList<>();
    for (SuiteProblem problem : half) {
      cells.add(cell(problem, PEOPLE, 1, scale.checkpoints(PEOPLE / 10, PEOPLE), 6));
    }
    for (SuiteProblem problem : eighth) {
      cells.add(cell(problem, MANY_PEOPLE, 1, scale.checkpoints(MANY_PEOPLE), 4));
    }
    for (SuiteProblem problem : eighth) {
      List<Integer> checkpoints = scale.checkpoints(MANY_PEOPLE / REPORTS_PER_ROUND);
      cells.add(cell(problem, MANY_PEOPLE, REPORTS_PER_ROUND, checkpoints, 4));
    }
    return cells;
  }

  private Cell cell(
      SuiteProblem problem,
      int people,
      int reportsPerRound,
      List<Integer> checkpoints,
      int replications) {
    Design design =
        designs.computeIfAbsent(
            problem.features() + " " + problem.dimension(),
            key -> new Design(problem.features(), problem.dimension(), scale.designPoints()));
    return new Cell(
        problem.label(),
        new PredictionProblem(design, problem.loss(), problem.best()),
        problem.noise(),
        problem.privacy().levels(scale.people(people)),
        learners.apply(problem, new CandidateLearners(problem.dimension())),
        reportsPerRound,
        checkpoints,
        scale.replications(replications));
  }
}
