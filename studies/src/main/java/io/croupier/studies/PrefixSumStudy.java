package io.croupier.studies;

import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.central.TreeNoise.Estimator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** Errors of noisy prefix sums at equal privacy: by formula, and drawn. */
final class PrefixSumStudy implements Study {
  private static final int[] BUFFERS = {1, 2, 3, 4, 5};
  private static final int DRAWN_BUFFERS = 3;

  /** Number of rounds in the picture over rounds, whose curves differ in shape. */
  private static final int ROUNDS_OF_PICTURE = 1 << 10;

  private record Repeated(int steps, ParticipationLimits limits) {
    static Repeated of(int steps, int gap, int participations) {
      return new Repeated(steps, new ParticipationLimits(participations, gap - 1));
    }

    int gap() {
      return (int) limits.minSeparation() + 1;
    }
  }

  private static final List<Repeated> REPEATED =
      List.of(
          Repeated.of(256, 32, 8),
          Repeated.of(1024, 128, 8),
          Repeated.of(2048, 512, 4),
          Repeated.of(2000, 342, 6));

  private final List<Repeated> repeated;
  private final int largestLog;
  private final int drawnSteps;
  private final int coordinates;

  PrefixSumStudy(StudyScale scale) {
    boolean full = scale.divisor() == 1;
    repeated = full ? REPEATED : REPEATED.subList(0, 1);
    largestLog = full ? 20 : 12;
    drawnSteps = full ? 4095 : 15;
    coordinates = scale.people(2000);
  }

  @Override
  public String name() {
    return "prefix-sums";
  }

  private int[] logs() {
    return IntStream.rangeClosed(5, largestLog / 2).map(i -> 2 * i).toArray();
  }

  @Override
  public long work() {
    return IntStream.of(logs()).mapToLong(log -> (1L << log) * 10).sum()
        + (long) coordinates * drawnSteps * drawn().size();
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    page.title("Prefix sums at equal privacy");
    page.paragraph(
        "This study compares the noise of mechanisms at the same guarantee. Entries: deviation of the"
            + " noise in a coordinate of a noisy prefix sum, worst of all prefixes / root mean square"
            + " over them, in units of L sigma at mu = 1 / sigma. With clipping norm L and a guarantee"
            + " of mu-GDP (zero-out), multiply by L / mu.");
    page.list(
        "`independent`: a draw for each round, as in DP-SGD.",
        "`vanilla`, `Honaker`: one tree.",
        "`BLT-m`: buffered linear Toeplitz noise of m buffers, of the least worst error.",
        "`square root`: the best Toeplitz matrix, which would have to keep all past noise.",
        "`bound`: no mechanism has a lower root mean square error.");
    once(runner, page);
    repeated(runner, page);
    overTheRounds(page);
    drawn(runner, seed, page);
  }

  private static List<PrefixError> candidates(int steps, ParticipationLimits limits) {
    List<PrefixError> all = new ArrayList<>();
    all.add(SumNoise.independent("independent"));
    all.add(SumNoise.tree("vanilla", Estimator.VANILLA));
    all.add(SumNoise.tree("Honaker", Estimator.HONAKER));
    for (int buffers : BUFFERS) {
      all.add(SumNoise.blt(buffers, steps, limits));
    }
    all.add(new SquareRoot(steps));
    return all;
  }

  private record ErrorRow(List<PrefixError> of, List<PrefixError.Errors> errors) {
    static ErrorRow of(List<PrefixError> candidates, int steps, ParticipationLimits limits) {
      return new ErrorRow(
          candidates, candidates.stream().map(c -> c.errors(steps, limits)).toList());
    }
  }

  private void once(Runner runner, MarkdownPage page) throws IOException, InterruptedException {
    int[] logs = logs();
    List<Callable<ErrorRow>> tasks = new ArrayList<>();
    for (int log : logs) {
      int steps = 1 << log;
      tasks.add(
          () -> {
            ParticipationLimits limits = ParticipationLimits.ONCE;
            ErrorRow row = ErrorRow.of(candidates(steps, limits), steps, limits);
            runner.progress().accept(steps * 10L);
            return row;
          });
    }
    List<ErrorRow> rows = runner.all(tasks);
    page.heading("One participation");
    List<String> columns = new ArrayList<>(List.of("rounds"));
    rows.get(0).of.forEach(candidate -> columns.add(candidate.label()));
    columns.add("bound");
    List<List<String>> table = new ArrayList<>();
    for (int i = 0; i < logs.length; i++) {
      List<String> cells = new ArrayList<>(List.of("2^" + logs[i]));
      rows.get(i).errors.forEach(errors -> cells.add(errors.toString()));
      cells.add(NumberLabels.fixed(SquareRoot.bound(1 << logs[i]), 3));
      table.add(cells);
    }
    page.table(columns, table);
    double[] steps = IntStream.of(logs).mapToDouble(log -> 1 << log).toArray();
    Plot plot =
        new Plot("Worst error of a prefix, one participation", "rounds", "deviation / (L sigma)");
    int kind = 1;
    for (int c = 0; c < rows.get(0).of.size(); c++) {
      String label = rows.get(0).of.get(c).label();
      int candidate = c;
      if (!label.equals("independent") && !label.equals("BLT-5")) {
        double[] worst =
            rows.stream().mapToDouble(row -> row.errors.get(candidate).worst()).toArray();
        plot.curve(label, steps, worst, ChartStyle.colour(kind), kind % 4);
        kind++;
      }
    }
    page.picture("once", plot.linear());
  }

  private void repeated(Runner runner, MarkdownPage page) throws InterruptedException {
    List<Callable<ErrorRow>> tasks = new ArrayList<>();
    for (Repeated row : repeated) {
      tasks.add(
          () -> {
            List<PrefixError> all = new ArrayList<>(candidates(row.steps, row.limits));
            all.add(3, SumNoise.restarted("Honaker, restarts", row.gap()));
            return ErrorRow.of(all, row.steps, row.limits);
          });
    }
    List<ErrorRow> rows = runner.all(tasks);
    page.heading("Several participations");
    page.paragraph(
        "k participations at least b rounds apart. `restarts`: after every b rounds a new tree, with"
            + " the one before completed.");
    List<String> columns = new ArrayList<>(List.of("rounds, b, k", "zeta of one tree"));
    rows.get(0).of.forEach(candidate -> columns.add(candidate.label()));
    List<List<String>> table = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      Repeated row = repeated.get(i);
      List<PrefixError> of = rows.get(i).of;
      List<String> cells =
          new ArrayList<>(
              List.of(
                  "%d, %d, %d".formatted(row.steps, row.gap(), row.limits.maxParticipations()),
                  NumberLabels.fixed(of.get(1).zeta(row.steps, row.limits), 0)));
      rows.get(i).errors.forEach(errors -> cells.add(errors.toString()));
      table.add(cells);
    }
    page.table(columns, table);
  }

  private static void overTheRounds(MarkdownPage page) throws IOException {
    int steps = ROUNDS_OF_PICTURE;
    ParticipationLimits limits = ParticipationLimits.ONCE;
    double[] x = IntStream.rangeClosed(1, steps).asDoubleStream().toArray();
    Plot plot =
        new Plot(
            "Error of each prefix, %d rounds, one participation".formatted(steps),
            "round",
            "deviation / (L sigma)");
    List<PrefixError> shown =
        List.of(
            SumNoise.independent("independent"),
            SumNoise.tree("vanilla", Estimator.VANILLA),
            SumNoise.tree("Honaker", Estimator.HONAKER),
            SumNoise.blt(DRAWN_BUFFERS, steps, limits));
    for (int i = 0; i < shown.size(); i++) {
      PrefixError noise = shown.get(i);
      double zeta = noise.zeta(steps, limits);
      double[] y =
          IntStream.rangeClosed(1, steps)
              .mapToDouble(step -> Math.sqrt(zeta * noise.variance(step)))
              .toArray();
      plot.line(noise.label(), x, y, ChartStyle.colour(i));
    }
    page.picture("rounds", plot);
  }

  private List<SumNoise> drawn() {
    ParticipationLimits limits = ParticipationLimits.ONCE;
    return List.of(
        SumNoise.tree("vanilla", Estimator.VANILLA),
        SumNoise.tree("Honaker", Estimator.HONAKER),
        SumNoise.restarted("Honaker, a completed tree every 600 rounds", 600),
        SumNoise.blt(1, drawnSteps, limits),
        SumNoise.blt(DRAWN_BUFFERS, drawnSteps, limits),
        SumNoise.blt(BUFFERS.length, drawnSteps, limits));
  }

  private void drawn(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    List<SumNoise> mechanisms = drawn();
    List<Callable<List<String>>> tasks = new ArrayList<>();
    for (int m = 0; m < mechanisms.size(); m++) {
      SumNoise noise = mechanisms.get(m);
      SeededRandom random = new SeededRandom(SeededRandom.seed(seed, m, 0));
      tasks.add(
          () -> {
            List<String> row = measured(noise, random);
            runner.progress().accept((long) coordinates * drawnSteps);
            return row;
          });
    }
    page.heading("The same, drawn");
    page.paragraph(
        "%d rounds in %d coordinates by the mechanisms that the job runs."
            .formatted(drawnSteps, coordinates));
    page.list(
        "Worst: the deviation of the prefix that is worst by formula.",
        "Off: the distance of a prefix's variance from its formula, in standard errors, at the prefix"
            + " with the largest distance; %s is expected of the largest of as many independent ones."
                .formatted(NumberLabels.fixed(Math.sqrt(2 * Math.log(drawnSteps)), 1)));
    page.table(
        List.of(
            "mechanism",
            "worst, drawn",
            "by formula",
            "root mean square, drawn",
            "by formula",
            "off, at worst"),
        runner.all(tasks));
  }

  private List<String> measured(SumNoise noise, SeededRandom random) {
    SumNoise.Path path = noise.start(coordinates, random);
    double[] values = new double[coordinates];
    double sum = 0;
    double largest = 0;
    double ofLargest = 0;
    double off = 0;
    for (int step = 1; step <= drawnSteps; step++) {
      path.next(values);
      double variance = 0;
      for (double value : values) {
        variance += value * value / coordinates;
      }
      sum += variance;
      if (noise.variance(step) > largest) {
        largest = noise.variance(step);
        ofLargest = variance;
      }
      double error = Math.sqrt(2.0 / coordinates);
      off = Math.max(off, Math.abs(variance / noise.variance(step) - 1) / error);
    }
    ParticipationLimits limits = ParticipationLimits.ONCE;
    double zeta = noise.zeta(drawnSteps, limits);
    PrefixError.Errors formula = noise.errors(drawnSteps, limits);
    return List.of(
        noise.label(),
        NumberLabels.fixed(Math.sqrt(zeta * ofLargest), 3),
        NumberLabels.fixed(formula.worst(), 3),
        NumberLabels.fixed(Math.sqrt(zeta * sum / drawnSteps), 3),
        NumberLabels.fixed(formula.rms(), 3),
        NumberLabels.fixed(off, 1));
  }
}
