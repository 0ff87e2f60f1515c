package io.croupier.studies;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.bench.MarkdownPage;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.operators.central.TreeNoise;
import io.croupier.operators.central.TreeNoise.Estimator;
import io.croupier.operators.central.ftrl.Ftrl;
import io.croupier.operators.central.ftrl.FtrlParameters;
import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.schemas.Declarations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What one report from each person teaches, where readers of the model learn the same epsilon. */
final class AnonymityStudy implements Study {
  private static final double[] CENTRAL = {0.25, 0.5, 1, 2};
  private static final double DELTA = 1e-6;
  private static final int ROUNDS = 32;
  private static final double RATE = 100;
  private static final StudiedMechanism MECHANISM = StudiedMechanism.PRIV_UNIT;
  private static final List<String> WAYS =
      List.of(
          "reports with identity: the local epsilon is the central one",
          "anonymous reports of one window",
          "DP-FTRL, a trusted operator");

  private final DataSet census = Census.load();
  private final double least = census.problem().score(census.problem().optimum()).loss();
  private final int people;
  private final int replications;

  AnonymityStudy(StudyScale scale) {
    people = scale.people(census.problem().size());
    replications = scale.replications(12);
  }

  @Override
  public String name() {
    return "anonymity";
  }

  @Override
  public long work() {
    return (long) people * WAYS.size() * CENTRAL.length * replications;
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    double[] local = Arrays.stream(CENTRAL).map(this::local).toArray();
    List<Callable<Double>> trials = new ArrayList<>();
    for (int way = 0; way < WAYS.size(); way++) {
      for (int e = 0; e < CENTRAL.length; e++) {
        for (int r = 0; r < replications; r++) {
          double epsilon = way == 1 ? local[e] : CENTRAL[e];
          boolean isTrusted = way == 2;
          SeededRandom order = new SeededRandom(SeededRandom.seed(seed, 0, r));
          long noise = SeededRandom.seed(seed, 1 + way * CENTRAL.length + e, r);
          trials.add(
              () -> {
                double excess =
                    isTrusted
                        ? trusted(epsilon, order)
                        : new DemoCensus(census, least, people, 1).excess(epsilon, order, noise);
                runner.progress().accept(people);
                return excess;
              });
        }
      }
    }
    report(local, runner.all(trials), page);
  }

  /** The largest local epsilon, up to 1e-4, of which a window has that central epsilon. */
  private double local(double central) {
    double least = central;
    double most = 16;
    while (most - least > 1e-4) {
      double middle = (least + most) / 2;
      AnonymousWindow window = AnonymousWindow.of(loss(middle), people, 1);
      boolean isWithin = window.delta(central) <= DELTA;
      least = isWithin ? middle : least;
      most = isWithin ? most : middle;
    }
    return least;
  }

  private PureLoss loss(double epsilon) {
    int d = census.problem().dimension();
    return Declarations.of(Declarations.declared(MECHANISM.declared(d, 1, epsilon)), d)
        .cost()
        .loss();
  }

  /** As the demo plays it: rounds of equal size, a tree, and a learning rate chosen in advance. */
  private double trusted(double epsilon, SeededRandom random) {
    TreeNoise tree = TreeNoise.of(Estimator.HONAKER);
    double zeta = tree.zeta(ROUNDS, new ParticipationLimits(1, ROUNDS - 1));
    int perRound = Math.max(1, people / ROUNDS);
    // Replace-one doubles mu.
    double multiplier = 2 * GaussianDp.noiseMultiplier(epsilon, StrictMath.log(DELTA), zeta);
    double sigma = multiplier * census.clip() / perRound;
    FtrlParameters parameters = new FtrlParameters(RATE, 0, Double.POSITIVE_INFINITY, 0);
    InitialWeights zero = InitialWeights.zero(census.problem().dimension());
    Ftrl learner = new Ftrl(parameters, new Averaging(3), zero);
    Participants participants =
        new CensusParticipants(census.problem(), least, perRound * ROUNDS, random);
    return new CentralTrial<>(learner, tree, census.clip(), sigma)
        .run(participants, ROUNDS, perRound, random);
  }

  private void report(double[] local, List<Double> excess, MarkdownPage page) throws IOException {
    page.title("The same central epsilon in three ways");
    page.paragraph(
        ("The census, one report from each of %s people, `%s`, the black box that finds its clip, 300"
                + " publications, as `croupier demo` plays it; %d replications. Each column has what a"
                + " reader of all models may learn about one person: a central epsilon at delta 1e-6,"
                + " under replace-one. Anonymous reports hide among those of the window"
                + " ([anonymity.md](../anonymity.md)), so they need less noise. They are simulated, in"
                + " random order. DP-FTRL has %d rounds, a tree, clip %s and the learning rate %s.")
            .formatted(
                String.format(Locale.ROOT, "%,d", people),
                MECHANISM.label,
                replications,
                ROUNDS,
                NumberLabels.short3(census.clip()),
                NumberLabels.short3(RATE)));
    page.paragraph(
        "Entries: mean loss of the published average (standard error). Without a model %s, without privacy %s."
            .formatted(
                NumberLabels.fixed(census.problem().score(zero()).loss(), 3),
                NumberLabels.fixed(least, 3)));
    List<List<String>> rows = new ArrayList<>();
    Plot plot = new Plot("census, one report from each person", "central epsilon", "excess loss");
    for (int way = 0; way < WAYS.size(); way++) {
      Estimate[] estimates = new Estimate[CENTRAL.length];
      for (int e = 0; e < CENTRAL.length; e++) {
        int first = (way * CENTRAL.length + e) * replications;
        estimates[e] =
            Estimate.of(
                excess.subList(first, first + replications).stream()
                    .mapToDouble(Double::doubleValue)
                    .toArray());
      }
      rows.add(row(WAYS.get(way), e -> loss(estimates[e])));
      double[] means = Arrays.stream(estimates).mapToDouble(Estimate::mean).toArray();
      plot.curve(WAYS.get(way), CENTRAL, means, ChartStyle.colour(way), way);
    }
    rows.add(row("local epsilon of an anonymous report", e -> NumberLabels.fixed(local[e], 2)));
    page.table(row("central epsilon", e -> NumberLabels.short3(CENTRAL[e])), rows);
    page.picture("census", plot);
  }

  private double[] zero() {
    return new double[census.problem().dimension()];
  }

  private String loss(Estimate excess) {
    return "%s (%s)"
        .formatted(
            NumberLabels.fixed(least + excess.mean(), 3), NumberLabels.fixed(excess.error(), 3));
  }

  private static List<String> row(String label, IntFunction<String> entry) {
    List<String> row = new ArrayList<>(List.of(label));
    IntStream.range(0, CENTRAL.length).forEach(e -> row.add(entry.apply(e)));
    return row;
  }
}
