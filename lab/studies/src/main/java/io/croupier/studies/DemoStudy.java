package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Score;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Combined;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;

/** Where the demo loses beside a simulation that knows its clip, and what would win it back. */
final class DemoStudy implements Study {
  private static final double EPSILON = 2;
  private static final double CLIP = 0.25;

  /** People between two publications: four a second, of 28,155 people in 75 seconds. */
  private static final int USUAL = 94;

  /** Between the first ones. */
  private static final int FIRST = 27;

  /** Who come within 88 ms, the median latency of a run. */
  private static final int LATE = 33;

  private static final int NONE_LATE = Integer.MAX_VALUE;

  private static final int[] INTERVALS = {USUAL, 188, 350, 700, 1400};
  private static final int[] FEW = {1_000, 3_000, 10_000, 30_000};

  private static final int OFTEN = 300;
  private static final int SELDOM = 40;
  private static final List<DemoChoice> CHOICES =
      List.of(
          new DemoChoice("`combined`", 1, OFTEN),
          new DemoChoice("`combined`", 2, OFTEN),
          new DemoChoice("`combined`", 4, OFTEN),
          new DemoChoice("black box", 1, OFTEN),
          new DemoChoice("`combined`", 1, 80),
          new DemoChoice("`combined`", 1, SELDOM),
          new DemoChoice("`combined`", 2, SELDOM),
          new DemoChoice("black box", 1, SELDOM));

  private static final int FEW_REPLICATIONS = 2;

  private record DemoCase(String label, ModelSpec spec, PublicationPace pace) {}

  /** The results of one run's replications, in the order of their seeds. */
  private record DemoScores(DemoCase run, List<Score> all) {
    DescriptiveStatistics of(ToDoubleFunction<Score> score) {
      return new DescriptiveStatistics(all.stream().mapToDouble(score).toArray());
    }
  }

  private final int divisor;
  private final int replications;
  private final Problem census = Census.load().problem();

  DemoStudy(StudyScale scale) {
    divisor = scale.divisor();
    replications = scale.replications(40);
  }

  @Override
  public String name() {
    return "demo";
  }

  private int people() {
    return census.size() / divisor;
  }

  private int fewReplications() {
    return Math.min(replications, FEW_REPLICATIONS);
  }

  private int[] few() {
    return divisor == 1 ? FEW : new int[] {FEW[0]};
  }

  private int dimensions() {
    return divisor == 1 ? PlanProblem.MOST : 1;
  }

  @Override
  public long work() {
    int runs = causes().size() + intervals().size();
    return (long) people() * replications * runs
        + (long) IntStream.of(few()).sum()
            * fewReplications()
            * PlanProblem.count(dimensions())
            * CHOICES.size();
  }

  private static ModelSpec.Builder asking(ModelSpec.Builder spec) {
    spec.addQuestionsBuilder().setName("accuracy").setAccuracy(Accuracy.getDefaultInstance());
    return spec;
  }

  private static ModelSpec.Builder spec(int dimension) {
    return ModelSpec.newBuilder()
        .setModelId("demo")
        .setDimension(dimension)
        .setAveraging(CandidateLearners.AVERAGING);
  }

  private ModelSpec.Builder blackBox() {
    return spec(census.dimension()).setBlackBox(BlackBox.getDefaultInstance());
  }

  private ModelSpec.Builder combined() {
    return spec(census.dimension()).setCombined(Combined.getDefaultInstance());
  }

  /** Each has one cause more than the one before. */
  private List<DemoCase> causes() {
    ModelSpec known = blackBox().setGradientBound(CLIP).build();
    PublicationPace timely = new PublicationPace(USUAL, USUAL, NONE_LATE);
    PublicationPace late = new PublicationPace(USUAL, USUAL, 3);
    PublicationPace all = new PublicationPace(FIRST, USUAL, 3);
    return List.of(
        new DemoCase(
            "black box, known clip, 80 rounds of 350",
            known,
            new PublicationPace(350, 350, NONE_LATE)),
        new DemoCase("300 rounds of 94", known, timely),
        new DemoCase("a third of the reports is late", known, late),
        new DemoCase(
            "2 % answer a question", asking(blackBox()).setGradientBound(CLIP).build(), late),
        new DemoCase(
            "people are asked for sizes, and the clip moves",
            asking(blackBox()).setAdaptiveClip(census.adaptiveClip()).build(),
            late),
        new DemoCase(
            "27 people between the first publications",
            asking(blackBox()).setAdaptiveClip(census.adaptiveClip()).build(),
            all),
        new DemoCase(
            "`combined`: the demo",
            asking(combined()).setAdaptiveClip(census.adaptiveClip()).build(),
            all));
  }

  private List<DemoCase> intervals() {
    ModelSpec spec = asking(combined()).setAdaptiveClip(census.adaptiveClip()).build();
    return IntStream.of(INTERVALS)
        .mapToObj(
            people ->
                new DemoCase(
                    Integer.toString(people),
                    spec,
                    new PublicationPace(
                        Math.min(people, USUAL), people, Math.max(3, people / LATE))))
        .toList();
  }

  /** A learner, and how often it publishes while all people come. */
  private record DemoChoice(String label, double wealth, int publications) {
    ModelSpec spec(Problem problem) {
      ModelSpec.Builder spec =
          asking(DemoStudy.spec(problem.dimension()))
              .setAdaptiveClip(problem.adaptiveClip())
              .setInitialWealth(wealth);
      return label.startsWith("black box")
          ? spec.setBlackBox(BlackBox.getDefaultInstance()).build()
          : spec.setCombined(Combined.getDefaultInstance()).build();
    }

    /** Late are a quarter of those who come in a 300th of the time. */
    PublicationPace pace(int people) {
      int first = Math.max(4, people / OFTEN);
      return new PublicationPace(
          first, Math.max(4, people / publications), Math.max(4, 4 * OFTEN / publications));
    }
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    page.title("The demo, one cause at a time");
    page.paragraph(
        ("`croupier demo` as a simulation: %d men of the census come in random order, each reports"
                + " once by `priv_unit` at epsilon 2, and the average of the weights is judged by its"
                + " logistic loss on all men and by the share of right answers. %d seeds, the same for"
                + " all rows; a standard error is in brackets.")
            .formatted(people(), replications));
    List<DemoScores> causes = scores(runner, seed, causes());
    page.heading("Causes");
    page.paragraph("Each row has one cause more than the one above.");
    table(page, "cause", causes);
    page.heading("People between two publications");
    page.paragraph(
        ("`combined`, as in the last row above, but %d people or fewer between the first"
                + " publications. %d people come before a publication is visible, or a third.")
            .formatted(USUAL, LATE));
    table(page, "people", scores(runner, seed, intervals()));
    page.heading("Few reports");
    few(runner, seed, page);
  }

  private List<DemoScores> scores(Runner runner, long seed, List<DemoCase> runs)
      throws InterruptedException {
    List<Callable<Score>> trials = new ArrayList<>();
    for (DemoCase run : runs) {
      for (int r = 0; r < replications; r++) {
        SeededRandom order = new SeededRandom(SeededRandom.seed(seed, 0, r));
        SeededRandom devices = new SeededRandom(SeededRandom.seed(seed, 1, r));
        trials.add(
            () -> {
              int[] people = Arrays.copyOf(order.permutation(census.size()), people());
              Score score = score(census, run.spec, run.pace, people, devices);
              runner.progress().accept(people.length);
              return score;
            });
      }
    }
    List<Score> all = runner.all(trials);
    return IntStream.range(0, runs.size())
        .mapToObj(
            i -> new DemoScores(runs.get(i), all.subList(i * replications, (i + 1) * replications)))
        .toList();
  }

  private static Score score(
      Problem problem, ModelSpec spec, PublicationPace pace, int[] order, SeededRandom devices) {
    DemoTrial trial =
        new DemoTrial(problem, spec, StudiedMechanism.PRIV_UNIT, EPSILON, pace, devices);
    trial.play(order);
    return problem.score(trial.average());
  }

  private void table(MarkdownPage page, String title, List<DemoScores> rows) {
    List<List<String>> table = new ArrayList<>();
    double before = Double.NaN;
    for (DemoScores row : rows) {
      DescriptiveStatistics loss = row.of(Score::loss);
      DescriptiveStatistics right = row.of(Score::fit);
      table.add(
          List.of(
              row.run.label,
              "%.4f (%.4f)"
                  .formatted(loss.getMean(), loss.getStandardDeviation() / Math.sqrt(replications)),
              Double.isNaN(before) ? "" : "%+.4f".formatted(loss.getMean() - before),
              "%.3f to %.3f".formatted(loss.getPercentile(5), loss.getPercentile(95)),
              "%.1f %%".formatted(100 * right.getMean()),
              "%.1f %% to %.1f %%"
                  .formatted(100 * right.getPercentile(5), 100 * right.getPercentile(95))));
      before = loss.getMean();
    }
    page.table(
        List.of(title, "loss", "more than above", "nine runs in ten", "right", "nine runs in ten"),
        table);
  }

  /** The plan's problems: the loss that is left of the gain, beside the first choice. */
  private void few(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    List<PlanProblem> problems = PlanProblem.all(dimensions(), FEW[FEW.length - 1]);
    List<List<String>> table = new ArrayList<>();
    for (DemoChoice choice : CHOICES) {
      table.add(
          new ArrayList<>(
              List.of(
                  choice.label,
                  NumberLabels.short3(choice.wealth),
                  Integer.toString(choice.publications))));
    }
    for (int people : few()) {
      List<Callable<Double>> trials = new ArrayList<>();
      for (DemoChoice choice : CHOICES) {
        for (int p = 0; p < problems.size(); p++) {
          for (int r = 0; r < fewReplications(); r++) {
            SeededRandom order = new SeededRandom(SeededRandom.seed(seed, 2 + 2 * p, r));
            SeededRandom devices = new SeededRandom(SeededRandom.seed(seed, 3 + 2 * p, r));
            PlanProblem problem = problems.get(p);
            trials.add(
                () -> {
                  double missed = missed(problem, choice, people, order, devices);
                  runner.progress().accept(people);
                  return missed;
                });
          }
        }
      }
      List<Double> missed = runner.all(trials);
      int each = problems.size() * fewReplications();
      double[] reference = means(missed.subList(0, each));
      for (int c = 0; c < CHOICES.size(); c++) {
        double[] own = means(missed.subList(c * each, (c + 1) * each));
        double ratio =
            IntStream.range(0, own.length)
                .mapToDouble(p -> Math.log(own[p] / reference[p]))
                .average()
                .orElseThrow();
        table
            .get(c)
            .add(
                "%.2f (%.0f %%, %.0f %%)"
                    .formatted(
                        Math.exp(ratio),
                        100 * Arrays.stream(own).average().orElseThrow(),
                        100 * Arrays.stream(own).max().orElseThrow()));
      }
    }
    page.paragraph(
        ("The %d problems of [the law of a plan](plan.md), epsilon 2, %d replications. The excess"
                + " loss beside that of the first row, geometric mean over the problems; in brackets"
                + " the share of the gain that is missed, its mean and that of the worst problem:"
                + " above 100 %% is worse than doing nothing. `combined` halves its `initialWealth`,"
                + " so with 2 the black box in it has what one alone has with 1.")
            .formatted(problems.size(), fewReplications()));
    List<String> header = new ArrayList<>(List.of("learner", "`initialWealth`", "publications"));
    IntStream.of(few()).forEach(people -> header.add(people + " people"));
    page.table(header, table);
  }

  private static double missed(
      PlanProblem problem,
      DemoChoice choice,
      int people,
      SeededRandom random,
      SeededRandom devices) {
    Problem own = problem.problem();
    int[] all = random.permutation(own.size());
    int[] order = IntStream.range(0, people).map(i -> all[i % all.length]).toArray();
    double loss = score(own, choice.spec(own), choice.pace(people), order, devices).loss();
    return (loss - problem.untrained()) / problem.gain() + 1;
  }

  /** The mean of each problem over its replications. */
  private double[] means(List<Double> values) {
    int each = fewReplications();
    return IntStream.range(0, values.size() / each)
        .mapToDouble(
            p ->
                values.subList(p * each, (p + 1) * each).stream()
                    .mapToDouble(Double::doubleValue)
                    .average()
                    .orElseThrow())
        .toArray();
  }
}
