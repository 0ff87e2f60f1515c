package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;
import io.croupier.studies.RoundsTrial.ReportGrouping;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** The effect of report rates and checkpoint intervals on learning. */
final class RoundsStudy implements Study {
  static final long MOST_REPORTS = 3_000_000;

  /** Limit for the other groupings: single steps are expensive, and delay shows early. */
  private static final long MOST_OF_OTHERS = 300_000;

  private static final double NONE = Double.POSITIVE_INFINITY;
  static final double[] EPSILONS = {NONE, 8, 2};
  private static final String SGD = "LDP-ASGD";
  static final List<String> LEARNERS =
      List.of(
          CandidateLearners.ADAPTIVE_RADIUS,
          CandidateLearners.IMPROPER,
          CandidateLearners.BANCO,
          CandidateLearners.COORDINATE_WISE,
          SGD);

  private static final List<ReportGrouping> WAYS = List.of(ReportGrouping.values());

  /** The ways whose seeds follow those of all others, so that these keep theirs. */
  private static final Set<ReportGrouping> LAST_SEEDED = Set.of(ReportGrouping.HALF_LATE);

  /** The learning problems. */
  enum LearningTask {
    CENSUS("census", 8, 0.25, 10),
    ABSOLUTE("absolute", 5, 1, 1);

    private final String label;
    private final int dimension;
    private final double gradientBound;
    private final double stepSize;

    LearningTask(String label, int dimension, double gradientBound, double stepSize) {
      this.label = label;
      this.dimension = dimension;
      this.gradientBound = gradientBound;
      this.stepSize = stepSize;
    }

    String label() {
      return label;
    }
  }

  /**
   * A cell of the tables.
   *
   * @param reports from one publication to the next
   */
  record Case(
      LearningTask setting, double epsilon, String learner, ReportGrouping grouping, int reports) {}

  private final List<Integer> rates;
  private final List<Integer> publications;
  private final int replications;
  private final List<Case> cases = new ArrayList<>();
  private final DataSet census = Census.load();
  private final double leastOfCensus;
  private final Population absolute;
  private final Map<LearningTask, Double> zeros = new EnumMap<>(LearningTask.class);
  private final Map<Case, List<double[]>> measured = new HashMap<>();

  RoundsStudy(StudyScale scale) {
    rates = scale.checkpoints(10, 100, 1000, 10_000, 100_000);
    publications = scale.checkpoints(10, 30, 100, 1000);
    replications = scale.replications(3);
    leastOfCensus = census.problem().score(census.problem().optimum()).loss();
    int d = LearningTask.ABSOLUTE.dimension;
    absolute =
        new PredictionProblem(
            new Design(Features.SPHERE, d, 0), Loss.ABSOLUTE, PredictionProblem.dense(d, 1));
    for (LearningTask setting : LearningTask.values()) {
      zeros.put(
          setting,
          participants(setting, new SeededRandom(0))
              .quality(new double[setting.dimension])
              .excess());
    }
    addCases(WAYS.stream().filter(way -> !LAST_SEEDED.contains(way)).toList());
    addCases(WAYS.stream().filter(LAST_SEEDED::contains).toList());
  }

  private void addCases(List<ReportGrouping> ways) {
    for (LearningTask setting : LearningTask.values()) {
      for (double epsilon : EPSILONS) {
        for (String learner : LEARNERS) {
          for (ReportGrouping grouping : ways) {
            for (int n : rates) {
              Case c = new Case(setting, epsilon, learner, grouping, n);
              if (!publications(c).isEmpty()) {
                cases.add(c);
              }
            }
          }
        }
      }
    }
  }

  @Override
  public String name() {
    return "rounds";
  }

  private static boolean isPlayed(Case c, int publications) {
    long most =
        switch (c.grouping) {
          case RULE, GROWING -> MOST_REPORTS;
          case SINGLE, LATE, HALF_LATE -> MOST_OF_OTHERS;
        };
    return (long) c.reports * publications <= most;
  }

  /** The checkpoints of a case. */
  List<Integer> publications(Case c) {
    return publications.stream().filter(p -> isPlayed(c, p)).toList();
  }

  @Override
  public long work() {
    return cases.stream()
            .mapToLong(c -> (long) c.reports * publications(c).get(publications(c).size() - 1))
            .sum()
        * replications;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Callable<double[]>> tasks = new ArrayList<>();
    for (int c = 0; c < cases.size(); c++) {
      Case played = cases.get(c);
      for (int r = 0; r < replications; r++) {
        SeededRandom random = new SeededRandom(SeededRandom.seed(seed, c, r));
        tasks.add(() -> play(played, random, runner));
      }
    }
    List<double[]> all = runner.all(tasks);
    for (int c = 0; c < cases.size(); c++) {
      measured.put(cases.get(c), all.subList(c * replications, (c + 1) * replications));
    }
    report(page);
  }

  /** Excess losses by checkpoint. */
  private double[] play(Case c, SeededRandom random, Runner runner) {
    List<Integer> checkpoints = publications(c);
    RoundsTrial trial =
        new RoundsTrial(
            participants(c.setting, random),
            spec(c.setting, c.epsilon, c.learner),
            c.epsilon,
            c.grouping,
            random);
    double[] excesses = new double[checkpoints.size()];
    int played = 0;
    for (int i = 0; i < excesses.length; i++) {
      for (; played < checkpoints.get(i); played++) {
        trial.interval(c.reports);
        runner.progress().accept(c.reports);
      }
      excesses[i] = trial.excess();
    }
    return excesses;
  }

  /** The people of a setting, in a fixed order or drawn. */
  Participants participants(LearningTask setting, SeededRandom random) {
    return switch (setting) {
      case CENSUS ->
          new CensusParticipants(census.problem(), leastOfCensus, census.problem().size(), random);
      case ABSOLUTE -> Participants.drawn(absolute, 0, random);
    };
  }

  List<Case> cases() {
    return cases;
  }

  /** The numbers of reports between two publications. */
  List<Integer> rates() {
    return rates;
  }

  /** The numbers of publications. */
  List<Integer> publications() {
    return publications;
  }

  /** Excess loss of the initial weights. */
  double zero(LearningTask setting) {
    return zeros.get(setting);
  }

  /** A spec with defaults, except for the step size and BANCO's noise. */
  static ModelSpec spec(LearningTask setting, double epsilon, String learner) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("study")
            .setDimension(setting.dimension)
            .setGradientBound(setting.gradientBound);
    switch (learner) {
      case CandidateLearners.ADAPTIVE_RADIUS ->
          spec.setAdaptiveRadius(AdaptiveRadius.getDefaultInstance());
      case CandidateLearners.IMPROPER -> spec.setBlackBox(BlackBox.getDefaultInstance());
      case CandidateLearners.BANCO ->
          spec.setBanco(Banco.newBuilder().setStrongestNoise(noise(epsilon)));
      case CandidateLearners.COORDINATE_WISE ->
          spec.setCoordinateWise(CoordinateWise.getDefaultInstance());
      case SGD -> spec.setLdpSgd(LdpSgd.newBuilder().setStepSize(setting.stepSize).setDecay(0.5));
      default -> throw new IllegalArgumentException(learner);
    }
    return spec.build();
  }

  private static StrongestNoise.Builder noise(double epsilon) {
    return epsilon == NONE
        ? StrongestNoise.newBuilder()
            .setSubExponential(SubExponential.newBuilder().setVariance(0).setBetaMax(NONE))
        : StrongestNoise.newBuilder().setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon));
  }

  /** Excess loss after a number of publications at which the case has a checkpoint. */
  Estimate excess(Case c, int publicationCount) {
    int checkpoint = publications(c).indexOf(publicationCount);
    return Estimate.of(measured.get(c).stream().mapToDouble(e -> e[checkpoint]).toArray());
  }

  private void report(MarkdownPage page) throws IOException {
    page.title("Reports between two publications");
    page.paragraph(
        ("This study measures how the number of reports between two publications, and the number of"
                + " publications, change what a model learns. P publications of N reports each, N P at"
                + " most %s million, and %s million for the last three ways below; %d replications. The"
                + " reports between two publications were evaluated at the weights of the newest one, except"
                + " in the last two ways. They reach the model as sums of max(1, n / 30 - 1) reports, where n is the"
                + " number of reports before them. All learners have their defaults; %s steps by"
                + " %s / sqrt(t) on census and %s / sqrt(t) on absolute. Entries: mean excess loss of the"
                + " published average (standard error).")
            .formatted(
                NumberLabels.short3(MOST_REPORTS / 1e6),
                NumberLabels.short3(MOST_OF_OTHERS / 1e6),
                replications,
                SGD,
                NumberLabels.short3(LearningTask.CENSUS.stepSize),
                NumberLabels.short3(LearningTask.ABSOLUTE.stepSize)));
    page.list(
        ("`census`: %s d = %d, clipped at G = %s, doing nothing costs %s; people report in a random"
                + " order, and again in that order after the last one.")
            .formatted(
                census.description(),
                LearningTask.CENSUS.dimension,
                NumberLabels.short3(LearningTask.CENSUS.gradientBound),
                NumberLabels.short3(zero(LearningTask.CENSUS))),
        ("`absolute`: absolute loss, d = %d, features on the sphere, ||w*|| = 1, G = %s, doing nothing"
                + " costs %s.")
            .formatted(
                LearningTask.ABSOLUTE.dimension,
                NumberLabels.short3(LearningTask.ABSOLUTE.gradientBound),
                NumberLabels.short3(zero(LearningTask.ABSOLUTE))),
        ("Noise: l2_laplace of each report. Sums of %d reports or more have Gaussian noise of the same"
                + " covariance, except for the adaptive radius, which trims each report.")
            .formatted(RoundsTrial.GAUSSIAN_FROM));
    page.paragraph("Ways to group reports into rounds:");
    page.list(
        "*%s*: what the job does.".formatted(ReportGrouping.RULE.label),
        "*%s*: a round closes at max(1, n / 30 - 1) reports, even where the rounds agree."
            .formatted(ReportGrouping.GROWING.label),
        "*%s*: each report is a round, however many name one publication."
            .formatted(ReportGrouping.SINGLE.label),
        ("*%s*: the job's model where all reports name the publication three before the newest one, and"
                + " the model publishes nevertheless. The job itself waits for as many reports to"
                + " the newest one, for at most `publication.hold`.")
            .formatted(ReportGrouping.LATE.label),
        ("*%s*: the same where half of the reports name the newest publication, at the same rate; then"
                + " the job doesn't wait.")
            .formatted(ReportGrouping.HALF_LATE.label));
    csv(page);
    for (LearningTask setting : LearningTask.values()) {
      for (double epsilon : EPSILONS) {
        String title = setting.label + ", " + noiseLabel(epsilon);
        page.heading(title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1));
        table(setting, epsilon, page);
        picture(setting, epsilon, title, page);
      }
    }
    RoundsFindings findings = new RoundsFindings(this);
    findings.sameReports(page);
    findings.exceptions(page);
  }

  static String noiseLabel(double epsilon) {
    return epsilon == NONE ? "no noise" : "epsilon " + NumberLabels.short3(epsilon);
  }

  private void csv(MarkdownPage page) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    for (Case c : cases) {
      for (int p : publications(c)) {
        Estimate excess = excess(c, p);
        rows.add(
            List.of(
                c.setting.label,
                c.epsilon == NONE ? "" : NumberLabels.short3(c.epsilon),
                c.learner.replace(",", ""),
                c.grouping.label.replace(",", ""),
                Integer.toString(c.reports),
                Integer.toString(p),
                String.format(Locale.ROOT, "%.4g", excess.mean()),
                String.format(Locale.ROOT, "%.2g", excess.error()),
                String.format(Locale.ROOT, "%.4g", zero(c.setting))));
      }
    }
    page.csv(
        "All results",
        List.of(
            "problem",
            "epsilon",
            "learner",
            "rounds",
            "reports_a_publication",
            "publications",
            "excess_loss",
            "standard_error",
            "of_doing_nothing"),
        rows);
  }

  /** The number of publications at which all rates can be compared. */
  private int common() {
    return publications.get(Math.min(1, publications.size() - 1));
  }

  private void table(LearningTask setting, double epsilon, MarkdownPage page) {
    List<String> columns = new ArrayList<>(List.of("learner", "N"));
    publications.forEach(p -> columns.add(ReportGrouping.RULE.label + ", P = " + p));
    List<ReportGrouping> others = WAYS.stream().filter(way -> way != ReportGrouping.RULE).toList();
    for (ReportGrouping grouping : others) {
      columns.add(grouping.label + ", P = " + common());
    }
    List<List<String>> rows = new ArrayList<>();
    for (String learner : LEARNERS) {
      for (int n : rates) {
        List<String> row = new ArrayList<>(List.of(learner, Integer.toString(n)));
        Case rule = new Case(setting, epsilon, learner, ReportGrouping.RULE, n);
        publications.forEach(p -> row.add(entry(rule, p)));
        for (ReportGrouping grouping : others) {
          row.add(entry(new Case(setting, epsilon, learner, grouping, n), common()));
        }
        rows.add(row);
      }
    }
    page.table(columns, rows);
  }

  private String entry(Case c, int publicationCount) {
    return isPlayed(c, publicationCount) ? excess(c, publicationCount).toString() : "";
  }

  /**
   * A panel for each learner, of all ways, and one of all learners, at one number of publications.
   */
  private void picture(LearningTask setting, double epsilon, String title, MarkdownPage page)
      throws IOException {
    double zero = zero(setting);
    double[] x = rates.stream().mapToDouble(n -> n).toArray();
    double[] ends = {x[0], x[x.length - 1]};
    List<Plot> plots = new ArrayList<>();
    Plot all = panel("all, " + ReportGrouping.RULE.label, zero);
    for (String learner : LEARNERS) {
      Plot plot = panel(learner, zero);
      for (int k = 0; k < WAYS.size(); k++) {
        ReportGrouping grouping = WAYS.get(k);
        double[] y =
            rates.stream()
                .map(n -> new Case(setting, epsilon, learner, grouping, n))
                .filter(c -> isPlayed(c, common()))
                .mapToDouble(c -> Math.min(100 * zero, excess(c, common()).mean()))
                .toArray();
        double[] played = Arrays.copyOf(x, y.length);
        plot.curve(grouping.label, played, y, ChartStyle.colour(k), k);
        if (grouping == ReportGrouping.RULE) {
          all.learner(learner, x, y);
        }
      }
      plots.add(plot.zero(ends, new double[] {zero, zero}));
    }
    plots.add(all.zero(ends, new double[] {zero, zero}));
    page.picture(
        title.replace(", ", "-").replace(" ", "-"),
        new Panels(title + ", " + common() + " publications", 3, plots));
  }

  private static Plot panel(String title, double zero) {
    return Plot.panel(title, "reports a publication", "excess loss", zero / 1e4, 10 * zero);
  }
}
