package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.operators.report.ReportWeight;
import io.croupier.studies.ClipTrial.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A clip that finds itself, against the best fixed clip in hindsight. */
final class ClipStudy implements Study {
  static final String RIGHT = "moving, initial right";
  static final String TOO_LARGE = "moving, initial 100 times too large";
  static final String TOO_SMALL = "moving, initial 100 times too small";
  static final String SLOPE_RULE = "moving, initial right, slope rule";
  static final String ONE = "fixed at 1";
  static final String HUNDRED = "fixed at 100";
  static final List<String> MOVING = List.of(RIGHT, TOO_LARGE, TOO_SMALL);

  static final double[] EPSILONS = {1, 2, 4, 8};
  static final List<StudiedMechanism> MECHANISMS =
      List.of(StudiedMechanism.L2_LAPLACE, StudiedMechanism.PRIV_UNIT);

  private static final int PEOPLE = 10_000;
  private static final int MEN = 28_155;

  /** The fixed clips are the unit of the gradients times 2^-9 to 2^3. */
  private static final int SMALLEST = -9;

  private static final int LARGEST = 3;

  private final int people;
  private final int men;
  private final int replications;
  private final int replicationsOnCensus;
  private final int searches;
  private final List<ClipProblem> suite;
  private final DataSet census = Census.load();
  private final double leastOfCensus;
  private final double zeroOfCensus;
  private final DemoCensus demo;

  /**
   * The study.
   *
   * @param seed of what is random in the problems
   */
  ClipStudy(StudyScale scale, long seed) {
    people = scale.people(PEOPLE);
    men = scale.people(MEN);
    replications = scale.replications(4);
    replicationsOnCensus = scale.replications(8);
    searches = scale.replications(100);
    suite = ClipProblem.suite(new Random(seed), scale.designPoints());
    leastOfCensus = census.problem().score(census.problem().optimum()).loss();
    double[] start = new double[census.problem().dimension()];
    zeroOfCensus = census.problem().score(start).loss() - leastOfCensus;
    demo = new DemoCensus(census, leastOfCensus, men, scale.replications(16));
  }

  @Override
  public String name() {
    return "clip";
  }

  @Override
  public long work() {
    long ofSuite = suite.stream().mapToLong(problem -> ways(problem).size()).sum();
    long ofCensus = (long) EPSILONS.length * MECHANISMS.size() * waysOnCensus().size();
    return ofSuite * people * replications + ofCensus * men * replicationsOnCensus + demo.work();
  }

  private static List<ClipWay> grid(double unit) {
    return IntStream.rangeClosed(SMALLEST, LARGEST)
        .mapToObj(k -> ClipWay.fixed("fixed at 2^%d units".formatted(k), Math.scalb(unit, k)))
        .toList();
  }

  private static List<ClipWay> ways(ClipProblem problem) {
    List<ClipWay> ways = new ArrayList<>(grid(problem.unit()));
    ways.addAll(moving(problem.unit()));
    ways.add(ClipWay.fixed(ONE, 1));
    ways.add(ClipWay.fixed(HUNDRED, 100));
    if (problem.loss() == Loss.LOGISTIC) {
      ways.add(ClipWay.withSlopeRule(SLOPE_RULE, problem.unit()));
    }
    return ways;
  }

  private static List<ClipWay> waysOnCensus() {
    List<ClipWay> ways = new ArrayList<>(grid(1));
    ways.addAll(moving(1));
    ways.add(ClipWay.withSlopeRule(SLOPE_RULE, 1));
    return ways;
  }

  private static List<ClipWay> moving(double unit) {
    return List.of(
        ClipWay.moving(RIGHT, unit),
        ClipWay.moving(TOO_LARGE, 100 * unit),
        ClipWay.moving(TOO_SMALL, unit / 100));
  }

  /** How the reports and answers of a trial are made. */
  private record Privacy(
      StudiedMechanism mechanism, double epsilon, boolean byFeatures, long noise) {}

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Callable<List<Outcome>>> trials = new ArrayList<>();
    for (int p = 0; p < suite.size(); p++) {
      ClipProblem problem = suite.get(p);
      for (int r = 0; r < replications; r++) {
        long order = SeededRandom.seed(seed, 2 * p, r);
        long noise = SeededRandom.seed(seed, 2 * p + 1, r);
        Privacy privacy =
            new Privacy(problem.mechanism(), problem.epsilon(), problem.isByFeatures(), noise);
        trials.add(
            () -> play(() -> people(problem, order), people, ways(problem), privacy, runner));
      }
    }
    for (int m = 0; m < MECHANISMS.size(); m++) {
      for (int e = 0; e < EPSILONS.length; e++) {
        int cell = 2 * suite.size() + 1 + m * EPSILONS.length + e;
        for (int r = 0; r < replicationsOnCensus; r++) {
          // The same men for every mechanism and level.
          long order = SeededRandom.seed(seed, 2 * suite.size(), r);
          long noise = SeededRandom.seed(seed, cell, r);
          Privacy privacy = new Privacy(MECHANISMS.get(m), EPSILONS[e], true, noise);
          trials.add(() -> play(() -> men(order), men, waysOnCensus(), privacy, runner));
        }
      }
    }
    report(runner.all(trials), page);
    demo.report(runner, SeededRandom.seed(seed, 0, -3), page);
    new ClipSearch(searches).report(SeededRandom.seed(seed, 0, -1), page);
    new Scouting(searches).report(SeededRandom.seed(seed, 0, -2), page);
  }

  private static LinearParticipants people(ClipProblem problem, long order) {
    return Participants.drawn(problem.population(), 0, new SeededRandom(order));
  }

  private LinearParticipants men(long order) {
    return new CensusParticipants(census.problem(), leastOfCensus, men, new SeededRandom(order));
  }

  private static List<Outcome> play(
      Supplier<LinearParticipants> participants,
      int people,
      List<ClipWay> ways,
      Privacy privacy,
      Runner runner) {
    LinearParticipants all = participants.get();
    int d = all.dimension();
    Release release = privacy.mechanism.release(d, 1, privacy.epsilon);
    double precision = ReportWeight.of(privacy.mechanism.weightExponent(d, privacy.epsilon));
    List<ClipRun> runs = new ArrayList<>();
    for (ClipWay way : ways) {
      SeededRandom random = new SeededRandom(SeededRandom.seed(privacy.noise, runs.size(), 0));
      runs.add(
          new ClipRun(d, way, privacy.byFeatures, release, precision, privacy.epsilon, random));
    }
    List<Outcome> outcomes = new ClipTrial(all, runs).play(people);
    runner.progress().accept((long) people * ways.size());
    return outcomes;
  }

  private void report(List<List<Outcome>> results, MarkdownPage page) throws IOException {
    int grid = LARGEST - SMALLEST + 1;
    List<ClipReport.OnProblem> ofSuite = new ArrayList<>();
    int next = 0;
    for (ClipProblem problem : suite) {
      List<List<Outcome>> own = results.subList(next, next += replications);
      ofSuite.add(
          new ClipReport.OnProblem(
              problem, new ClipOutcomes(ways(problem), grid, problem.unit(), problem.zero(), own)));
    }
    List<ClipOutcomes> ofCensus = new ArrayList<>();
    while (next < results.size()) {
      List<List<Outcome>> own = results.subList(next, next += replicationsOnCensus);
      ofCensus.add(new ClipOutcomes(waysOnCensus(), grid, 1, zeroOfCensus, own));
    }
    new ClipReport(page, people, men).write(ofSuite, ofCensus, census.description());
  }
}
