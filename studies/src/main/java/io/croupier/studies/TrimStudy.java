package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.operators.model.Trim;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** The adaptive radius with reports trimmed to several norms. */
final class TrimStudy implements Study {
  /** In units of the gradient bound; infinite: reports as they are. */
  static final List<Double> REACHES =
      List.of(1.0, 1.5, Trim.REACH, 3.0, 4.0, Double.POSITIVE_INFINITY);

  private static final List<Double> EPSILONS = List.of(1.0, 2.0, 4.0, 8.0);
  private static final List<Double> MIXED = List.of(0.5, 2.0, 8.0);
  private static final List<StudiedMechanism> MECHANISMS =
      List.of(StudiedMechanism.L2_LAPLACE, StudiedMechanism.PRIV_UNIT);

  private static final int MEN = 28_155;

  /** The number of the first setting's seeds; that of the suite is 0, then come the problems. */
  private static final int FIRST_SETTING = 4;

  private static final int[] DIMENSIONS = {20, 100};

  /** Releases of one mechanism, each with one of these epsilons at random. */
  record Level(StudiedMechanism mechanism, List<Double> epsilons) {

    String label() {
      return epsilons.size() == 1
          ? "eps = " + NumberLabels.short3(epsilons.get(0))
          : epsilons.stream().map(NumberLabels::short3).collect(Collectors.joining(", "));
    }

    Release release(int dimension, double bound) {
      return Release.oneOf(
          epsilons.stream()
              .map(epsilon -> mechanism.release(dimension, bound, epsilon))
              .toArray(Release[]::new));
    }
  }

  /** What one trial for each replication measures. */
  record LevelSetting(LearningProblem problem, Level level) {}

  private final StudyScale scale;
  private final int men;
  private final int replications;
  private final List<SuiteProblem> half;
  private final List<SuiteProblem> eighth;
  private final List<LearningProblem> problems = new ArrayList<>();
  private final List<LevelSetting> settings = new ArrayList<>();

  /**
   * The study.
   *
   * @param seed of the suite, of which it takes the half that {@link AdaptiveRadiusStudy} leaves
   */
  TrimStudy(StudyScale scale, long seed) {
    this.scale = scale;
    men = scale.people(MEN);
    replications = scale.replications(4);
    Random random = new Random(seed);
    List<SuiteProblem> suite = new ArrayList<>(SuiteProblem.suite(random));
    Collections.shuffle(suite, random);
    half = suite.subList(suite.size() / 2, suite.size());
    eighth = suite.subList(suite.size() - suite.size() / 8, suite.size());
    addProblems();
    for (LearningProblem problem : problems) {
      for (Level level : levels()) {
        settings.add(new LevelSetting(problem, level));
      }
    }
  }

  private void addProblems() {
    DataSet census = Census.load();
    problems.add(
        LearningProblem.census("census, d = " + census.problem().dimension(), census, men));
    for (int d : DIMENSIONS) {
      Design design = new Design(Features.SPHERE, d, scale.designPoints());
      problems.add(
          LearningProblem.linear("abs, d = " + d, design, Loss.ABSOLUTE, Math.sqrt((double) d)));
    }
  }

  private static List<Level> levels() {
    List<Level> levels = new ArrayList<>();
    for (StudiedMechanism mechanism : MECHANISMS) {
      for (double epsilon : EPSILONS) {
        levels.add(new Level(mechanism, List.of(epsilon)));
      }
      levels.add(new Level(mechanism, MIXED));
    }
    return levels;
  }

  /** What tables and legends call a trim. */
  static String label(double reach) {
    if (reach == Trim.REACH) {
      return NumberLabels.short3(reach) + ", the job's";
    }
    return NumberLabels.short3(reach);
  }

  /** The adaptive radius with each trim. */
  private static List<LabelledLearner> trims(CandidateLearners candidates) {
    return REACHES.stream()
        .map(reach -> candidates.adaptiveRadius().trimmedTo(reach, label(reach)))
        .toList();
  }

  @Override
  public String name() {
    return "trim";
  }

  @Override
  public long work() {
    return cells().stream().mapToLong(Cell::work).sum()
        + (long) men * REACHES.size() * settings.size() * replications;
  }

  private List<Cell> cells() {
    return new SuiteCells(scale, TrimStudy::learners).cells(half, eighth);
  }

  private static List<LabelledLearner> learners(
      SuiteProblem problem, CandidateLearners candidates) {
    List<LabelledLearner> learners = new ArrayList<>(trims(candidates));
    learners.addAll(candidates.sgdGrid());
    return learners;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Cell> cells = cells();
    List<CellResult> ofSuite = runner.run(cells, SeededRandom.seed(seed, 0, 0));
    List<Callable<double[]>> trials = new ArrayList<>();
    for (int s = 0; s < settings.size(); s++) {
      LevelSetting setting = settings.get(s);
      for (int r = 0; r < replications; r++) {
        // The same people for every mechanism and level.
        long order = SeededRandom.seed(seed, 1 + problems.indexOf(setting.problem), r);
        long noise = SeededRandom.seed(seed, FIRST_SETTING + s, r);
        trials.add(() -> play(setting, order, noise, runner));
      }
    }
    List<double[]> excesses = runner.all(trials);
    TrimReport report = new TrimReport(page, men);
    report.begin();
    int many = half.size() + eighth.size();
    report.suite("%d people", half, ofSuite.subList(0, half.size()), 1);
    report.suite("%d people, the same runs", half, ofSuite.subList(0, half.size()), 0);
    report.suite("%d people", eighth, ofSuite.subList(half.size(), many), 0);
    report.suite(
        "%d people in rounds of " + SuiteCells.REPORTS_PER_ROUND,
        eighth,
        ofSuite.subList(many, ofSuite.size()),
        0);
    report.pictures(half, ofSuite.subList(0, half.size()), 1);
    Map<LevelSetting, List<double[]>> bySetting = new HashMap<>();
    for (int s = 0; s < settings.size(); s++) {
      bySetting.put(settings.get(s), excesses.subList(s * replications, (s + 1) * replications));
    }
    for (StudiedMechanism mechanism : MECHANISMS) {
      List<Level> own = levels().stream().filter(level -> level.mechanism == mechanism).toList();
      report.mechanism(mechanism, problems, own, bySetting);
    }
  }

  private double[] play(LevelSetting setting, long order, long noise, Runner runner) {
    LearningProblem problem = setting.problem;
    List<LabelledLearner> learners =
        trims(new CandidateLearners(problem.dimension(), 1, problem.gradientBound()));
    MechanismTrial trial =
        new MechanismTrial(
            problem.participants().apply(new SeededRandom(order)),
            problem.gradientBound(),
            setting.level.release(problem.dimension(), problem.gradientBound()),
            learners,
            new SeededRandom(noise));
    double[] excess = trial.excess(men);
    runner.progress().accept((long) men * learners.size());
    return excess;
  }
}
