package io.croupier.studies;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.bench.MarkdownPage;
import io.croupier.cli.plan.LearningLaw;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.Combined;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.studies.LawFit.FittedRun;
import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** What the recommended learner leaves to be learned, and the law that a plan follows. */
final class PlanStudy implements Study {
  private static final double[] EPSILONS = {1, 2, 4, 8};
  private static final int[] PEOPLE = {1_000, 3_000, 10_000, 30_000, 100_000};
  private static final StudiedMechanism MECHANISM = StudiedMechanism.PRIV_UNIT;
  private static final int PUBLICATIONS = 300;

  /** Of the people who come between two publications, one in this many still sees the older one. */
  private static final int LATE = 4;

  /** Points of a curve. */
  private static final int CURVE = 100;

  static final List<String> COLUMNS =
      List.of("problem", "d", "gain", "epsilon", "noise", "people", "replication", "excess");

  private record Run(PlanProblem problem, double epsilon, int people, int replication) {}

  private final int[] people;
  private final int replications;
  private final int dimensions;

  PlanStudy(StudyScale scale) {
    boolean isFull = scale.divisor() == 1;
    people = isFull ? PEOPLE : new int[] {1_000, 3_000};
    replications = scale.replications(2);
    dimensions = isFull ? PlanProblem.MOST : 1;
  }

  @Override
  public String name() {
    return "plan";
  }

  @Override
  public long work() {
    return IntStream.of(people).asLongStream().sum()
        * EPSILONS.length
        * PlanProblem.count(dimensions)
        * replications;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<PlanProblem> problems = PlanProblem.all(dimensions, people[people.length - 1]);
    List<Run> runs = new ArrayList<>();
    for (PlanProblem problem : problems) {
      for (double epsilon : EPSILONS) {
        for (int number : people) {
          for (int r = 0; r < replications; r++) {
            runs.add(new Run(problem, epsilon, number, r));
          }
        }
      }
    }
    List<Callable<List<String>>> trials = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      Run run = runs.get(i);
      SeededRandom order = new SeededRandom(SeededRandom.seed(seed, 2 * i, run.replication));
      SeededRandom devices = new SeededRandom(SeededRandom.seed(seed, 2 * i + 1, run.replication));
      trials.add(
          () -> {
            List<String> row = row(run, excess(run, order, devices));
            runner.progress().accept(run.people);
            return row;
          });
    }
    report(problems, runner.all(trials), page);
  }

  /** A row of the file. */
  static FittedRun point(List<String> row) {
    double gain = number(row, "gain");
    double signal =
        LearningLaw.signal((int) number(row, "d"), gain, number(row, "noise"))
            * number(row, "people");
    return new FittedRun(row.get(0), signal, number(row, "excess") / gain);
  }

  private static double number(List<String> row, String column) {
    return Double.parseDouble(row.get(COLUMNS.indexOf(column)));
  }

  private static List<String> row(Run run, double excess) {
    int d = run.problem.problem().dimension();
    double noise =
        Declarations.of(Declarations.declared(MECHANISM.declared(d, 1, run.epsilon)), d)
            .squaredError(new GradientSpace(d, 1, 0));
    return List.of(
        run.problem.label(),
        Integer.toString(d),
        exact(run.problem.gain()),
        NumberLabels.short3(run.epsilon),
        exact(noise),
        Integer.toString(run.people),
        Integer.toString(run.replication),
        exact(excess));
  }

  private static String exact(double value) {
    return String.format(Locale.ROOT, "%.5g", value);
  }

  private static double excess(Run run, SeededRandom random, SeededRandom devices) {
    int size = run.problem.problem().size();
    int[] order = new int[run.people];
    for (int i = 0; i < order.length; i += size) {
      int[] round = random.permutation(size);
      System.arraycopy(round, 0, order, i, Math.min(size, order.length - i));
    }
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("plan")
            .setDimension(run.problem.problem().dimension())
            .setCombined(Combined.getDefaultInstance())
            .setAdaptiveClip(run.problem.problem().adaptiveClip())
            .setAveraging(CandidateLearners.AVERAGING);
    spec.addQuestionsBuilder().setName("accuracy").setAccuracy(Accuracy.getDefaultInstance());
    int interval = Math.max(LATE, run.people / PUBLICATIONS);
    DemoTrial trial =
        new DemoTrial(
            run.problem.problem(),
            spec.build(),
            MECHANISM,
            run.epsilon,
            new PublicationPace(interval, interval, LATE),
            devices);
    trial.play(order);
    double best = run.problem.untrained() - run.problem.gain();
    return run.problem.problem().score(trial.average()).loss() - best;
  }

  private void report(List<PlanProblem> problems, List<List<String>> rows, MarkdownPage page)
      throws IOException {
    List<FittedRun> points = rows.stream().map(PlanStudy::point).toList();
    LearningLaw law = LawFit.of(points);
    page.title("The law of errors of a plan");
    page.paragraph(
        ("How much people teach the recommended learner, `combined`, and the law by which `croupier"
                + " plan` predicts it. One report of `%s` from each person, %d publications, as"
                + " `croupier demo` plays it: the job finds the clip, a quarter of the people name the"
                + " publication before the newest, 2 %% answer a question. Two classes, logistic loss,"
                + " %d replications.")
            .formatted(MECHANISM.label, PUBLICATIONS, replications));
    page.list(
        "`census`: the people of the demo; those beyond 28,155 are the same once more.",
        "`sphere`, `scaled`, `intercept`: simulated people. Features are uniform on a sphere; the"
            + " j-th divided by j; or half of the squared norm is an intercept. In every other"
            + " problem the norms vary by factors of exp(N / 2), N standard normal. The standard"
            + " deviation of the log odds is 0.7, 1.4 or 2.8; the best weights have a random"
            + " direction.",
        "The *gain* is the loss without a model less that of the best weights; the *missed share* is"
            + " the part of it that the published average doesn't reach.");
    page.csv("All results", COLUMNS, rows);
    page.heading("The law");
    page.paragraph(
        ("missed share = 1 / (1 + x / %s), where x = reports sqrt(gain / d) / (1 + v), d is the number"
                + " of weights, and v the squared error of a report in units of the squared gradient"
                + " bound: a report is worth 1 / (1 + v) gradients without noise. The limits are the"
                + " shares at %s x and x / %s. Shares below %s count as 0, those above %s as %s at"
                + " most.")
            .formatted(
                NumberLabels.short3(law.half()),
                NumberLabels.short3(law.factor()),
                NumberLabels.short3(law.factor()),
                NumberLabels.percent(LearningLaw.LEAST),
                NumberLabels.percent(LearningLaw.MOST),
                NumberLabels.percent(law.missed(0).high())));
    page.picture("law", picture(law, points));
    page.heading("Problems that the law never saw");
    List<String> labels = LawFit.problems(points);
    List<List<String>> table = new ArrayList<>();
    long within = 0;
    for (PlanProblem problem : problems) {
      long own = LawFit.withinOthers(problem.label(), points);
      within += own;
      table.add(
          List.of(
              problem.label(),
              NumberLabels.short3(problem.gain()),
              "%d of %d".formatted(own, points.size() / labels.size())));
    }
    page.paragraph(
        ("Runs of each problem within the limits of the law that the other problems give: %d of %d in"
                + " all, %s.")
            .formatted(
                within, points.size(), NumberLabels.percent((double) within / points.size())));
    page.table(List.of("problem", "gain", "within the limits"), table);
  }

  private Plot picture(LearningLaw law, List<FittedRun> points) {
    Plot plot =
        new Plot("What people don't teach", "signal x", "missed share of the gain").linear();
    List<String> kinds = LawFit.problems(points).stream().map(PlanStudy::kind).distinct().toList();
    for (int k = 0; k < kinds.size(); k++) {
      String kind = kinds.get(k);
      List<FittedRun> own = LawFit.where(points, point -> kind(point.problem()).equals(kind));
      plot.points(
          kind,
          own.stream().mapToDouble(FittedRun::signal).toArray(),
          own.stream().mapToDouble(FittedRun::missed).toArray(),
          ChartStyle.colour(k),
          k);
    }
    double least = points.stream().mapToDouble(FittedRun::signal).min().orElseThrow();
    double most = points.stream().mapToDouble(FittedRun::signal).max().orElseThrow();
    double[] x =
        IntStream.rangeClosed(0, CURVE)
            .mapToDouble(i -> least * Math.pow(most / least, (double) i / CURVE))
            .toArray();
    curve(plot, "law", x, signal -> law.missed(signal).likely());
    curve(plot, "upper limit", x, signal -> law.missed(signal).high());
    curve(plot, "lower limit", x, signal -> law.missed(signal).low());
    return plot;
  }

  private static String kind(String problem) {
    return problem.substring(0, problem.indexOf(' '));
  }

  private static void curve(Plot plot, String label, double[] x, DoubleUnaryOperator missed) {
    plot.line(label, x, DoubleStream.of(x).map(missed).toArray(), Color.DARK_GRAY);
  }
}
