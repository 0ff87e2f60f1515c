package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Combined;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;
import io.croupier.studies.RoundsTrial.Arrival;
import io.croupier.studies.RoundsTrial.ReportNoise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The effect of report rates, checkpoint intervals and late reports on learning. */
final class RoundsStudy implements Study {
  /** Limit of N K where reports are timely, and elsewhere. */
  static final int MOST_REPORTS = 1_000_000;

  static final int MOST_OF_OTHERS = 300_000;

  /** The largest K where reports aren't timely. */
  static final int LAST_OF_OTHERS = 300;

  static final List<String> BETTORS =
      List.of(
          CandidateLearners.COMBINED,
          CandidateLearners.IMPROPER,
          CandidateLearners.BANCO,
          CandidateLearners.COORDINATE_WISE);

  /** Step sizes of minibatch SGD times the gradient bound, each over the root of the round. */
  static final List<Double> STEPS =
      IntStream.rangeClosed(-3, 4).mapToObj(i -> Math.pow(10, i / 2.0)).toList();

  static final List<ReportNoise> NOISES =
      List.of(
          ReportNoise.NONE,
          new ReportNoise(StudiedMechanism.PRIV_UNIT, 1),
          new ReportNoise(StudiedMechanism.PRIV_UNIT, 2),
          new ReportNoise(StudiedMechanism.PRIV_UNIT, 4),
          new ReportNoise(StudiedMechanism.PRIV_UNIT, 8),
          new ReportNoise(StudiedMechanism.L2_LAPLACE, 2),
          new ReportNoise(StudiedMechanism.L2_LAPLACE, 8));

  /** Where reports aren't timely. */
  private static final List<ReportNoise> NOISES_OF_OTHERS =
      List.of(NOISES.get(0), NOISES.get(2), NOISES.get(5));

  private static final int[] RATES = {10, 100, 1000, 10_000, 100_000};

  /** One run. */
  private record RunCase(LearningProblem problem, ReportNoise noise, Arrival arrival, int rate) {}

  /**
   * A cell of the tables.
   *
   * @param rate N, the number of reports of a round
   * @param publications K, the number of rounds
   */
  record RoundsCell(
      LearningProblem problem, ReportNoise noise, Arrival arrival, int rate, int publications) {
    String label() {
      return "%s, %s, %s, N = %d, K = %d"
          .formatted(problem.label(), noise.label(), arrival.label, rate, publications);
    }
  }

  /**
   * What a cell measures.
   *
   * @param bettors excess losses of the averages of {@link #BETTORS}
   * @param sgd that of the best step size in hindsight; null where reports aren't timely
   * @param regret sum over the publications of the first bettor's loss less that of doing nothing
   */
  record RoundsResult(List<Estimate> bettors, Estimate sgd, Estimate regret) {}

  /** Of one replication and number of publications. */
  private record RoundsOutcome(List<Double> excess, double regret) {}

  private final int most;
  private final int mostOfOthers;
  private final List<Integer> rates;
  private final List<Integer> publications;
  private final int replications;
  private final List<LearningProblem> problems;

  RoundsStudy(StudyScale scale) {
    boolean isFull = scale.divisor() == 1;
    most = isFull ? MOST_REPORTS : 1_000;
    mostOfOthers = isFull ? MOST_OF_OTHERS : 200;
    rates = IntStream.of(RATES).filter(n -> n <= scale.people(RATES[4])).boxed().toList();
    publications = isFull ? List.of(10, 30, 100, 300, 1000) : List.of(5, 10);
    replications = scale.replications(3);
    problems = problems(scale);
  }

  private static List<LearningProblem> problems(StudyScale scale) {
    int points = scale.designPoints();
    return List.of(
        LearningProblem.census("census", Census.load(), Census.load().problem().size()),
        LearningProblem.linear(
            "logistic d = 20",
            new Design(FeatureLaw.SPHERE, 20, points),
            Loss.LOGISTIC,
            2 * Math.sqrt(20)),
        LearningProblem.linear(
            "absolute d = 5", new Design(FeatureLaw.SPHERE, 5, points), Loss.ABSOLUTE, 1),
        LearningProblem.linear(
            "absolute d = 20",
            new Design(FeatureLaw.SPHERE, 20, points),
            Loss.ABSOLUTE,
            Math.sqrt(20)),
        LearningProblem.of("one-hot d = 100", new OneHot(100, 1)));
  }

  @Override
  public String name() {
    return "rounds";
  }

  @Override
  public long work() {
    return runs().stream().mapToLong(this::work).sum() * replications;
  }

  private long work(RunCase run) {
    List<Integer> ends = ends(run);
    return (long) run.rate * ends.get(ends.size() - 1) * learners(run.arrival).size();
  }

  /** Numbers of publications after which a run is measured. */
  private List<Integer> ends(RunCase run) {
    boolean isTimely = run.arrival == Arrival.TIMELY;
    int limit = isTimely ? most : mostOfOthers;
    return publications.stream()
        .filter(k -> isTimely || k <= LAST_OF_OTHERS)
        .filter(k -> (long) k * run.rate <= limit)
        .toList();
  }

  private List<RunCase> runs() {
    List<RunCase> runs = new ArrayList<>();
    for (LearningProblem problem : problems) {
      for (Arrival arrival : Arrival.values()) {
        for (ReportNoise noise : arrival == Arrival.TIMELY ? NOISES : NOISES_OF_OTHERS) {
          for (int rate : rates) {
            RunCase run = new RunCase(problem, noise, arrival, rate);
            if (!ends(run).isEmpty()) {
              runs.add(run);
            }
          }
        }
      }
    }
    // Seeds follow the order, and those of the other cells are to stay.
    runs.sort(Comparator.comparing(run -> run.arrival == Arrival.FEW_FIRST));
    return runs;
  }

  /** SGD takes part where reports are timely. */
  private static List<String> learners(Arrival arrival) {
    List<String> learners = new ArrayList<>(BETTORS);
    if (arrival == Arrival.TIMELY) {
      STEPS.forEach(step -> learners.add(CandidateLearners.sgdLabel(step)));
    }
    return learners;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<RunCase> runs = runs();
    List<Callable<List<RoundsOutcome>>> trials = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      RunCase run = runs.get(i);
      for (int r = 0; r < replications; r++) {
        SeededRandom random = new SeededRandom(SeededRandom.seed(seed, i, r));
        trials.add(() -> play(run, random, runner));
      }
    }
    List<List<RoundsOutcome>> all = runner.all(trials);
    Map<RoundsCell, RoundsResult> results = new LinkedHashMap<>();
    for (int i = 0; i < runs.size(); i++) {
      RunCase run = runs.get(i);
      List<List<RoundsOutcome>> own = all.subList(i * replications, (i + 1) * replications);
      List<Integer> ends = ends(run);
      for (int e = 0; e < ends.size(); e++) {
        int end = e;
        RoundsCell cell =
            new RoundsCell(run.problem, run.noise, run.arrival, run.rate, ends.get(e));
        results.put(cell, result(own.stream().map(outcomes -> outcomes.get(end)).toList()));
      }
    }
    new RoundsReport(page, replications, problems, results).write();
  }

  private static RoundsResult result(List<RoundsOutcome> outcomes) {
    int learners = outcomes.get(0).excess.size();
    List<Estimate> excess =
        IntStream.range(0, learners)
            .mapToObj(
                l -> Estimate.of(outcomes.stream().mapToDouble(o -> o.excess.get(l)).toArray()))
            .toList();
    int bettors = BETTORS.size();
    return new RoundsResult(
        excess.subList(0, bettors),
        excess.stream().skip(bettors).min(Comparator.comparingDouble(Estimate::mean)).orElse(null),
        Estimate.of(outcomes.stream().mapToDouble(RoundsOutcome::regret).toArray()));
  }

  /** Outcomes by number of publications. */
  private List<RoundsOutcome> play(RunCase run, SeededRandom random, Runner runner) {
    List<String> learners = learners(run.arrival);
    RoundsTrial trial =
        new RoundsTrial(
            run.problem.participants().apply(random),
            learners.stream()
                .map(learner -> spec(run.problem, run.noise, learner))
                .collect(Collectors.toList()),
            run.noise,
            run.arrival,
            random);
    List<RoundsOutcome> outcomes = new ArrayList<>();
    double regret = 0;
    int played = 0;
    int measured = 0;
    for (int end : ends(run)) {
      for (; played < end; played++) {
        if (played == measured) {
          int stride = Math.max(1, played / 20);
          measured = Math.min(end, played + stride);
          regret += (measured - played) * (trial.excessOfWeights(0) - run.problem.zero());
        }
        trial.round(run.rate);
      }
      List<Double> excess = IntStream.range(0, learners.size()).mapToObj(trial::excess).toList();
      outcomes.add(new RoundsOutcome(excess, regret));
    }
    runner.progress().accept(work(run));
    return outcomes;
  }

  /**
   * The spec of a learner, with defaults except for step sizes, priors, BANCO's noise and the
   * average.
   */
  static ModelSpec spec(LearningProblem problem, ReportNoise noise, String learner) {
    int d = problem.dimension();
    double bound = problem.gradientBound();
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("study")
            .setDimension(d)
            .setGradientBound(bound)
            .setMaxStaleness(Arrival.MOST_LATE)
            .setAveraging(CandidateLearners.AVERAGING);
    switch (learner) {
      case CandidateLearners.COMBINED -> spec.setCombined(Combined.getDefaultInstance());
      case CandidateLearners.IMPROPER -> spec.setBlackBox(BlackBox.getDefaultInstance());
      case CandidateLearners.BANCO ->
          spec.setBanco(Banco.newBuilder().setStrongestNoise(strongest(noise, d, bound)));
      case CandidateLearners.COORDINATE_WISE ->
          spec.setCoordinateWise(
              CoordinateWise.newBuilder().setPrior(CandidateLearners.IMPROPER_PRIOR));
      default -> {
        double step =
            STEPS.stream()
                .filter(s -> CandidateLearners.sgdLabel(s).equals(learner))
                .findFirst()
                .orElseThrow();
        spec.setLdpSgd(LdpSgd.newBuilder().setStepSize(step / bound).setDecay(0.5));
      }
    }
    List<String> violations = ModelSpecs.violations(spec.build());
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(learner + ": " + String.join("; ", violations));
    }
    return spec.build();
  }

  private static StrongestNoise strongest(ReportNoise noise, int dimension, double bound) {
    return noise.isNone()
        ? StrongestNoise.newBuilder()
            .setSubExponential(
                SubExponential.newBuilder().setVariance(0).setBetaMax(Double.POSITIVE_INFINITY))
            .build()
        : noise.mechanism().declared(dimension, bound, noise.epsilon());
  }
}
