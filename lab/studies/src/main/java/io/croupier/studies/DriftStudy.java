package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.SpecGradients;
import io.croupier.schemas.Combined;
import io.croupier.schemas.Memory;
import io.croupier.schemas.ModelSpec;
import io.croupier.studies.RoundsTrial.ReportNoise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * How soon a model follows people who change, by its memory; whether copies with several memories
 * need no choice: their sum, or the mixture of {@code memory: {automatic: {}}}; and how often that
 * one states that people drift.
 */
final class DriftStudy implements Study {
  private static final int DIMENSION = 5;
  private static final int REPORTS = 100;
  private static final double NORM = 3;

  /** From all targets of the absolute loss. */
  private static final double FAR = 1000;

  private static final double[] EPSILONS = {1, 2, 8};
  private static final List<Loss> LOSSES = List.of(Loss.LOGISTIC, Loss.ABSOLUTE);

  private static final Memory ALL_HISTORY = Memory.getDefaultInstance();

  private static final List<Memory> MEMORIES =
      List.of(halfLife(1 << 11), halfLife(1 << 13), halfLife(1 << 15), ALL_HISTORY);

  private static final int FIXED = MEMORIES.size();

  private static final List<String> METHODS =
      List.of(
          "half-life 2^11",
          "half-life 2^13",
          "half-life 2^15",
          "all of history",
          "sum of copies",
          "automatic memory");

  private static final String DRIFTING = "drifting";

  /** Runs where nothing changes that look for false alarms, for each loss and epsilon. */
  private static final int STILL_RUNS = 50;

  /** Parts of a run, of equal length. */
  private static final int PARTS = 40;

  private record DriftCell(Loss loss, Drift change, double epsilon) {
    String label() {
      return "%s, %s, eps = %s".formatted(loss.label, change.label, NumberLabels.short3(epsilon));
    }
  }

  private static Memory halfLife(double reports) {
    return Memory.newBuilder().setHalfLife(reports).build();
  }

  private final int rounds;
  private final int replications;
  private final int stillRuns;
  private final Design design;

  DriftStudy(StudyScale scale) {
    rounds = Math.max(PARTS, scale.people(1000));
    replications = scale.replications(8);
    stillRuns = scale.replications(STILL_RUNS);
    design = new Design(FeatureLaw.SPHERE, DIMENSION, Math.min(1000, scale.designPoints()));
  }

  @Override
  public String name() {
    return "drift";
  }

  private static List<DriftCell> cells() {
    List<DriftCell> cells = new ArrayList<>();
    for (Loss loss : LOSSES) {
      for (Drift change : Drift.values()) {
        for (double epsilon : EPSILONS) {
          cells.add(new DriftCell(loss, change, epsilon));
        }
      }
    }
    return cells;
  }

  @Override
  public long work() {
    long trials = (long) cells().size() * replications * METHODS.size();
    return (trials + (long) still().size() * stillRuns) * rounds * REPORTS;
  }

  private static List<DriftCell> still() {
    return cells().stream().filter(cell -> cell.change == Drift.NOTHING).toList();
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<DriftCell> cells = cells();
    List<Callable<double[][]>> trials = new ArrayList<>();
    for (int c = 0; c < cells.size(); c++) {
      for (int r = 0; r < replications; r++) {
        DriftCell cell = cells.get(c);
        long trialSeed = SeededRandom.seed(seed, c, r);
        trials.add(() -> new DriftTrial(cell, methods(), trialSeed).run(runner));
      }
    }
    for (DriftCell cell : still()) {
      for (int r = 0; r < stillRuns; r++) {
        long trialSeed = SeededRandom.seed(seed, cells.size() + cells.indexOf(cell), r);
        trials.add(() -> new DriftTrial(cell, List.of(automatic()), trialSeed).run(runner));
      }
    }
    List<double[][]> results = runner.all(trials);
    int compared = cells.size() * replications;
    report(cells, results.subList(0, compared), page);
    alarms(cells, results.subList(0, compared), results.subList(compared, results.size()), page);
  }

  /** The learners whose weights each method adds up. */
  private static List<List<LearnerRun>> methods() {
    List<List<LearnerRun>> methods = new ArrayList<>();
    List<LearnerRun> summed = new ArrayList<>();
    for (Memory memory : MEMORIES) {
      methods.add(List.of(learner(1, memory)));
      summed.add(learner(1.0 / FIXED, memory));
    }
    methods.add(summed);
    methods.add(automatic());
    return methods;
  }

  private static List<LearnerRun> automatic() {
    return List.of(
        learner(
            1, Memory.newBuilder().setAutomatic(Memory.Automatic.getDefaultInstance()).build()));
  }

  private static ModelSpec.Builder spec() {
    return ModelSpec.newBuilder()
        .setModelId("study")
        .setDimension(DIMENSION)
        .setGradientBound(1)
        .setCombined(Combined.getDefaultInstance());
  }

  private static LearnerRun learner(double wealth, Memory memory) {
    ModelSpec.Builder spec = spec().setInitialWealth(wealth);
    if (!memory.equals(ALL_HISTORY)) {
      spec.setMemory(memory);
    }
    return new LearnerRun(LabelledLearner.of("combined", spec.build()));
  }

  /** All methods on the same people, each with its own releases. */
  private final class DriftTrial {
    private final DriftCell cell;
    private final List<List<LearnerRun>> methods;
    private final SeededRandom random;
    private final double deviation;
    private final Person person = new Person(DIMENSION);
    private final double[] best = new double[DIMENSION];

    private DriftTrial(DriftCell cell, List<List<LearnerRun>> methods, long seed) {
      this.cell = cell;
      this.methods = methods;
      random = new SeededRandom(seed);
      Mechanism declared =
          new ReportNoise(StudiedMechanism.PRIV_UNIT, cell.epsilon).declared(DIMENSION, 1);
      SpecGradients gradients = new SpecGradients(spec().build(), new PrivUnitLaws());
      deviation = Math.sqrt(declared.squaredError(gradients.all()) / DIMENSION);
    }

    /**
     * Returns mean excess losses of the averages at the next people, by method and part of the run;
     * and of the last method, in how many rounds of each part it stated that people drift.
     */
    private double[][] run(Runner runner) {
      double[][] means = new double[methods.size() + 1][PARTS];
      for (int t = 0; t < rounds; t++) {
        int part = t * PARTS / rounds;
        double angle = cell.change.angle(t / (double) rounds);
        best[0] = NORM * Math.cos(angle);
        best[1] = NORM * Math.sin(angle);
        for (int m = 0; m < methods.size(); m++) {
          double[] average = sum(methods.get(m), LearnerRun::average);
          means[m][part] += excess(average) * PARTS / rounds;
        }
        double[][] reports = reports();
        for (int m = 0; m < methods.size(); m++) {
          for (LearnerRun learner : methods.get(m)) {
            learner.add(reports[m]);
            learner.step(REPORTS);
          }
        }
        means[methods.size()][part] += methods.get(methods.size() - 1).get(0).diagnostic(DRIFTING);
        runner.progress().accept((long) REPORTS * methods.size());
      }
      return means;
    }

    private double[] sum(List<LearnerRun> learners, Function<LearnerRun, double[]> point) {
      double[] sum = new double[DIMENSION];
      learners.forEach(learner -> Vectors.add(point.apply(learner), sum));
      return sum;
    }

    /** The sum of a round's releases, by method. */
    private double[][] reports() {
      double[][] weights =
          methods.stream().map(each -> sum(each, LearnerRun::weights)).toArray(double[][]::new);
      double[][] reports = new double[methods.size()][DIMENSION];
      for (int i = 0; i < REPORTS; i++) {
        design.draw(random, person.x);
        person.target = cell.loss.target(random, Vectors.dot(person.x, best));
        for (int m = 0; m < reports.length; m++) {
          double slope = cell.loss.slope(Vectors.dot(person.x, weights[m]), person.target);
          Vectors.addScaled(slope, person.x, reports[m]);
        }
      }
      for (double[] report : reports) {
        for (int j = 0; j < DIMENSION; j++) {
          report[j] += deviation * Math.sqrt(REPORTS) * random.normal();
        }
      }
      return reports;
    }

    private double excess(double[] weights) {
      double sum = 0;
      for (double[] x : design.points) {
        sum += cell.loss.excess(Vectors.dot(x, best), Vectors.dot(x, weights));
      }
      return sum / design.points.length;
    }
  }

  private void report(List<DriftCell> cells, List<double[][]> excess, MarkdownPage page)
      throws IOException {
    page.title("People who change");
    page.paragraph(
        ("The best weights move, in %d dimensions, at a norm of %s. `combined`, %d rounds of %d reports, `priv_unit`,"
                + " whose sum of noise is drawn from a Gaussian law; %d replications. Entries: mean"
                + " excess loss of the published average at the next people, over all rounds"
                + " (standard error)."
                + " The last two columns are ratios to the best of the fixed memories in hindsight;"
                + " where nothing changes, to all of history.")
            .formatted(DIMENSION, NumberLabels.short3(NORM), rounds, REPORTS, replications));
    page.list(
        "Sum of copies: the weights of four learners with these memories and W0 / 4 each are added, as"
            + " `combined` adds its two.",
        "Automatic memory: `memory: {automatic: {}}`, copies with these memories and W0 each, whose"
            + " shares follow their linearised losses ([theorem 8](../../../docs/theory/rounds.md#4-what-is-proved)).");
    List<List<String>> rows = new ArrayList<>();
    Map<String, Ratios> ratios = new TreeMap<>();
    for (int c = 0; c < cells.size(); c++) {
      List<double[][]> own = part(excess, c, replications);
      List<Estimate> estimates =
          IntStream.range(0, METHODS.size()).mapToObj(m -> estimate(own, m)).toList();
      List<String> row = new ArrayList<>(List.of(cells.get(c).label()));
      estimates.forEach(estimate -> row.add(estimate.toString()));
      boolean isStill = cells.get(c).change == Drift.NOTHING;
      double best =
          estimates.subList(isStill ? FIXED - 1 : 0, FIXED).stream()
              .mapToDouble(Estimate::mean)
              .min()
              .orElseThrow();
      for (int m = FIXED; m < METHODS.size(); m++) {
        double ratio = estimates.get(m).mean() / best;
        row.add(NumberLabels.short3(ratio));
        String kind =
            METHODS.get(m) + (isStill ? ", where nothing changes" : ", where people change");
        ratios.computeIfAbsent(kind, unused -> new Ratios()).add(ratio);
        if (isStill) {
          double least = least(cells.get(c).loss);
          ratios
              .computeIfAbsent(kind + ", losses instead of excess losses", unused -> new Ratios())
              .add((estimates.get(m).mean() + least) / (best + least));
        }
      }
      rows.add(row);
    }
    page.table(
        List.of("copies", "geometric mean of the ratios", "worst"),
        ratios.entrySet().stream()
            .map(
                each ->
                    List.of(
                        each.getKey(),
                        NumberLabels.short3(each.getValue().geometricMean()),
                        NumberLabels.short3(each.getValue().quantile(1))))
            .toList());
    List<String> columns = new ArrayList<>(List.of("case"));
    columns.addAll(METHODS);
    columns.addAll(List.of("sum / best", "automatic / best"));
    page.table(columns, rows);
    int shown = cells.indexOf(new DriftCell(Loss.LOGISTIC, Drift.TURN_180, 2));
    page.picture("turn", turn(part(excess, shown, replications)));
  }

  /**
   * Expected loss of the best predictions of people who don't change: that of a prediction for
   * which it is known, less its excess.
   */
  private double least(Loss loss) {
    double sum = 0;
    for (double[] x : design.points) {
      double best = NORM * x[0];
      sum +=
          loss == Loss.LOGISTIC
              ? Math.log(2) - loss.excess(best, 0)
              : FAR - loss.excess(best, best + FAR);
    }
    return sum / design.points.length;
  }

  /** How often the automatic memory states that people drift. */
  private void alarms(
      List<DriftCell> cells, List<double[][]> compared, List<double[][]> still, MarkdownPage page)
      throws IOException {
    List<List<String>> rows = new ArrayList<>();
    for (DriftCell cell : cells) {
      boolean isStill = cell.change == Drift.NOTHING;
      List<double[][]> runs =
          isStill
              ? part(still, still().indexOf(cell), stillRuns)
              : part(compared, cells.indexOf(cell), replications);
      double[] stated = runs.stream().mapToDouble(run -> sum(run[run.length - 1])).toArray();
      rows.add(
          List.of(
              cell.label(),
              Integer.toString(stated.length),
              Long.toString(Arrays.stream(stated).filter(each -> each > 0).count()),
              NumberLabels.short3(100 * sum(stated) / stated.length / rounds)));
    }
    page.paragraph(
        "Runs in which the automatic memory stated that people drift, and in how many of all rounds."
            + " Where nothing changes, these are false alarms.");
    page.table(List.of("case", "runs", "with an alarm", "% of rounds"), rows);
  }

  private static List<double[][]> part(List<double[][]> runs, int cell, int ofEach) {
    return runs.subList(cell * ofEach, (cell + 1) * ofEach);
  }

  private static double sum(double[] values) {
    return Arrays.stream(values).sum();
  }

  private static Estimate estimate(List<double[][]> runs, int method) {
    return Estimate.of(
        runs.stream()
            .mapToDouble(run -> Arrays.stream(run[method]).average().orElseThrow())
            .toArray());
  }

  /** What happens after half time. */
  private Plot turn(List<double[][]> runs) {
    Plot plot =
        new Plot("logistic, turn by 180 degrees, eps = 2", "reports since the turn", "excess loss");
    double[] x = new double[PARTS / 2];
    for (int i = 0; i < x.length; i++) {
      x[i] = (i + 0.5) * rounds * REPORTS / PARTS;
    }
    for (int m = 0; m < METHODS.size(); m++) {
      double[] y = new double[x.length];
      for (double[][] run : runs) {
        for (int i = 0; i < y.length; i++) {
          y[i] += run[m][PARTS / 2 + i] / runs.size();
        }
      }
      plot.line(METHODS.get(m), x, y, ChartStyle.colour(m));
    }
    return plot;
  }
}
