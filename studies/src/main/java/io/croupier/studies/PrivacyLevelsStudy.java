package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Each person chooses a privacy level and doesn't disclose it: [vdH19, section 4]. */
final class PrivacyLevelsStudy implements CellStudy {
  private static final int PEOPLE = 100_000;
  private static final int DIMENSION = 5;
  private static final double NONE = Double.POSITIVE_INFINITY;

  private static final int ATTRIBUTES = 20;

  /** Doing nothing costs 0.544. */
  private static final double ATTRIBUTE_WEIGHT = 0.6442;

  private static final String ZERO = "never moving";
  private static final String BANCO_WORST = "BANCO, worst case";
  private static final String UNIT_STEPS = CandidateLearners.sgdLabel(1);
  private static final String SMALL_STEPS = CandidateLearners.sgdLabel(0.1);
  private static final List<String> LEARNERS =
      List.of(
          CandidateLearners.CONJUGATE,
          CandidateLearners.IMPROPER,
          CandidateLearners.COORDINATE_WISE,
          BANCO_WORST,
          UNIT_STEPS);
  private static final List<String> SPARSE_LEARNERS =
      List.of(
          CandidateLearners.CONJUGATE,
          CandidateLearners.IMPROPER,
          CandidateLearners.COORDINATE_WISE,
          UNIT_STEPS,
          SMALL_STEPS);

  private record LevelMix(String label, PrivacyLevels levels, double worst) {}

  private final StudyScale scale;
  private final List<LevelMix> mixes;

  PrivacyLevelsStudy(StudyScale scale) {
    this.scale = scale;
    int few = (int) Math.ceil(Math.log(scale.people(PEOPLE)));
    mixes =
        List.of(
            new LevelMix("none", PrivacyLevels.all(NONE), 1),
            new LevelMix("ln T at eps 1, anywhere", PrivacyLevels.scattered(few, 1, NONE), 1),
            new LevelMix("ln T at eps 1, first", PrivacyLevels.first(few, 1, NONE), 1),
            new LevelMix("ln T at eps 0.1, anywhere", PrivacyLevels.scattered(few, 0.1, NONE), 0.1),
            new LevelMix("ln T at eps 0.1, first", PrivacyLevels.first(few, 0.1, NONE), 0.1),
            new LevelMix("all at eps 1", PrivacyLevels.all(1), 1),
            new LevelMix("all at eps 0.1", PrivacyLevels.all(0.1), 0.1));
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
    for (LevelMix mix : mixes) {
      cells.add(
          new Cell(
              mix.label,
              dense,
              Noise.l2Laplace(),
              mix.levels,
              candidates(mix.worst),
              1,
              scale.checkpoints(PEOPLE),
              scale.replications(12)));
    }
    cells.add(sparse("no noise", 0));
    cells.add(sparse("attribute 1 only, tau = 1", 1));
    cells.add(sparse("all attributes, tau = 1 each", ATTRIBUTES));
    return cells;
  }

  /** Levels are secret, so BANCO's operator must assume the worst. */
  private static List<LabelledLearner> candidates(double worst) {
    CandidateLearners candidateLearners = new CandidateLearners(DIMENSION);
    return List.of(
        candidateLearners.blackBox(CandidateLearners.CONJUGATE, CandidateLearners.conjugate(1)),
        candidateLearners.blackBox(CandidateLearners.IMPROPER, CandidateLearners.IMPROPER_PRIOR),
        candidateLearners.banco(worst).as(BANCO_WORST),
        candidateLearners.coordinateWise(),
        candidateLearners.sgd(1));
  }

  private Cell sparse(String label, int noisyAttributes) {
    CandidateLearners candidateLearners = new CandidateLearners(ATTRIBUTES);
    return new Cell(
        label,
        new OneHot(ATTRIBUTES, ATTRIBUTE_WEIGHT),
        Noise.coordinateLaplace(2, noisyAttributes),
        PrivacyLevels.all(1),
        List.of(
            candidateLearners.blackBox(CandidateLearners.CONJUGATE, CandidateLearners.conjugate(1)),
            candidateLearners.blackBox(
                CandidateLearners.IMPROPER, CandidateLearners.IMPROPER_PRIOR),
            candidateLearners.coordinateWise(),
            candidateLearners.sgd(1),
            candidateLearners.sgd(0.1)),
        1,
        scale.checkpoints(20_000),
        scale.replications(20));
  }

  @Override
  public void report(List<CellResult> results, MarkdownPage page) throws IOException {
    List<CellResult> dense = results.subList(0, mixes.size());
    List<CellResult> sparse = results.subList(mixes.size(), results.size());
    page.title("Privacy levels that people choose");
    page.paragraph(
        "This study measures what people with strong noise cost a model of people with little noise, and"
            + " what noise on single attributes costs.");
    page.heading("Few private people among many");
    page.paragraph(
        "Absolute loss, d = 5, ||w*|| = 1, T = %d, %d replications; never moving costs %s. The"
                .formatted(
                    dense.get(0).cell().rounds(),
                    dense.get(0).cell().replications(),
                    NumberLabels.short3(dense.get(0).zero()))
            + " ceil(ln T) private people add l2_laplace noise, the others none; levels are secret, so"
            + " BANCO's spec states the worst (eps 1 where no person is private). Entries: mean excess risk"
            + " of the average (standard error).");
    table(dense, LEARNERS, page);
    page.picture("few", picture(dense));
    page.heading("Sparse gradients");
    page.paragraph(
        "Each person has one active attribute, the j-th of %d with a chance proportional to 1/j; absolute"
                .formatted(ATTRIBUTES)
            + " loss, every coordinate of w* %s, T = %d, %d replications; never moving costs %s."
                .formatted(
                    ATTRIBUTE_WEIGHT,
                    sparse.get(0).cell().rounds(),
                    sparse.get(0).cell().replications(),
                    NumberLabels.short3(sparse.get(0).zero()))
            + " Local Laplace noise of scale 2 / tau on the attributes named.");
    table(sparse, SPARSE_LEARNERS, page);
  }

  private static void table(List<CellResult> results, List<String> learners, MarkdownPage page) {
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

  private static DotPlot picture(List<CellResult> results) {
    List<String> kinds = results.stream().map(result -> result.cell().label()).toList();
    DotPlot plot =
        new DotPlot(
            "Who is private, and when: abs, d = 5, T = " + results.get(0).cell().rounds(),
            "who adds noise",
            "excess risk of the average (loss)",
            kinds);
    for (String learner : LEARNERS) {
      String colour = learner.equals(BANCO_WORST) ? CandidateLearners.BANCO : learner;
      plot.dots(learner, results.stream().map(r -> r.average(learner, 0).mean()).toList(), colour);
    }
    return plot.dots(ZERO, results.stream().map(CellResult::zero).toList(), ZERO);
  }
}
