package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** Excess loss after one report from each person, where people choose different levels. */
final class MixedLevelsStudy implements Study {
  private static final int PEOPLE = 28_155;
  private static final int DIMENSION = 20;
  private static final double NONE = Double.POSITIVE_INFINITY;
  private static final List<StudiedMechanism> MECHANISMS =
      List.of(StudiedMechanism.L2_LAPLACE, StudiedMechanism.PRIV_UNIT);
  private static final String BANCO_WORST = "BANCO, worst case";
  private static final String UNIT_STEPS = CandidateLearners.sgdLabel(1);
  private static final List<String> LEARNERS =
      List.of(
          CandidateLearners.ADAPTIVE_RADIUS,
          CandidateLearners.IMPROPER,
          BANCO_WORST,
          CandidateLearners.COORDINATE_WISE,
          UNIT_STEPS);

  /**
   * Levels of people.
   *
   * @param levels epsilons, each equally likely
   * @param worst the smallest of them
   */
  private record Mix(String label, List<Double> levels, double worst) {

    /** The others have {@code level}, one in a hundred has none. */
    static Mix oneInAHundredWithoutNoise(double level) {
      List<Double> levels = new ArrayList<>(Collections.nCopies(100, level));
      levels.set(0, NONE);
      return new Mix("1 % without noise, others 1", levels, level);
    }
  }

  private static final List<Mix> MIXES =
      List.of(
          new Mix("0.5, 2 or 8", List.of(0.5, 2.0, 8.0), 0.5),
          new Mix("all 2", List.of(2.0), 2),
          Mix.oneInAHundredWithoutNoise(1),
          new Mix("all 1", List.of(1.0), 1));

  /** What is to be learned; zero is the excess loss of doing nothing. */
  private record LearningProblem(
      String label,
      int dimension,
      double gradientBound,
      Function<SeededRandom, Participants> participants,
      double zero) {}

  private record Setting(LearningProblem problem, StudiedMechanism mechanism, Mix mix) {}

  private final int people;
  private final int replications;
  private final List<LearningProblem> problems = new ArrayList<>();
  private final List<Setting> settings = new ArrayList<>();

  MixedLevelsStudy(StudyScale scale) {
    people = scale.people(PEOPLE);
    replications = scale.replications(12);
    DataSet census = Census.load();
    double least = census.problem().score(census.problem().optimum()).loss();
    add(
        "census, d = 8",
        census.problem().dimension(),
        census.clip(),
        random -> new CensusParticipants(census.problem(), least, people, random));
    Design design = new Design(Features.SPHERE, DIMENSION, scale.designPoints());
    double[] optimum = PredictionProblem.dense(DIMENSION, Math.sqrt(DIMENSION));
    Population population = new PredictionProblem(design, Loss.ABSOLUTE, optimum);
    add("abs, d = " + DIMENSION, DIMENSION, 1, random -> Participants.drawn(population, 0, random));
    for (LearningProblem problem : problems) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        for (Mix mix : MIXES) {
          settings.add(new Setting(problem, mechanism, mix));
        }
      }
    }
  }

  private void add(
      String label, int dimension, double bound, Function<SeededRandom, Participants> people) {
    double zero = people.apply(new SeededRandom(0)).quality(new double[dimension]).excess();
    problems.add(new LearningProblem(label, dimension, bound, people, zero));
  }

  @Override
  public String name() {
    return "mixed-levels";
  }

  @Override
  public long work() {
    return (long) people * LEARNERS.size() * settings.size() * replications;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Callable<double[]>> trials = new ArrayList<>();
    for (int s = 0; s < settings.size(); s++) {
      Setting setting = settings.get(s);
      for (int r = 0; r < replications; r++) {
        // The same people for every mechanism and mix.
        long order = SeededRandom.seed(seed, problems.indexOf(setting.problem), r);
        long noise = SeededRandom.seed(seed, problems.size() + s, r);
        trials.add(() -> play(setting, order, noise, runner));
      }
    }
    report(runner.all(trials), page);
  }

  private double[] play(Setting setting, long order, long noise, Runner runner) {
    LearningProblem problem = setting.problem;
    int d = problem.dimension;
    double bound = problem.gradientBound;
    CandidateLearners learners = new CandidateLearners(d, 1, bound);
    MechanismTrial trial =
        new MechanismTrial(
            problem.participants.apply(new SeededRandom(order)),
            bound,
            release(setting),
            List.of(
                learners.adaptiveRadius(),
                learners.blackBox(CandidateLearners.IMPROPER, CandidateLearners.IMPROPER_PRIOR),
                learners.banco(
                    BANCO_WORST, setting.mechanism.declared(d, bound, setting.mix.worst)),
                learners.coordinateWise(),
                learners.sgd(1)),
            new SeededRandom(noise));
    double[] result = trial.excess(people);
    runner.progress().accept((long) people * LEARNERS.size());
    return result;
  }

  /** Each release has one of the levels, at random. */
  private static Release release(Setting setting) {
    int d = setting.problem.dimension;
    double bound = setting.problem.gradientBound;
    Release[] byLevel = new Release[setting.mix.levels.size()];
    for (int i = 0; i < byLevel.length; i++) {
      double level = setting.mix.levels.get(i);
      boolean repeats = i > 1 && level == setting.mix.levels.get(i - 1);
      byLevel[i] =
          level == NONE
              ? (gradient, random, into) -> System.arraycopy(gradient, 0, into, 0, into.length)
              : repeats ? byLevel[i - 1] : setting.mechanism.release(d, bound, level);
    }
    return Release.oneOf(byLevel);
  }

  private void report(List<double[]> results, MarkdownPage page) throws IOException {
    page.title("People who choose different levels");
    page.paragraph(
        ("This study measures what learners make of reports with unequal noise. %s people report once"
                + " each, in one pass, at a level of their choice, and each report is a round, of a"
                + " gradient at the newest weights. %d replications; entries: mean excess loss of the"
                + " published average (standard error).")
            .formatted(String.format(Locale.ROOT, "%,d", people), replications));
    page.list(
        "*0.5, 2 or 8*: each person one of these epsilons, at random. *1 % without noise, others 1*: one"
            + " person in a hundred reports the gradient itself. The other columns have one level for"
            + " comparison.",
        "`%s` is given the strongest noise of its column. No other learner knows any level, so their"
                .formatted(BANCO_WORST)
            + " rows of `l2_laplace` hold for undisclosed levels, too. BANCO refuses undisclosed noise,"
            + " and `priv_unit` always discloses its level.",
        "Doing nothing costs %s."
            .formatted(
                String.join(
                    ", ",
                    problems.stream()
                        .map(p -> NumberLabels.short3(p.zero) + " (" + p.label + ")")
                        .toList())));
    for (LearningProblem problem : problems) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        page.heading(problem.label + ", " + mechanism.label);
        table(problem, mechanism, results, page);
      }
    }
    page.picture("census", picture(problems.get(0), StudiedMechanism.PRIV_UNIT, results));
  }

  private Estimate estimate(Setting setting, int learner, List<double[]> results) {
    int first = settings.indexOf(setting) * replications;
    return Estimate.of(
        results.subList(first, first + replications).stream()
            .mapToDouble(excess -> excess[learner])
            .toArray());
  }

  private void table(
      LearningProblem problem,
      StudiedMechanism mechanism,
      List<double[]> results,
      MarkdownPage page) {
    List<String> columns = new ArrayList<>(List.of("learner"));
    MIXES.forEach(mix -> columns.add(mix.label));
    List<List<String>> rows = new ArrayList<>();
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      List<String> row = new ArrayList<>(List.of(LEARNERS.get(learner)));
      for (Mix mix : MIXES) {
        row.add(estimate(new Setting(problem, mechanism, mix), learner, results).toString());
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }

  private DotPlot picture(
      LearningProblem problem, StudiedMechanism mechanism, List<double[]> results) {
    DotPlot plot =
        new DotPlot(
            "%s, %s".formatted(problem.label, mechanism.label),
            "epsilon of the people",
            "excess loss of the average",
            MIXES.stream().map(Mix::label).toList());
    for (int i = 0; i < LEARNERS.size(); i++) {
      int learner = i;
      String label = LEARNERS.get(i);
      plot.dots(
          label,
          MIXES.stream()
              .map(mix -> estimate(new Setting(problem, mechanism, mix), learner, results).mean())
              .toList(),
          label.equals(BANCO_WORST) ? CandidateLearners.BANCO : label);
    }
    return plot;
  }
}
