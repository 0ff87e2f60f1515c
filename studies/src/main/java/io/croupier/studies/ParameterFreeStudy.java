package io.croupier.studies;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.central.ftrl.Ftrl;
import io.croupier.operators.central.ftrl.FtrlParameters;
import io.croupier.operators.central.ftrl.ParameterFreeFtrl;
import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Prior;
import io.croupier.operators.math.Vectors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** DP-FTRL without a learning rate against the best one in hindsight. */
final class ParameterFreeStudy implements Study {
  private static final double EPSILON = 2;
  private static final double DELTA = 1e-6;
  private static final double[] NORMS = {0.1, 1, 10};
  private static final int[] PER_ROUND = {1, 10};
  private static final int[] DIMENSIONS = {2, 10, 100};
  private static final List<String> NOISES = List.of("Honaker", "BLT-3");
  private static final List<String> LEARNERS = List.of("improper", "conjugate");

  /** Of the norm of the best weights: 1e-4 to 10, two a decade. */
  private static final double[] RATES =
      IntStream.rangeClosed(-8, 2).mapToDouble(k -> Math.pow(10, k / 2.0)).toArray();

  /** The learning problems. */
  private enum Task {
    /** Absolute loss of a prediction. */
    PREDICTION,
    /** The same, and the best weights are 0. */
    NOTHING,
    /** The loss ||w||: every gradient is against the weights, and so against their noise. */
    RETURN
  }

  private record TaskProblem(Task task, double norm, int dimension, int rounds, int perRound) {}

  private final List<TaskProblem> problems = new ArrayList<>();
  private final int replications;
  private final int designPoints;
  private final List<Integer> rounds;
  private final Map<Integer, SumNoise> bltOfRounds = new HashMap<>();

  ParameterFreeStudy(StudyScale studyScale) {
    replications = studyScale.replications(4);
    designPoints = studyScale.designPoints();
    rounds = studyScale.checkpoints(100, 1000, 10_000);
    for (int perRound : PER_ROUND) {
      for (int dimension : DIMENSIONS) {
        for (int horizon : rounds) {
          for (double norm : NORMS) {
            problems.add(new TaskProblem(Task.PREDICTION, norm, dimension, horizon, perRound));
          }
          problems.add(new TaskProblem(Task.NOTHING, 0, dimension, horizon, perRound));
          problems.add(new TaskProblem(Task.RETURN, 0, dimension, horizon, perRound));
        }
      }
    }
  }

  @Override
  public String name() {
    return "dp-ftrl-parameter-free";
  }

  private static int entries() {
    return NOISES.size() * (LEARNERS.size() + RATES.length);
  }

  @Override
  public long work() {
    return problems.stream()
        .mapToLong(p -> (long) p.rounds * p.perRound * entries() * replications)
        .sum();
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    for (int horizon : rounds) {
      bltOfRounds.put(horizon, SumNoise.blt(3, horizon, ParticipationLimits.ONCE));
    }
    List<Callable<List<CentralTrial.CentralResult>>> tasks = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      TaskProblem problem = problems.get(p);
      for (int r = 0; r < replications; r++) {
        SeededRandom random = new SeededRandom(SeededRandom.seed(seed, p, r));
        tasks.add(() -> play(problem, random, runner));
      }
    }
    List<List<CentralTrial.CentralResult>> all = runner.all(tasks);
    List<Measured> measured = new ArrayList<>();
    for (int p = 0; p < problems.size(); p++) {
      measured.add(
          new Measured(problems.get(p), all.subList(p * replications, (p + 1) * replications)));
    }
    report(measured, page);
  }

  private List<CentralTrial.CentralResult> play(
      TaskProblem problem, SeededRandom random, Runner runner) {
    ParticipationLimits limits = ParticipationLimits.ONCE;
    List<SumNoise> noises =
        List.of(SumNoise.tree(NOISES.get(0), Estimator.HONAKER), bltOfRounds.get(problem.rounds));
    InitialWeights zero = InitialWeights.zero(problem.dimension);
    Averaging uniform = new Averaging(0);
    List<PrefixLearner<?>> learners = new ArrayList<>();
    learners.add(new ParameterFreeFtrl(1, new Prior.Improper(), 1, uniform, zero));
    learners.add(new ParameterFreeFtrl(1, new Prior.Conjugate(1), 1, uniform, zero));
    for (double rate : RATES) {
      double own = rate * (problem.norm > 0 ? problem.norm : 1);
      learners.add(
          new Ftrl(new FtrlParameters(own, 0, Double.POSITIVE_INFINITY, 0), uniform, zero));
    }
    List<CentralTrial.NoisedLearner> entries = new ArrayList<>();
    for (int n = 0; n < noises.size(); n++) {
      double zeta = noises.get(n).zeta(problem.rounds, limits);
      double sigma = GaussianDp.noiseMultiplier(EPSILON, StrictMath.log(DELTA), zeta);
      for (PrefixLearner<?> learner : learners) {
        entries.add(new CentralTrial.NoisedLearner(learner, n, sigma / problem.perRound));
      }
    }
    return CentralTrial.run(
        participants(problem, random),
        entries,
        noises,
        problem.rounds,
        problem.perRound,
        1,
        random,
        runner.progress());
  }

  private Participants participants(TaskProblem problem, SeededRandom random) {
    if (problem.task == Task.RETURN) {
      return new Returning(problem.dimension);
    }
    Design design = new Design(Features.SPHERE, problem.dimension, designPoints);
    double[] best = PredictionProblem.dense(problem.dimension, problem.norm);
    return Participants.drawn(new PredictionProblem(design, Loss.ABSOLUTE, best), 0, random);
  }

  /** Each person's loss is the norm of the weights. */
  private record Returning(int dimension) implements Participants {
    @Override
    public void next() {}

    @Override
    public void gradient(double[] weights, double[] into) {
      double norm = Math.sqrt(Vectors.squaredNorm(weights));
      Vectors.scale(norm > 0 ? 1 / norm : 0, weights, into);
    }

    @Override
    public WeightQuality quality(double[] weights) {
      return new WeightQuality(Math.sqrt(Vectors.squaredNorm(weights)), Double.NaN);
    }
  }

  private record Measured(TaskProblem problem, List<List<CentralTrial.CentralResult>> runs) {
    private Estimate excess(int entry) {
      return Estimate.of(
          runs.stream().mapToDouble(run -> run.get(entry).average().excess()).toArray());
    }

    double of(int noise, int learner) {
      return excess(noise * (LEARNERS.size() + RATES.length) + learner).mean();
    }

    double tuned(int noise) {
      return IntStream.range(LEARNERS.size(), LEARNERS.size() + RATES.length)
          .mapToDouble(i -> of(noise, i))
          .min()
          .orElseThrow();
    }

    Estimate regret(int noise, int learner) {
      int entry = noise * (LEARNERS.size() + RATES.length) + learner;
      return Estimate.of(runs.stream().mapToDouble(run -> run.get(entry).regret()).toArray());
    }
  }

  private double nothing(TaskProblem problem) {
    double[] best = PredictionProblem.dense(problem.dimension, problem.norm);
    Design design = new Design(Features.SPHERE, problem.dimension, 1);
    return new PredictionProblem(design, Loss.ABSOLUTE, best).excess(new double[best.length]);
  }

  private void report(List<Measured> measured, MarkdownPage page) throws IOException {
    page.title("DP-FTRL without a learning rate");
    page.paragraph(
        ("This study compares DP-FTRL without a learning rate to DP-FTRL at its best learning rate."
                + " Absolute loss, features uniform on the sphere, G = W0 = 1, eps = %s at delta = %s"
                + " (zero-out, one participation); r people a round. Entries: excess risk of the average"
                + " of the weights, as a share of that of doing nothing, with the best of %d learning"
                + " rates (%s to %s times ||w*||, in hindsight) / improper prior / conjugate prior."
                + " %d replications.")
            .formatted(
                NumberLabels.short3(EPSILON),
                NumberLabels.exponent(DELTA),
                RATES.length,
                NumberLabels.exponent(RATES[0]),
                NumberLabels.short3(RATES[RATES.length - 1]),
                replications));
    List<Measured> predictions =
        measured.stream().filter(m -> m.problem.task == Task.PREDICTION).toList();
    for (int n = 0; n < NOISES.size(); n++) {
      page.heading(NOISES.get(n));
      shares(predictions, n, page);
    }
    page.heading("In one table");
    page.list(
        "Learnable: the best learning rate at least halves the risk of doing nothing.",
        "Regret: sum of <g_t, theta_t>, in units of W0; the largest mean of all problems (its standard"
            + " error). The theorem bounds it by 1 for gradients fixed in advance, a proper prior"
            + " (conjugate) and noise whose variance never falls (BLT).",
        "Nothing to learn: w* = 0.",
        "The norm of w: every gradient is theta_t / ||theta_t||, and so depends on the noise as much as"
            + " it can.");
    summary(measured, page);
    picture(predictions, page);
  }

  private void shares(List<Measured> predictions, int noise, MarkdownPage page) {
    List<String> columns = new ArrayList<>(List.of("r", "d", "rounds"));
    Arrays.stream(NORMS).forEach(norm -> columns.add("norm w* = " + NumberLabels.short3(norm)));
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < predictions.size(); i += NORMS.length) {
      TaskProblem first = predictions.get(i).problem;
      List<String> row =
          new ArrayList<>(
              List.of(
                  Integer.toString(first.perRound),
                  Integer.toString(first.dimension),
                  Integer.toString(first.rounds)));
      for (Measured one : predictions.subList(i, i + NORMS.length)) {
        double nothing = nothing(one.problem);
        row.add(
            "%s / %s / %s"
                .formatted(
                    NumberLabels.short3(one.tuned(noise) / nothing),
                    NumberLabels.short3(one.of(noise, 0) / nothing),
                    NumberLabels.short3(one.of(noise, 1) / nothing)));
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }

  private void summary(List<Measured> measured, MarkdownPage page) {
    List<List<String>> rows = new ArrayList<>();
    for (int n = 0; n < NOISES.size(); n++) {
      for (int l = 0; l < LEARNERS.size(); l++) {
        List<Double> ratios = new ArrayList<>();
        double worst = 0;
        for (Measured one : measured) {
          if (one.problem.task == Task.PREDICTION) {
            double nothing = nothing(one.problem);
            worst = Math.max(worst, one.of(n, l) / nothing);
            if (one.tuned(n) <= nothing / 2) {
              ratios.add(one.of(n, l) / one.tuned(n));
            }
          }
        }
        List<String> row = new ArrayList<>(List.of(NOISES.get(n), LEARNERS.get(l)));
        double[] sorted = ratios.stream().mapToDouble(x -> x).sorted().toArray();
        double logs = Arrays.stream(sorted).map(Math::log).average().orElse(Double.NaN);
        row.add(NumberLabels.short3(Math.exp(logs)) + " of " + sorted.length);
        row.add(sorted.length == 0 ? "-" : NumberLabels.short3(sorted[0]));
        row.add(sorted.length == 0 ? "-" : NumberLabels.short3(sorted[sorted.length - 1]));
        row.add(NumberLabels.short3(worst));
        for (Task task : Task.values()) {
          Estimate largest = new Estimate(Double.NEGATIVE_INFINITY, 0);
          for (Measured one : measured) {
            Estimate regret = one.regret(n, l);
            if (one.problem.task == task && regret.mean() > largest.mean()) {
              largest = regret;
            }
          }
          row.add(largest.toString());
        }
        rows.add(row);
      }
    }
    page.table(
        List.of(
            "noise",
            "prior",
            "learnable: geometric mean of risk / tuned",
            "least",
            "most",
            "worst risk / doing nothing",
            "regret: predictions",
            "nothing to learn",
            "the norm of w"),
        rows);
  }

  private void picture(List<Measured> predictions, MarkdownPage page) throws IOException {
    Plot plot =
        new Plot("d = 10, ||w*|| = 1, 10 people a round", "rounds", "risk / that of doing nothing");
    List<Measured> shown =
        predictions.stream()
            .filter(m -> m.problem.dimension == 10 && m.problem.norm == 1)
            .filter(m -> m.problem.perRound == 10)
            .toList();
    double[] x = shown.stream().mapToDouble(m -> m.problem.rounds).toArray();
    for (int n = 0; n < NOISES.size(); n++) {
      for (int l = -1; l < LEARNERS.size(); l++) {
        int noise = n;
        int learner = l;
        double[] y =
            shown.stream()
                .mapToDouble(
                    m -> (learner < 0 ? m.tuned(noise) : m.of(noise, learner)) / nothing(m.problem))
                .toArray();
        String label = NOISES.get(n) + ", " + (l < 0 ? "tuned" : LEARNERS.get(l));
        plot.curve(label, x, y, ChartStyle.colour(l + 1), n);
      }
    }
    page.picture("rounds", plot);
  }
}
