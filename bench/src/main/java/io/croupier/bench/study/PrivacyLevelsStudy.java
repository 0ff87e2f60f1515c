package io.croupier.bench.study;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Everybody chooses their own level, and nobody tells: [vdH19, section 4]. */
final class PrivacyLevelsStudy implements Race {
  private static final int PEOPLE = 100_000;
  private static final int DIMENSION = 5;
  private static final double NONE = Double.POSITIVE_INFINITY;

  private static final int ATTRIBUTES = 20;

  /** Doing nothing costs 0.544. */
  private static final double ATTRIBUTE_WEIGHT = 0.6442;

  private static final String ZERO = "never moving";
  private static final String BANCO_WORST = "BANCO, worst case";
  private static final String UNIT_STEPS = Field.sgdLabel(1);
  private static final String SMALL_STEPS = Field.sgdLabel(0.1);
  private static final List<String> LEARNERS =
      List.of(
          Field.CONJUGATE,
          Field.IMPROPER,
          Field.COORDINATE_WISE,
          BANCO_WORST,
          Field.ADAPTIVE_RADIUS,
          UNIT_STEPS);
  private static final List<String> SPARSE_LEARNERS =
      List.of(
          Field.CONJUGATE,
          Field.IMPROPER,
          Field.COORDINATE_WISE,
          Field.ADAPTIVE_RADIUS,
          UNIT_STEPS,
          SMALL_STEPS);

  private record Crowd(String label, Levels levels, double worst) {}

  private final Effort effort;
  private final List<Crowd> crowds;

  PrivacyLevelsStudy(Effort effort) {
    this.effort = effort;
    int few = (int) Math.ceil(Math.log(effort.people(PEOPLE)));
    crowds =
        List.of(
            new Crowd("none", Levels.all(NONE), 1),
            new Crowd("ln T at eps 1, anywhere", Levels.scattered(few, 1, NONE), 1),
            new Crowd("ln T at eps 1, first", Levels.first(few, 1, NONE), 1),
            new Crowd("ln T at eps 0.1, anywhere", Levels.scattered(few, 0.1, NONE), 0.1),
            new Crowd("ln T at eps 0.1, first", Levels.first(few, 0.1, NONE), 0.1),
            new Crowd("all at eps 1", Levels.all(1), 1),
            new Crowd("all at eps 0.1", Levels.all(0.1), 0.1));
  }

  @Override
  public String name() {
    return "privacy-levels";
  }

  @Override
  public List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    Design design = new Design(Features.SPHERE, DIMENSION, 0);
    Population dense =
        new PredictionProblem(design, Loss.ABSOLUTE, PredictionProblem.dense(DIMENSION, 1));
    for (Crowd crowd : crowds) {
      cells.add(
          new Cell(
              crowd.label,
              dense,
              Noise.l2Laplace(),
              crowd.levels,
              contestants(crowd.worst),
              1,
              effort.checkpoints(PEOPLE),
              effort.replications(12)));
    }
    cells.add(sparse("no noise", 0));
    cells.add(sparse("attribute 1 only, tau = 1", 1));
    cells.add(sparse("all attributes, tau = 1 each", ATTRIBUTES));
    return cells;
  }

  /** Levels are secret: BANCO's operator has to reckon with the worst. */
  private static List<Contestant> contestants(double worst) {
    Field field = new Field(DIMENSION);
    return List.of(
        field.blackBox(Field.CONJUGATE, Field.conjugate(1)),
        field.blackBox(Field.IMPROPER, Field.IMPROPER_PRIOR),
        field.banco(worst).as(BANCO_WORST),
        field.coordinateWise(),
        field.adaptiveRadius(),
        field.sgd(1));
  }

  private Cell sparse(String label, int noisyAttributes) {
    Field field = new Field(ATTRIBUTES);
    return new Cell(
        label,
        new OneHot(ATTRIBUTES, ATTRIBUTE_WEIGHT),
        Noise.coordinateLaplace(2, noisyAttributes),
        Levels.all(1),
        List.of(
            field.blackBox(Field.CONJUGATE, Field.conjugate(1)),
            field.blackBox(Field.IMPROPER, Field.IMPROPER_PRIOR),
            field.coordinateWise(),
            field.adaptiveRadius(),
            field.sgd(1),
            field.sgd(0.1)),
        1,
        effort.checkpoints(20_000),
        effort.replications(20));
  }

  @Override
  public void report(List<Result> results, Page page) throws IOException {
    List<Result> dense = results.subList(0, crowds.size());
    List<Result> sparse = results.subList(crowds.size(), results.size());
    page.title("Privacy levels that people choose");
    page.heading("Few private people among many");
    page.paragraph(
        "Absolute loss, d = 5, ||w*|| = 1, T = %d, %d replications; never moving costs %s. The"
                .formatted(
                    dense.get(0).cell().rounds(),
                    dense.get(0).cell().replications(),
                    Numbers.short3(dense.get(0).zero()))
            + " ceil(ln T) private people add l2_laplace noise, the others none; levels are secret, so"
            + " that BANCO is told the worst (eps 1 where nobody is private). Entries: mean excess risk"
            + " of the average (standard error).");
    table(dense, LEARNERS, page);
    page.picture("few", picture(dense));
    page.heading("Sparse gradients");
    page.paragraph(
        "One active attribute a person, the j-th of %d with a chance proportional to 1/j; absolute"
                .formatted(ATTRIBUTES)
            + " loss, every coordinate of w* %s, T = %d, %d replications; never moving costs %s."
                .formatted(
                    ATTRIBUTE_WEIGHT,
                    sparse.get(0).cell().rounds(),
                    sparse.get(0).cell().replications(),
                    Numbers.short3(sparse.get(0).zero()))
            + " Local Laplace noise of scale 2 / tau on the attributes named.");
    table(sparse, SPARSE_LEARNERS, page);
  }

  private static void table(List<Result> results, List<String> learners, Page page) {
    List<String> columns = new ArrayList<>(List.of("learner"));
    results.forEach(result -> columns.add(result.cell().label()));
    List<List<String>> rows = new ArrayList<>();
    for (String learner : learners) {
      List<String> row = new ArrayList<>(List.of(learner));
      results.forEach(result -> row.add(result.average(learner, 0).toString()));
      rows.add(row);
    }
    page.table(columns, rows);
  }

  private static DotPlot picture(List<Result> results) {
    List<String> kinds = results.stream().map(result -> result.cell().label()).toList();
    DotPlot plot =
        new DotPlot(
            "Who is private, and when: abs, d = 5, T = " + results.get(0).cell().rounds(),
            "who adds noise",
            "excess risk of the average (loss)",
            kinds);
    for (String learner : LEARNERS) {
      String colour = learner.equals(BANCO_WORST) ? Field.BANCO : learner;
      plot.dots(learner, results.stream().map(r -> r.average(learner, 0).mean()).toList(), colour);
    }
    return plot.dots(ZERO, results.stream().map(Result::zero).toList(), ZERO);
  }
}
