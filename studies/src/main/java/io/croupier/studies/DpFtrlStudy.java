package io.croupier.studies;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.central.ftrl.Ftrl;
import io.croupier.operators.central.ftrl.FtrlParameters;
import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** DP-FTRL against DP-SGD without amplification, the question of [KMSTTX21, figure 1]. */
final class DpFtrlStudy implements Study {
  private static final double[] EPSILONS = {0.5, 1, 2, 4, 8, 16};
  private static final double DELTA = 1e-6;
  private static final double[] MOMENTA = {0, 0.9};
  private static final int PER_ROUND = 55;
  private static final int[] PASSES = {1, 5};
  private static final int SIMULATED_DIMENSION = 50;
  private static final double SIMULATED_NORM = 10;

  /** Of the learning rate over 1 - momentum: 0.1 to 215, three a decade. */
  private static final double[] RATES =
      IntStream.rangeClosed(-3, 7).mapToDouble(k -> Math.pow(10, k / 3.0)).toArray();

  private enum DataSource {
    CENSUS("census"),
    SIMULATED("simulated");

    private final String label;

    DataSource(String label) {
      this.label = label;
    }
  }

  private record Method(String label, int noise, double momentum) {}

  private final DataSet census = Census.load();
  private final double least;
  private final Population simulated;
  private final int roundsOfPass;
  private final int replications;

  DpFtrlStudy(StudyScale studyScale) {
    least = census.problem().score(census.problem().optimum()).loss();
    Design design = new Design(FeatureLaw.SPHERE, SIMULATED_DIMENSION, studyScale.designPoints());
    simulated =
        new PredictionProblem(
            design, Loss.LOGISTIC, PredictionProblem.dense(SIMULATED_DIMENSION, SIMULATED_NORM));
    roundsOfPass = studyScale.people(census.problem().size() / PER_ROUND);
    replications = studyScale.replications(4);
  }

  @Override
  public String name() {
    return "dp-ftrl";
  }

  private static ParticipationLimits limits(int passes, int roundsOfPass) {
    return new ParticipationLimits(passes, roundsOfPass - 1);
  }

  private List<SumNoise> noises(int passes) {
    List<SumNoise> noises = new ArrayList<>();
    noises.add(SumNoise.independent("DP-SGD"));
    noises.add(SumNoise.tree("Honaker", Estimator.HONAKER));
    if (passes > 1) {
      noises.add(SumNoise.restarted("Honaker, restarts", roundsOfPass));
    }
    noises.add(SumNoise.blt(3, (long) passes * roundsOfPass, limits(passes, roundsOfPass)));
    return noises;
  }

  private static List<Method> methods(List<SumNoise> noises) {
    List<Method> methods = new ArrayList<>();
    for (int n = 0; n < noises.size(); n++) {
      for (double momentum : MOMENTA) {
        String suffix = momentum > 0 ? ", momentum" : "";
        methods.add(new Method(noises.get(n).label() + suffix, n, momentum));
      }
    }
    return methods;
  }

  @Override
  public long work() {
    long work = 0;
    for (int passes : PASSES) {
      long learnerRuns = (long) methods(noises(passes)).size() * EPSILONS.length * RATES.length;
      work +=
          learnerRuns
              * PER_ROUND
              * passes
              * roundsOfPass
              * replications
              * DataSource.values().length;
    }
    return work;
  }

  /** Outcomes by replication and, in each, by method, epsilon and rate. */
  private record Panel(
      DataSource setting,
      int passes,
      List<SumNoise> noises,
      List<List<CentralTrial.CentralResult>> runs) {

    double[] of(int index, ToDoubleFunction<CentralTrial.CentralResult> value) {
      return runs.stream().mapToDouble(run -> value.applyAsDouble(run.get(index))).toArray();
    }

    /** Of the best rate, and of the average of the weights or the last ones, in hindsight. */
    Best best(int method, int epsilon) {
      int first = (method * EPSILONS.length + epsilon) * RATES.length;
      List<Best> all = new ArrayList<>();
      for (int r = 0; r < RATES.length; r++) {
        all.add(best(first + r, RATES[r], false, CentralTrial.CentralResult::weights));
        all.add(best(first + r, RATES[r], true, CentralTrial.CentralResult::average));
      }
      return all.stream().min(Comparator.comparingDouble(b -> b.excess.mean())).orElseThrow();
    }

    private Best best(
        int index,
        double rate,
        boolean average,
        Function<CentralTrial.CentralResult, Participants.WeightQuality> quality) {
      return new Best(
          rate,
          average,
          Estimate.of(of(index, outcome -> quality.apply(outcome).excess())),
          Estimate.of(of(index, outcome -> quality.apply(outcome).accuracy())));
    }
  }

  private record Best(double rate, boolean average, Estimate excess, Estimate accuracy) {
    @Override
    public String toString() {
      return "%s [%s%s]".formatted(excess, NumberLabels.short3(rate), average ? ", average" : "");
    }
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Panel> panels = new ArrayList<>();
    for (DataSource setting : DataSource.values()) {
      for (int passes : PASSES) {
        List<SumNoise> noises = noises(passes);
        List<Callable<List<CentralTrial.CentralResult>>> tasks = new ArrayList<>();
        for (int r = 0; r < replications; r++) {
          SeededRandom random = new SeededRandom(SeededRandom.seed(seed, panels.size(), r));
          tasks.add(() -> play(setting, passes, noises, random, runner));
        }
        panels.add(new Panel(setting, passes, noises, runner.all(tasks)));
      }
    }
    report(panels, page);
  }

  private List<CentralTrial.CentralResult> play(
      DataSource setting, int passes, List<SumNoise> noises, SeededRandom random, Runner runner) {
    int people = roundsOfPass * PER_ROUND;
    boolean real = setting == DataSource.CENSUS;
    Participants participants =
        real
            ? new CensusParticipants(census.problem(), least, people, random)
            : Participants.drawn(simulated, people, random);
    double clip = real ? census.clip() : 1;
    InitialWeights zero = InitialWeights.zero(participants.dimension());
    List<CentralTrial.NoisedLearner> entries = new ArrayList<>();
    for (Method method : methods(noises)) {
      for (double epsilon : EPSILONS) {
        double scale = sigma(noises.get(method.noise), passes, epsilon) * clip / PER_ROUND;
        for (double rate : RATES) {
          double own = rate * (1 - method.momentum);
          FtrlParameters parameters =
              new FtrlParameters(own, method.momentum, Double.POSITIVE_INFINITY, 0);
          entries.add(
              new CentralTrial.NoisedLearner(
                  new Ftrl(parameters, new Averaging(0), zero), method.noise, scale));
        }
      }
    }
    return CentralTrial.run(
        participants,
        entries,
        noises,
        passes * roundsOfPass,
        PER_ROUND,
        clip,
        random,
        runner.progress());
  }

  private double sigma(SumNoise noise, int passes, double epsilon) {
    long steps = (long) passes * roundsOfPass;
    double zeta = noise.zeta(steps, limits(passes, roundsOfPass));
    return GaussianDp.noiseMultiplier(epsilon, StrictMath.log(DELTA), zeta);
  }

  private void report(List<Panel> panels, MarkdownPage page) throws IOException {
    page.title("DP-FTRL against DP-SGD without amplification");
    page.paragraph(
        ("This study compares noise with memory (DP-FTRL) to independent noise (DP-SGD) in training."
                + " Logistic regression, rounds of %d people, delta = %s, zero-out. The order of people"
                + " is the same in each pass, so DP-SGD has no amplification by sampling."
                + " %d rounds a pass, %d replications.")
            .formatted(PER_ROUND, NumberLabels.exponent(DELTA), roundsOfPass, replications));
    page.list(
        "`census`: %s d = %d, clipped at %s."
            .formatted(
                census.description(),
                census.problem().dimension(),
                NumberLabels.short3(census.clip())),
        "`simulated`: d = %d, features on the sphere, norm of the best weights %s, clipped at 1."
            .formatted(SIMULATED_DIMENSION, NumberLabels.short3(SIMULATED_NORM)));
    page.paragraph(
        ("Entries: mean excess loss (standard error) [learning rate over 1 - momentum; `average`: of the"
                + " average of the weights, otherwise of the last weights]. Rate and output are chosen in"
                + " hindsight for each entry, out of %d rates from %s to %s.")
            .formatted(
                RATES.length,
                NumberLabels.short3(RATES[0]),
                NumberLabels.short3(RATES[RATES.length - 1])));
    for (Panel panel : panels) {
      String title =
          panel.setting.label
              + (panel.passes == 1 ? ", one pass" : ", " + panel.passes + " passes");
      page.heading(title);
      table(panel, page, Best::toString);
      if (panel.setting == DataSource.CENSUS) {
        page.paragraph("Accuracy of the same:");
        table(panel, page, best -> NumberLabels.fixed(best.accuracy.mean(), 4));
      }
      picture(panel, title, page);
    }
    page.heading("Noise multipliers");
    noiseTable(page);
  }

  private static List<String> columns(String... first) {
    List<String> columns = new ArrayList<>(List.of(first));
    for (double epsilon : EPSILONS) {
      columns.add("eps = " + NumberLabels.short3(epsilon));
    }
    return columns;
  }

  private static void table(Panel panel, MarkdownPage page, Function<Best, String> text) {
    List<Method> methods = methods(panel.noises);
    List<List<String>> rows = new ArrayList<>();
    for (int m = 0; m < methods.size(); m++) {
      List<String> row = new ArrayList<>(List.of(methods.get(m).label));
      for (int e = 0; e < EPSILONS.length; e++) {
        row.add(text.apply(panel.best(m, e)));
      }
      rows.add(row);
    }
    page.table(columns("method"), rows);
  }

  private static void picture(Panel panel, String title, MarkdownPage page) throws IOException {
    List<Method> methods = methods(panel.noises);
    Plot plot = new Plot(title, "epsilon", "excess loss");
    for (int m = 0; m < methods.size(); m++) {
      int method = m;
      double[] y =
          IntStream.range(0, EPSILONS.length)
              .mapToDouble(e -> panel.best(method, e).excess.mean())
              .toArray();
      plot.curve(methods.get(m).label, EPSILONS, y, ChartStyle.colour(m / 2), m % 2);
    }
    page.picture(panel.setting.label + "-" + panel.passes, plot);
  }

  private void noiseTable(MarkdownPage page) {
    List<List<String>> rows = new ArrayList<>();
    for (int passes : PASSES) {
      for (SumNoise noise : noises(passes)) {
        long steps = (long) passes * roundsOfPass;
        double zeta = noise.zeta(steps, limits(passes, roundsOfPass));
        List<String> row =
            new ArrayList<>(
                List.of(Integer.toString(passes), noise.label(), NumberLabels.short3(zeta)));
        for (double epsilon : EPSILONS) {
          row.add(NumberLabels.short3(sigma(noise, passes, epsilon)));
        }
        rows.add(row);
      }
    }
    page.table(columns("passes", "noise", "zeta"), rows);
  }
}
