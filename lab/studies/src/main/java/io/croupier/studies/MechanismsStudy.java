package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** Excess loss after one report from each person, by mechanism, at equal epsilon. */
final class MechanismsStudy implements Study {
  private static final int PEOPLE = 28_155;
  private static final double[] EPSILONS = {1, 2, 4, 8};
  private static final int[] DIMENSIONS = {20, 100};
  private static final List<StudiedMechanism> MECHANISMS = List.of(StudiedMechanism.values());

  private static final List<String> LEARNERS =
      List.of(CandidateLearners.IMPROPER, CandidateLearners.BANCO);

  /** The one in the pictures. */
  private static final int DRAWN = 0;

  /** What one trial for each replication measures. */
  private record Setting(int problem, int epsilon, StudiedMechanism mechanism) {}

  /** Geometric mean of positive numbers, and the factor of one standard error. */
  private record Ratio(double mean, double factor) {

    /**
     * Of the geometric means of several groups.
     *
     * @param logs logarithms, by group and replication
     */
    static Ratio ofGroups(List<double[]> logs) {
      double sum = 0;
      double squares = 0;
      for (double[] group : logs) {
        Estimate estimate = Estimate.of(group);
        sum += estimate.mean();
        squares += estimate.error() * estimate.error();
      }
      return new Ratio(Math.exp(sum / logs.size()), Math.exp(Math.sqrt(squares) / logs.size()));
    }

    @Override
    public String toString() {
      return NumberLabels.short3(mean) + " (x/ " + NumberLabels.fixed(factor, 2) + ")";
    }
  }

  private final int people;
  private final int replications;
  private final DataSet census = Census.load();
  private final double leastOfCensus;
  private final List<LearningProblem> problems = new ArrayList<>();

  /** An excess by replication and learner. */
  private final Map<Setting, List<double[]>> measured = new HashMap<>();

  MechanismsStudy(StudyScale scale) {
    people = scale.people(PEOPLE);
    replications = scale.replications(24);
    leastOfCensus = census.problem().score(census.problem().optimum()).loss();
    problems.add(LearningProblem.census("census", census, people));
    for (int dimension : DIMENSIONS) {
      Design design = new Design(FeatureLaw.SPHERE, dimension, scale.designPoints());
      for (Loss loss : new Loss[] {Loss.LOGISTIC, Loss.ABSOLUTE}) {
        problems.add(
            LearningProblem.linear(
                "%s, d = %d".formatted(loss.label, dimension),
                design,
                loss,
                norm(loss, dimension)));
      }
    }
  }

  /** ||w*||. */
  private static double norm(Loss loss, int dimension) {
    return (loss == Loss.LOGISTIC ? 2 : 1) * Math.sqrt((double) dimension);
  }

  @Override
  public String name() {
    return "mechanisms";
  }

  @Override
  public long work() {
    return (long) people
        * LEARNERS.size()
        * problems.size()
        * EPSILONS.length
        * MECHANISMS.size()
        * replications;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Setting> settings = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      for (int e = 0; e < EPSILONS.length; e++) {
        for (StudiedMechanism mechanism : MECHANISMS) {
          settings.add(new Setting(p, e, mechanism));
        }
      }
    }
    List<Callable<double[]>> trials = new ArrayList<>();
    for (int s = 0; s < settings.size(); s++) {
      Setting setting = settings.get(s);
      for (int r = 0; r < replications; r++) {
        // The same people for every mechanism and level.
        long order = SeededRandom.seed(seed, setting.problem, r);
        long noise = SeededRandom.seed(seed, problems.size() + s, r);
        trials.add(() -> play(setting, order, noise, runner));
      }
    }
    List<double[]> results = runner.all(trials);
    for (int s = 0; s < settings.size(); s++) {
      measured.put(settings.get(s), results.subList(s * replications, (s + 1) * replications));
    }
    report(page);
  }

  private double[] play(Setting setting, long order, long noise, Runner runner) {
    LearningProblem problem = problems.get(setting.problem);
    int d = problem.dimension();
    double bound = problem.gradientBound();
    double epsilon = EPSILONS[setting.epsilon];
    StudiedMechanism mechanism = setting.mechanism;
    CandidateLearners learners = new CandidateLearners(d, 1, bound);
    MechanismTrial trial =
        new MechanismTrial(
            problem.participants().apply(new SeededRandom(order)),
            bound,
            mechanism.release(d, bound, epsilon),
            List.of(
                learners.recommended(),
                learners.banco(CandidateLearners.BANCO, mechanism.declared(d, bound, epsilon))),
            new SeededRandom(noise));
    double[] result = trial.excess(people);
    runner.progress().accept((long) people * LEARNERS.size());
    return result;
  }

  private double[] excess(int problem, int epsilon, StudiedMechanism mechanism, int learner) {
    return measured.get(new Setting(problem, epsilon, mechanism)).stream()
        .mapToDouble(e -> e[learner])
        .toArray();
  }

  /** Logarithms of the excess over that of doing nothing, by replication. */
  private double[] logsOverZero(int problem, int epsilon, StudiedMechanism mechanism, int learner) {
    double zero = problems.get(problem).zero();
    return Arrays.stream(excess(problem, epsilon, mechanism, learner))
        .map(e -> Math.log(e / zero))
        .toArray();
  }

  /** Logarithms of the excess over that of l2_laplace with the same people. */
  private double[] logsOverLaplace(
      int problem, int epsilon, StudiedMechanism mechanism, int learner) {
    double[] own = excess(problem, epsilon, mechanism, learner);
    double[] laplace = excess(problem, epsilon, StudiedMechanism.L2_LAPLACE, learner);
    return IntStream.range(0, replications)
        .mapToDouble(r -> Math.log(own[r] / laplace[r]))
        .toArray();
  }

  private Ratio overLaplace(int epsilon, StudiedMechanism mechanism, int learner) {
    return Ratio.ofGroups(
        IntStream.range(0, problems.size())
            .mapToObj(p -> logsOverLaplace(p, epsilon, mechanism, learner))
            .toList());
  }

  private void report(MarkdownPage page) throws IOException {
    page.title("Mechanisms at equal epsilon");
    page.paragraph(
        ("This study measures what the mechanism that hides a gradient changes in what a model"
                + " learns. %s people report once each, in one pass. Each report is a round of its own,"
                + " of a gradient at the newest weights. %d replications; all mechanisms and levels see"
                + " the same people.")
            .formatted(counted(people), replications));
    page.list(
        "`l2_laplace`: epsilon-LDP. `priv_unit`: epsilon-LDP, with its default number of candidates."
            + " `gaussian`: (epsilon, %s)-DP only, calibrated as `calibrate` does."
                .formatted(ChartStyle.tick(StudiedMechanism.DELTA)),
        ("`census`: %s d = %d, clipped at G = %s, in a random order; excess loss over that of the best"
                + " weights. Doing nothing costs %s.")
            .formatted(
                census.description(),
                problems.get(0).dimension(),
                NumberLabels.short3(problems.get(0).gradientBound()),
                NumberLabels.short3(problems.get(0).zero())),
        "`logistic` and `abs`: features on the unit sphere, ||w*|| = 2 sqrt(d) and sqrt(d), G = 1, as on"
            + " [the page on excess risk](excess-risk.md). Doing nothing costs %s."
                .formatted(
                    String.join(
                        ", ",
                        problems.subList(1, problems.size()).stream()
                            .map(p -> NumberLabels.short3(p.zero()) + " (" + p.label() + ")")
                            .toList())));
    page.paragraph(
        "The learners are the product's own. The additive noise and the releases of `priv_unit` are drawn"
            + " with seeds. For `priv_unit` the heights of all candidates over the gradient are drawn from"
            + " their law, instead of expanding a seed to vectors; K and M are the product's, and a test"
            + " compares these releases with those of the device's code. `BANCO` is given the noise"
            + " that all reports declare.");
    picture(page);
    overall(page);
    losses(page);
    page.heading("Every problem");
    page.paragraph("Mean excess loss of the published average (standard error).");
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      everyProblem(learner, page);
    }
    ratios(page);
    panels(page);
    bad(page);
  }

  private static String counted(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static List<String> columns(String... first) {
    List<String> columns = new ArrayList<>(List.of(first));
    for (double epsilon : EPSILONS) {
      columns.add("eps = " + NumberLabels.short3(epsilon));
    }
    return columns;
  }

  private void picture(MarkdownPage page) throws IOException {
    Plot plot =
        new Plot(
            "What %s reports leave to learn: %d problems, %s"
                .formatted(counted(people), problems.size(), CandidateLearners.IMPROPER),
            "epsilon of every report (1, 2, 4, 8)",
            "excess loss / that of doing nothing");
    page.picture("all", curves(plot, IntStream.range(0, problems.size())));
    page.paragraph(
        "Geometric mean over the problems and replications (x/ the factor of one standard error):");
    List<List<String>> rows = new ArrayList<>();
    for (StudiedMechanism mechanism : MECHANISMS) {
      List<String> row = new ArrayList<>(List.of(label(mechanism)));
      for (int e = 0; e < EPSILONS.length; e++) {
        row.add(left(IntStream.range(0, problems.size()), e, mechanism).toString());
      }
      rows.add(row);
    }
    page.table(columns("excess loss / that of doing nothing"), rows);
  }

  private Ratio left(IntStream of, int epsilon, StudiedMechanism mechanism) {
    return Ratio.ofGroups(of.mapToObj(p -> logsOverZero(p, epsilon, mechanism, DRAWN)).toList());
  }

  /** Adds a curve for each mechanism. */
  private Plot curves(Plot plot, IntStream of) {
    int[] averaged = of.toArray();
    for (int m = 0; m < MECHANISMS.size(); m++) {
      StudiedMechanism mechanism = MECHANISMS.get(m);
      double[] left = new double[EPSILONS.length];
      for (int e = 0; e < left.length; e++) {
        left[e] = left(Arrays.stream(averaged), e, mechanism).mean;
      }
      plot.curve(label(mechanism), EPSILONS, left, ChartStyle.colour(m), m);
    }
    return plot;
  }

  private static String label(StudiedMechanism mechanism) {
    return mechanism == StudiedMechanism.GAUSSIAN
        ? mechanism.label + ", delta " + ChartStyle.tick(StudiedMechanism.DELTA)
        : mechanism.label;
  }

  private void overall(MarkdownPage page) {
    page.heading("Excess loss over that of l2_laplace");
    page.paragraph(
        "Geometric mean of the ratios over %d problems and %d replications (x/ the factor of one standard"
                .formatted(problems.size(), replications)
            + " error).");
    List<List<String>> rows = new ArrayList<>();
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      for (StudiedMechanism mechanism :
          List.of(StudiedMechanism.PRIV_UNIT, StudiedMechanism.GAUSSIAN)) {
        List<String> row = new ArrayList<>(List.of(LEARNERS.get(learner), mechanism.label));
        for (int e = 0; e < EPSILONS.length; e++) {
          row.add(overLaplace(e, mechanism, learner).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns("learner", "mechanism"), rows);
  }

  private void losses(MarkdownPage page) {
    page.heading("Loss on the census");
    page.paragraph(
        "Mean loss of the published average (standard error). The optimum without privacy has %s, doing"
                .formatted(NumberLabels.fixed(leastOfCensus, 3))
            + " nothing %s."
                .formatted(NumberLabels.fixed(leastOfCensus + problems.get(0).zero(), 3)));
    List<List<String>> rows = new ArrayList<>();
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        List<String> row = new ArrayList<>(List.of(LEARNERS.get(learner), mechanism.label));
        for (int e = 0; e < EPSILONS.length; e++) {
          Estimate estimate = Estimate.of(excess(0, e, mechanism, learner));
          row.add(
              "%s (%s)"
                  .formatted(
                      NumberLabels.fixed(leastOfCensus + estimate.mean(), 3),
                      NumberLabels.exponent(estimate.error())));
        }
        rows.add(row);
      }
    }
    page.table(columns("learner", "mechanism"), rows);
  }

  private void everyProblem(int learner, MarkdownPage page) {
    List<List<String>> rows = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        List<String> row = new ArrayList<>(List.of(problems.get(p).label(), mechanism.label));
        for (int e = 0; e < EPSILONS.length; e++) {
          row.add(Estimate.of(excess(p, e, mechanism, learner)).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns(LEARNERS.get(learner), "mechanism"), rows);
  }

  private void ratios(MarkdownPage page) {
    page.paragraph(
        "The same over that of l2_laplace, geometric mean over the replications, %s:"
            .formatted(CandidateLearners.IMPROPER));
    List<List<String>> rows = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      for (StudiedMechanism mechanism :
          List.of(StudiedMechanism.PRIV_UNIT, StudiedMechanism.GAUSSIAN)) {
        List<String> row = new ArrayList<>(List.of(problems.get(p).label(), mechanism.label));
        for (int e = 0; e < EPSILONS.length; e++) {
          row.add(Ratio.ofGroups(List.of(logsOverLaplace(p, e, mechanism, DRAWN))).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns("problem", "mechanism"), rows);
  }

  private void panels(MarkdownPage page) throws IOException {
    List<Plot> plots = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      plots.add(curves(panel(problems.get(p).label()), IntStream.of(p)));
    }
    plots.add(curves(panel("all problems"), IntStream.range(0, problems.size())));
    page.picture("problems", new Panels(CandidateLearners.IMPROPER + ", every problem", 3, plots));
    page.paragraph("Geometric mean over the replications.");
  }

  private static Plot panel(String title) {
    return Plot.panel(title, "epsilon (1, 2, 4, 8)", "excess / that of doing nothing", 1e-4, 2);
  }

  private void bad(MarkdownPage page) {
    page.heading("Where it does not help");
    page.paragraph(
        "Largest excess loss over that of doing nothing: the mean of a problem and level, and a single"
            + " replication. Nothing learned: problems and levels, of %d, where more than 95 %% of it is"
                .formatted(problems.size() * EPSILONS.length)
            + " left. Worse than l2_laplace: those where the geometric mean of the ratios exceeds 1.01, and"
            + " 1 by more than two standard errors.");
    List<List<String>> rows = new ArrayList<>();
    for (int learner = 0; learner < LEARNERS.size(); learner++) {
      for (StudiedMechanism mechanism : MECHANISMS) {
        rows.add(badRow(learner, mechanism));
      }
    }
    page.table(
        List.of(
            "learner",
            "mechanism",
            "largest mean",
            "largest single one",
            "nothing learned",
            "worse than l2_laplace"),
        rows);
  }

  private List<String> badRow(int learner, StudiedMechanism mechanism) {
    double largest = 0;
    double single = 0;
    int learnedNothing = 0;
    int worse = 0;
    for (int p = 0; p < problems.size(); p++) {
      for (int e = 0; e < EPSILONS.length; e++) {
        double[] all = excess(p, e, mechanism, learner);
        double left = Estimate.of(all).mean() / problems.get(p).zero();
        largest = Math.max(largest, left);
        single = Math.max(single, Arrays.stream(all).max().orElseThrow() / problems.get(p).zero());
        learnedNothing += left > 0.95 ? 1 : 0;
        Ratio ratio = Ratio.ofGroups(List.of(logsOverLaplace(p, e, mechanism, learner)));
        worse += ratio.mean > Math.max(1.01, ratio.factor * ratio.factor) ? 1 : 0;
      }
    }
    return List.of(
        LEARNERS.get(learner),
        mechanism.label,
        NumberLabels.fixed(largest, 3),
        NumberLabels.fixed(single, 3),
        Integer.toString(learnedNothing),
        mechanism == StudiedMechanism.L2_LAPLACE ? "" : Integer.toString(worse));
  }
}
