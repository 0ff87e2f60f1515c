package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Problem;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The census as the demo plays it: the black box that finds its clip, from the default initial
 * clip, against the same learner with fixed clips, where the features have other units.
 */
final class DemoCensus {
  private static final double[] EPSILONS = {1, 2, 8};
  private static final StudiedMechanism MECHANISM = StudiedMechanism.PRIV_UNIT;

  /** Factors of the features. */
  private static final double[] UNITS = {0.01, 1, 100};

  private static final int PUBLICATIONS = 300;

  /** Of the people who come between two publications, one in this many still sees the older one. */
  private static final int LATE = 4;

  private static final int SMALLEST = -9;
  private static final int LARGEST = 3;
  private static final double GOAL = 1.25;

  private final DataSet census;
  private final double least;
  private final int people;
  private final int replications;
  private final double[] fixed =
      IntStream.rangeClosed(SMALLEST, LARGEST).mapToDouble(k -> Math.scalb(1.0, k)).toArray();

  /**
   * Takes the census in the units in which no features are longer than 1.
   *
   * @param least loss of the best weights
   * @param people how many take part
   */
  DemoCensus(DataSet census, double least, int people, int replications) {
    this.census = census;
    this.least = least;
    this.people = people;
    this.replications = replications;
  }

  /**
   * What one run ended with.
   *
   * @param excess excess loss of the published average
   * @param clip of the last publication, in units of the features
   * @param gradients people who sent one
   */
  private record DemoOutcome(double excess, double clip, long gradients) {}

  /** Reports of all runs. */
  long work() {
    return (long) EPSILONS.length * (fixed.length + UNITS.length) * people * replications;
  }

  /** Plays all runs, and writes a section. */
  void report(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    List<Callable<List<DemoOutcome>>> trials = new ArrayList<>();
    for (int e = 0; e < EPSILONS.length; e++) {
      for (int r = 0; r < replications; r++) {
        double epsilon = EPSILONS[e];
        // The same order of the people at every level.
        long order = SeededRandom.seed(seed, 0, r);
        long devices = SeededRandom.seed(seed, 1 + e, r);
        trials.add(() -> play(epsilon, order(new SeededRandom(order)), devices, runner));
      }
    }
    write(runner.all(trials), page);
  }

  /** Excess loss of one run of the black box that finds its clip. */
  double excess(double epsilon, SeededRandom order, long devices) {
    ModelSpec spec =
        spec(census.problem()).setAdaptiveClip(census.problem().adaptiveClip()).build();
    return play(spec, 1, epsilon, order(order), devices).excess;
  }

  private int[] order(SeededRandom random) {
    return Arrays.copyOf(random.permutation(census.problem().size()), people);
  }

  /** First the fixed clips, then the moving ones. */
  private List<DemoOutcome> play(double epsilon, int[] order, long devices, Runner runner) {
    List<DemoOutcome> outcomes = new ArrayList<>();
    for (int k = 0; k < fixed.length; k++) {
      ModelSpec spec = spec(census.problem()).setGradientBound(fixed[k]).build();
      outcomes.add(play(spec, 1, epsilon, order, SeededRandom.seed(devices, k, 0)));
    }
    for (int u = 0; u < UNITS.length; u++) {
      ModelSpec spec =
          spec(census.problem()).setAdaptiveClip(census.problem().adaptiveClip()).build();
      long ofUnit = SeededRandom.seed(devices, fixed.length + u, 0);
      outcomes.add(play(spec, UNITS[u], epsilon, order, ofUnit));
    }
    runner.progress().accept((long) outcomes.size() * people);
    return outcomes;
  }

  /** The spec of the demo, without a bound. */
  private static ModelSpec.Builder spec(Problem problem) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("demo")
            .setDimension(problem.dimension())
            .setBlackBox(BlackBox.getDefaultInstance())
            .setAveraging(CandidateLearners.AVERAGING);
    spec.addQuestionsBuilder()
        .setName(problem.fitName())
        .setAccuracy(Accuracy.getDefaultInstance());
    return spec;
  }

  private DemoOutcome play(ModelSpec spec, double unit, double epsilon, int[] order, long devices) {
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
    Problem problem = census.problem().times(unit);
    int interval = Math.max(LATE, (people + PUBLICATIONS - 1) / PUBLICATIONS);
    DemoTrial trial =
        new DemoTrial(
            problem,
            spec,
            MECHANISM,
            epsilon,
            interval,
            interval / LATE,
            new SeededRandom(devices));
    trial.play(order);
    double excess = problem.score(trial.average()).loss() - least;
    return new DemoOutcome(excess, trial.clip() / unit, trial.gradients());
  }

  private void write(List<List<DemoOutcome>> results, MarkdownPage page) {
    page.heading("As the demo does it");
    page.paragraph(
        ("The census as `croupier demo` plays it: %s people, %d publications, `%s`, through the job's own model; %d replications. A"
                + " quarter of the people who come between two publications still name the one before. 2 %% of the people are asked a"
                + " question instead of for a gradient; where the clip moves, half of the questions are about the size, half about the"
                + " accuracy. A moving clip uses the slope rule and the default initial clip of 1, with nothing chosen, where all"
                + " features are multiplied by 0.01, 1 or 100.")
            .formatted(
                String.format(Locale.ROOT, "%,d", people),
                PUBLICATIONS,
                MECHANISM.label,
                replications));
    page.paragraph(
        ("Ratios of the mean excess loss of the published average to that of the fixed clip of 2^%d to 2^%d that turns out best on the"
                + " same people, in brackets their standard errors:")
            .formatted(SMALLEST, LARGEST));
    List<List<String>> ratios = new ArrayList<>();
    for (int u = 0; u < UNITS.length; u++) {
      int way = fixed.length + u;
      ratios.add(row(label(way), results, own -> text(ratio(way, own))));
    }
    ratios.add(row("its last clip, over the factor", results, this::lastClip));
    ratios.add(row("people who send it a gradient", results, this::gradients));
    page.table(columns(), ratios);
    page.paragraph(conclusion(results));
    page.paragraph(
        "Mean excess losses (standard errors). A fixed clip does the same in all units if it is multiplied with the features, so it was"
            + " played in one of them.");
    List<List<String>> excesses = new ArrayList<>();
    for (int w = 0; w < fixed.length + UNITS.length; w++) {
      int way = w;
      excesses.add(row(label(way), results, own -> Estimate.of(excesses(way, own)).toString()));
    }
    page.table(columns(), excesses);
  }

  private static List<String> columns() {
    List<String> columns = new ArrayList<>(List.of("clip"));
    for (double epsilon : EPSILONS) {
      columns.add("eps = " + NumberLabels.short3(epsilon));
    }
    return columns;
  }

  private String label(int way) {
    return way < fixed.length
        ? "fixed at 2^%d".formatted(SMALLEST + way)
        : "moving, features times %s".formatted(NumberLabels.short3(UNITS[way - fixed.length]));
  }

  private List<String> row(
      String label,
      List<List<DemoOutcome>> results,
      Function<List<List<DemoOutcome>>, String> entry) {
    List<String> row = new ArrayList<>(List.of(label));
    for (int e = 0; e < EPSILONS.length; e++) {
      row.add(entry.apply(ofLevel(e, results)));
    }
    return row;
  }

  private Stream<DemoOutcome> moving(List<List<DemoOutcome>> own) {
    return own.stream().flatMap(run -> run.subList(fixed.length, run.size()).stream());
  }

  private String lastClip(List<List<DemoOutcome>> own) {
    Ratios clips = new Ratios();
    moving(own).forEach(outcome -> clips.add(outcome.clip));
    return NumberLabels.short3(clips.geometricMean());
  }

  private String gradients(List<List<DemoOutcome>> own) {
    double mean = moving(own).mapToLong(DemoOutcome::gradients).average().orElseThrow();
    return String.format(Locale.ROOT, "%,.0f", mean);
  }

  private List<List<DemoOutcome>> ofLevel(int level, List<List<DemoOutcome>> results) {
    return results.subList(level * replications, (level + 1) * replications);
  }

  private static double[] excesses(int way, List<List<DemoOutcome>> own) {
    return own.stream().mapToDouble(run -> run.get(way).excess()).toArray();
  }

  private int best(List<List<DemoOutcome>> own) {
    return IntStream.range(0, fixed.length)
        .boxed()
        .min(Comparator.comparingDouble(way -> Estimate.of(excesses(way, own)).mean()))
        .orElseThrow();
  }

  /** The ratio of means to the best fixed clip, with the error of its linearisation. */
  private Estimate ratio(int way, List<List<DemoOutcome>> own) {
    double[] excess = excesses(way, own);
    double[] reference = excesses(best(own), own);
    double mean = Estimate.of(reference).mean();
    double ratio = Estimate.of(excess).mean() / mean;
    double[] residuals =
        IntStream.range(0, excess.length)
            .mapToDouble(i -> (excess[i] - ratio * reference[i]) / mean)
            .toArray();
    return new Estimate(ratio, Estimate.of(residuals).error());
  }

  private static String text(Estimate ratio) {
    return "%s (%s)"
        .formatted(NumberLabels.fixed(ratio.mean(), 2), NumberLabels.fixed(ratio.error(), 2));
  }

  private String conclusion(List<List<DemoOutcome>> results) {
    List<String> above = new ArrayList<>();
    for (int e = 0; e < EPSILONS.length; e++) {
      for (int u = 0; u < UNITS.length; u++) {
        double ratio = ratio(fixed.length + u, ofLevel(e, results)).mean();
        if (ratio > GOAL) {
          above.add(
              "%s (epsilon %s, features times %s)"
                  .formatted(
                      NumberLabels.fixed(ratio, 2),
                      NumberLabels.short3(EPSILONS[e]),
                      NumberLabels.short3(UNITS[u])));
        }
      }
    }
    return above.isEmpty()
        ? "No ratio of a moving clip is above %s.".formatted(GOAL)
        : "Ratios of a moving clip above %s: %s.".formatted(GOAL, String.join(", ", above));
  }
}
