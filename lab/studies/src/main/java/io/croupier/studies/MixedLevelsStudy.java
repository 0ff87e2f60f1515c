package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.schemas.Declarations;
import io.croupier.studies.MixedLevelsTrial.LevelChoice;
import io.croupier.studies.MixedLevelsTrial.LevelOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Excess loss after one report from each person, where people choose different levels. */
final class MixedLevelsStudy implements Study {
  private static final int PEOPLE = 28_155;
  private static final int DIMENSION = 20;
  private static final double NONE = Double.POSITIVE_INFINITY;

  /** What reports without noise declare as their epsilon. */
  private static final int PUBLICATIONS = 300;

  private static final double DECLARED_FOR_NONE = 1e6;

  private static final List<StudiedMechanism> MECHANISMS =
      List.of(StudiedMechanism.L2_LAPLACE, StudiedMechanism.PRIV_UNIT);
  private static final String BANCO_DECLARED = "BANCO, declared levels";
  private static final String BANCO_VOUCHED = "BANCO, vouched for";
  private static final String UNIT_STEPS = CandidateLearners.sgdLabel(1);
  private static final List<String> LEARNERS =
      List.of(
          CandidateLearners.IMPROPER,
          BANCO_DECLARED,
          BANCO_VOUCHED,
          CandidateLearners.COORDINATE_WISE,
          UNIT_STEPS);

  /**
   * A population.
   *
   * @param levels epsilons, each equally likely
   * @param worst the smallest of them
   * @param disclosure who declares their level
   * @param mechanisms by which they can report
   */
  private record Mix(
      String label,
      List<Double> levels,
      double worst,
      Disclosure disclosure,
      List<StudiedMechanism> mechanisms) {

    static Mix disclosed(String label, List<Double> levels, double worst) {
      return new Mix(label, levels, worst, Disclosure.ALL, MECHANISMS);
    }

    /** A report of priv_unit consists of its parameters, so it can't be undisclosed. */
    static Mix of(String label, Disclosure disclosure) {
      return new Mix(
          label, LEVELS, LEVELS.get(0), disclosure, List.of(StudiedMechanism.L2_LAPLACE));
    }

    /** The others have {@code level}, one in a hundred has none. */
    static Mix oneInAHundredWithoutNoise(double level) {
      List<Double> levels = new ArrayList<>(Collections.nCopies(100, level));
      levels.set(0, NONE);
      return disclosed("1 % without noise, others 1", levels, level);
    }
  }

  /** Who declares their level. */
  private enum Disclosure {
    ALL,
    HALF,
    NO_ONE
  }

  private static final List<Double> LEVELS = List.of(0.5, 2.0, 8.0);

  private static final List<Mix> MIXES =
      List.of(
          Mix.disclosed("0.5, 2 or 8", LEVELS, 0.5),
          Mix.of("0.5, 2 or 8, half undisclosed", Disclosure.HALF),
          Mix.of("0.5, 2 or 8, undisclosed", Disclosure.NO_ONE),
          Mix.disclosed("all 2", List.of(2.0), 2),
          Mix.oneInAHundredWithoutNoise(1),
          Mix.disclosed("all 1", List.of(1.0), 1));

  private static List<Mix> mixes(StudiedMechanism mechanism) {
    return MIXES.stream().filter(mix -> mix.mechanisms.contains(mechanism)).toList();
  }

  private record MixSetting(LearningProblem problem, StudiedMechanism mechanism, Mix mix) {}

  private final int people;
  private final int replications;
  private final List<LearningProblem> problems = new ArrayList<>();
  private final List<MixSetting> settings = new ArrayList<>();

  MixedLevelsStudy(StudyScale scale) {
    people = scale.people(PEOPLE);
    replications = scale.replications(12);
    problems.add(LearningProblem.census("census, d = 8", Census.load(), people));
    Design design = new Design(FeatureLaw.SPHERE, DIMENSION, scale.designPoints());
    problems.add(
        LearningProblem.linear(
            "abs, d = " + DIMENSION, design, Loss.ABSOLUTE, Math.sqrt(DIMENSION)));
    for (LearningProblem problem : problems) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        for (Mix mix : mixes(mechanism)) {
          settings.add(new MixSetting(problem, mechanism, mix));
        }
      }
    }
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
    List<Callable<List<LevelOutcome>>> trials = new ArrayList<>();
    for (int s = 0; s < settings.size(); s++) {
      MixSetting setting = settings.get(s);
      for (int r = 0; r < replications; r++) {
        // The same people for every mechanism and mix.
        long order = SeededRandom.seed(seed, problems.indexOf(setting.problem), r);
        long noise = SeededRandom.seed(seed, problems.size() + s, r);
        trials.add(() -> play(setting, order, noise, runner));
      }
    }
    report(runner.all(trials), page);
  }

  private List<LevelOutcome> play(MixSetting setting, long order, long noise, Runner runner) {
    LearningProblem problem = setting.problem;
    int d = problem.dimension();
    double bound = problem.gradientBound();
    CandidateLearners learners = new CandidateLearners(d, 1, bound);
    LabelledLearner banco =
        learners.banco(BANCO_DECLARED, setting.mechanism.declared(d, bound, setting.mix.worst));
    MixedLevelsTrial trial =
        new MixedLevelsTrial(
            problem.participants().apply(new SeededRandom(order)),
            bound,
            choices(setting),
            List.of(
                learners.recommended(),
                banco,
                learners.banco(
                    BANCO_VOUCHED,
                    banco.directionalVariance(),
                    banco.noise().orElseThrow().bettingRange()),
                learners.coordinateWise(CandidateLearners.IMPROPER_PRIOR),
                learners.sgd(1)),
            new SeededRandom(noise));
    List<LevelOutcome> outcomes = trial.play(people, Math.min(people, PUBLICATIONS));
    runner.progress().accept((long) people * LEARNERS.size());
    return outcomes;
  }

  /** The levels of a population, and with half of the people undisclosed each of them twice. */
  private static List<LevelChoice> choices(MixSetting setting) {
    List<LevelChoice> declared = new ArrayList<>();
    for (double level : setting.mix.levels) {
      boolean repeats = !declared.isEmpty() && level == setting.mix.levels.get(declared.size() - 1);
      declared.add(repeats ? declared.get(declared.size() - 1) : choice(setting, level));
    }
    List<LevelChoice> undisclosed =
        declared.stream()
            .map(choice -> new LevelChoice(choice.release(), UndisclosedNoise.UNDISCLOSED))
            .toList();
    return switch (setting.mix.disclosure) {
      case ALL -> declared;
      case HALF -> Stream.concat(declared.stream(), undisclosed.stream()).toList();
      case NO_ONE -> undisclosed;
    };
  }

  private static LevelChoice choice(MixSetting setting, double level) {
    int d = setting.problem.dimension();
    double bound = setting.problem.gradientBound();
    if (level == NONE) {
      return new LevelChoice(
          (gradient, random, into) -> System.arraycopy(gradient, 0, into, 0, into.length),
          declared(StudiedMechanism.L2_LAPLACE, d, bound, DECLARED_FOR_NONE));
    }
    return new LevelChoice(
        setting.mechanism.release(d, bound, level), declared(setting.mechanism, d, bound, level));
  }

  private static Mechanism declared(
      StudiedMechanism mechanism, int dimension, double bound, double level) {
    return Declarations.of(
        Declarations.declared(mechanism.declared(dimension, bound, level)), dimension);
  }

  private void report(List<List<LevelOutcome>> results, MarkdownPage page) throws IOException {
    page.title("People who choose different levels");
    page.paragraph(
        ("This study measures what learners make of reports with unequal noise. %s people report once"
                + " each, in one pass, at a level of their choice, to a model that publishes %d times. All"
                + " reports between two publications are a round, in which a report has the weight of the"
                + " precision that it declares. %d replications; entries: mean excess loss of the published"
                + " average (standard error).")
            .formatted(
                String.format(Locale.ROOT, "%,d", people),
                Math.min(people, PUBLICATIONS),
                replications));
    page.list(
        "*0.5, 2 or 8*: each person one of these epsilons, at random. *1 % without noise, others 1*: one"
            + " person in a hundred reports the gradient itself, and declares an epsilon of 1e6. The"
            + " other columns have one level for comparison.",
        "*Undisclosed*: people add the same `l2_laplace` noise, but declare nothing; *half undisclosed*:"
            + " each person does so with probability 1/2, whatever the level. A report of `priv_unit`"
            + " consists of its parameters, so it can't be undisclosed. All learners but BANCO take"
            + " undisclosed reports, which are shortened to twice the gradient bound.",
        "`%s`: BANCO, whose `strongest_noise` is that of its column, uses the level that each report"
                .formatted(BANCO_DECLARED)
            + " declares, and refuses undisclosed reports: in brackets the share of the reports that it"
            + " uses. `%s`: the operator vouches for that strongest noise (`sub_exponential`), so BANCO"
                .formatted(BANCO_VOUCHED)
            + " takes all reports as if each had it.",
        "Doing nothing costs %s."
            .formatted(
                String.join(
                    ", ",
                    problems.stream()
                        .map(p -> NumberLabels.short3(p.zero()) + " (" + p.label() + ")")
                        .toList())));
    for (LearningProblem problem : problems) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        page.heading(problem.label() + ", " + mechanism.label);
        table(problem, mechanism, results, page);
      }
    }
    for (StudiedMechanism mechanism : MECHANISMS) {
      String suffix = mechanism == StudiedMechanism.PRIV_UNIT ? "" : "-l2-laplace";
      page.picture("census" + suffix, picture(problems.get(0), mechanism, results));
    }
  }

  private Estimate estimate(MixSetting setting, int learner, List<List<LevelOutcome>> results) {
    int first = settings.indexOf(setting) * replications;
    return Estimate.of(
        results.subList(first, first + replications).stream()
            .mapToDouble(outcomes -> outcomes.get(learner).excess())
            .toArray());
  }

  /** The estimate, with the share of the reports that were used unless that is all. */
  private String entry(MixSetting setting, int learner, List<List<LevelOutcome>> results) {
    int first = settings.indexOf(setting) * replications;
    double refused =
        results.subList(first, first + replications).stream()
            .mapToDouble(outcomes -> (double) outcomes.get(learner).refused() / people)
            .average()
            .orElseThrow();
    String estimate = estimate(setting, learner, results).toString();
    return refused == 0
        ? estimate
        : estimate + " [%s]".formatted(NumberLabels.percent(1 - refused));
  }

  private void table(
      LearningProblem problem,
      StudiedMechanism mechanism,
      List<List<LevelOutcome>> results,
      MarkdownPage page) {
    List<String> columns = new ArrayList<>(List.of("learner"));
    mixes(mechanism).forEach(mix -> columns.add(mix.label));
    List<List<String>> rows = new ArrayList<>();
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      List<String> row = new ArrayList<>(List.of(LEARNERS.get(learner)));
      for (Mix mix : mixes(mechanism)) {
        row.add(entry(new MixSetting(problem, mechanism, mix), learner, results));
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }

  private DotPlot picture(
      LearningProblem problem, StudiedMechanism mechanism, List<List<LevelOutcome>> results) {
    DotPlot plot =
        new DotPlot(
            "%s, %s".formatted(problem.label(), mechanism.label),
            "epsilon of the people",
            "excess loss of the average",
            mixes(mechanism).stream().map(Mix::label).toList());
    for (int i = 0; i < LEARNERS.size(); i++) {
      int learner = i;
      String label = LEARNERS.get(i);
      plot.dots(
          label,
          mixes(mechanism).stream()
              .map(
                  mix -> estimate(new MixSetting(problem, mechanism, mix), learner, results).mean())
              .toList(),
          label.equals(BANCO_DECLARED) ? CandidateLearners.BANCO : label);
    }
    return plot;
  }
}
