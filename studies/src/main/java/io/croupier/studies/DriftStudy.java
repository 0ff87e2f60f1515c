package io.croupier.studies;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.noise.SpecGradients;
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
import java.util.stream.IntStream;

/**
 * How soon a model follows people who change, by its memory; and whether copies with several
 * memories need no choice: their sum, or a mixture whose shares follow their losses.
 */
final class DriftStudy implements Study {
  private static final int DIMENSION = 5;
  private static final int REPORTS = 100;
  private static final double NORM = 3;
  private static final double[] EPSILONS = {1, 2, 8};
  private static final List<Loss> LOSSES = List.of(Loss.LOGISTIC, Loss.ABSOLUTE);

  /** Half-lives in reports. */
  private static final double[] HALF_LIVES = {1 << 11, 1 << 13, 1 << 15, Double.POSITIVE_INFINITY};

  private static final int FIXED = HALF_LIVES.length;

  /** Shares of the mixture follow losses with this half-life. */
  private static final double MIXTURE_HALF_LIFE = 1 << 13;

  private static final List<String> METHODS =
      List.of(
          "half-life 2^11",
          "half-life 2^13",
          "half-life 2^15",
          "all of history",
          "sum of copies",
          "mixture of copies");

  /** Parts of a run, of equal length. */
  private static final int PARTS = 40;

  /** How the best weights move, in the plane of the first two coordinates. */
  private enum Drift {
    NOTHING("nothing changes") {
      @Override
      double angle(double time) {
        return 0;
      }
    },
    TURN_90("turn by 90 degrees at half time") {
      @Override
      double angle(double time) {
        return time < 0.5 ? 0 : Math.PI / 2;
      }
    },
    TURN_180("turn by 180 degrees at half time") {
      @Override
      double angle(double time) {
        return time < 0.5 ? 0 : Math.PI;
      }
    },
    ROTATION("slow rotation by 180 degrees") {
      @Override
      double angle(double time) {
        return Math.PI * time;
      }
    },
    SWING("swings by 45 degrees, ten times") {
      @Override
      double angle(double time) {
        return Math.PI / 4 * Math.sin(20 * Math.PI * time);
      }
    };

    private final String label;

    Drift(String label) {
      this.label = label;
    }

    /** Of the best weights after this share of all rounds, in radians. */
    abstract double angle(double time);
  }

  private record DriftCell(Loss loss, Drift change, double epsilon) {
    String label() {
      return "%s, %s, eps = %s".formatted(loss.label, change.label, NumberLabels.short3(epsilon));
    }
  }

  private final int rounds;
  private final int replications;
  private final Design design;

  DriftStudy(StudyScale scale) {
    rounds = Math.max(PARTS, scale.people(1000));
    replications = scale.replications(8);
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
    return (long) cells().size() * replications * rounds * REPORTS * METHODS.size();
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
        trials.add(() -> new DriftTrial(cell, new SeededRandom(trialSeed)).excess(runner));
      }
    }
    report(cells, runner.all(trials), page);
  }

  /** All methods on the same people, each with its own releases. */
  private final class DriftTrial {
    private final DriftCell cell;
    private final SeededRandom random;
    private final double deviation;
    private final Person person = new Person(DIMENSION);
    private final double[] best = new double[DIMENSION];
    private final List<LearnerRun> fixed = new ArrayList<>();
    private final List<LearnerRun> summed = new ArrayList<>();
    private final List<LearnerRun> mixed = new ArrayList<>();
    private final double[] shares = new double[FIXED];
    private final double[] losses = new double[FIXED];
    private double squares;

    private DriftTrial(DriftCell cell, SeededRandom random) {
      this.cell = cell;
      this.random = random;
      Mechanism declared =
          new ReportNoise(StudiedMechanism.PRIV_UNIT, cell.epsilon).declared(DIMENSION, 1);
      ModelSpec spec = spec(1, 1).spec().orElseThrow();
      deviation =
          Math.sqrt(
              declared.squaredError(new SpecGradients(spec, new PrivUnitLaws()).all()) / DIMENSION);
      for (double halfLife : HALF_LIVES) {
        fixed.add(new LearnerRun(spec(1, halfLife)));
        summed.add(new LearnerRun(spec(1.0 / FIXED, halfLife)));
        mixed.add(new LearnerRun(spec(1, halfLife)));
      }
      Arrays.fill(shares, 1.0 / FIXED);
    }

    private LabelledLearner spec(double wealth, double halfLife) {
      ModelSpec.Builder spec =
          ModelSpec.newBuilder()
              .setModelId("study")
              .setDimension(DIMENSION)
              .setGradientBound(1)
              .setInitialWealth(wealth)
              .setCombined(Combined.getDefaultInstance());
      if (halfLife < Double.POSITIVE_INFINITY) {
        spec.setMemory(Memory.newBuilder().setHalfLife(halfLife));
      }
      return LabelledLearner.of("combined", spec.build());
    }

    /** Mean excess losses of the averages at the next people, by method and part of the run. */
    private double[][] excess(Runner runner) {
      double[][] means = new double[METHODS.size()][PARTS];
      for (int t = 0; t < rounds; t++) {
        double angle = cell.change.angle(t / (double) rounds);
        best[0] = NORM * Math.cos(angle);
        best[1] = NORM * Math.sin(angle);
        double[][] weights = points(true);
        double[][] averages = points(false);
        double[][] reports = new double[METHODS.size()][DIMENSION];
        for (int i = 0; i < REPORTS; i++) {
          design.draw(random, person.x);
          person.target = cell.loss.target(random, Vectors.dot(person.x, best));
          for (int m = 0; m < reports.length; m++) {
            double slope = cell.loss.slope(Vectors.dot(person.x, weights[m]), person.target);
            Vectors.addScaled(slope, person.x, reports[m]);
          }
        }
        for (int m = 0; m < reports.length; m++) {
          means[m][t * PARTS / rounds] += excess(averages[m]) * PARTS / rounds;
          for (int j = 0; j < DIMENSION; j++) {
            reports[m][j] += deviation * Math.sqrt(REPORTS) * random.normal();
          }
        }
        share(reports[FIXED + 1]);
        for (int k = 0; k < FIXED; k++) {
          step(fixed.get(k), reports[k]);
          step(summed.get(k), reports[FIXED]);
          step(mixed.get(k), reports[FIXED + 1]);
        }
        runner.progress().accept((long) REPORTS * METHODS.size());
      }
      return means;
    }

    private double[][] points(boolean areWeights) {
      double[][] points = new double[METHODS.size()][DIMENSION];
      for (int k = 0; k < FIXED; k++) {
        Vectors.add(point(fixed.get(k), areWeights), points[k]);
        Vectors.add(point(summed.get(k), areWeights), points[FIXED]);
        Vectors.addScaled(shares[k], point(mixed.get(k), areWeights), points[FIXED + 1]);
      }
      return points;
    }

    private double[] point(LearnerRun run, boolean isWeights) {
      return isWeights ? run.weights() : run.average();
    }

    private void step(LearnerRun run, double[] sum) {
      run.add(sum);
      run.step(REPORTS);
    }

    /** Discounted exponential weights on linearised losses, at a rate by their spread so far. */
    private void share(double[] sum) {
      double beta = Math.pow(2, -REPORTS / MIXTURE_HALF_LIFE);
      double[] coins = new double[FIXED];
      double mean = 0;
      for (int k = 0; k < FIXED; k++) {
        coins[k] = Vectors.dot(sum, mixed.get(k).weights());
        mean += shares[k] * coins[k];
      }
      double spread = 0;
      for (int k = 0; k < FIXED; k++) {
        losses[k] = beta * losses[k] + coins[k] - mean;
        spread += shares[k] * (coins[k] - mean) * (coins[k] - mean);
      }
      squares = beta * squares + spread;
      double rate = squares > 0 ? Math.sqrt(Math.log(FIXED) / squares) : 0;
      double least = Arrays.stream(losses).min().orElseThrow();
      double total = 0;
      for (int k = 0; k < FIXED; k++) {
        shares[k] = Math.exp(-rate * (losses[k] - least));
        total += shares[k];
      }
      for (int k = 0; k < FIXED; k++) {
        shares[k] /= total;
      }
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
        "Mixture of copies: shares that add up to 1, exponential in the copies' linearised losses,"
            + " which have a half-life of %s reports, at a rate that follows their spread."
                .formatted(NumberLabels.short3(MIXTURE_HALF_LIFE)));
    List<List<String>> rows = new ArrayList<>();
    Map<String, Ratios> ratios = new TreeMap<>();
    for (int c = 0; c < cells.size(); c++) {
      List<double[][]> own = excess.subList(c * replications, (c + 1) * replications);
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
    columns.addAll(List.of("sum / best", "mixture / best"));
    page.table(columns, rows);
    int shown = cells.indexOf(new DriftCell(Loss.LOGISTIC, Drift.TURN_180, 2));
    page.picture("turn", turn(excess.subList(shown * replications, (shown + 1) * replications)));
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
