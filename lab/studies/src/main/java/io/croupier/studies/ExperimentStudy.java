package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/**
 * How often intervals that are looked at after every publication ever exclude the truth; and how
 * many people it takes until those of two arms don't overlap.
 */
final class ExperimentStudy implements Study {
  private static final List<String> INTERVALS = List.of("estimate", "recent", "always");
  private static final int PUBLICATIONS = LookCase.CHECKPOINTS.get(LookCase.CHECKPOINTS.size() - 1);

  /** Of runs that have no other end, so that each decides. */
  private static final int MOST_PUBLICATIONS = 20_000;

  private static final List<LookCase> CASES =
      List.of(
          new LookCase(0, 0.7, List.of(2.0)),
          new LookCase(0, 0.03, List.of(2.0)),
          new LookCase(0, 0.3, List.of(0.5, 1.0, 2.0, 4.0)),
          new LookCase(0, 0.03, List.of(16.0)),
          new LookCase(4, 0.15, List.of(2.0)),
          new LookCase(8, 0.01, List.of(0.5, 1.0, 2.0, 4.0)),
          new LookCase(32, 0.001, List.of(4.0)),
          new LookCase(64, 0.001, List.of(16.0)));

  private static final double[] EFFECTS = {0.33, 0.35, 0.4};
  private static final double CONTROL = 0.3;
  private static final double EPSILON = 2;

  private final int runsOfLooks;
  private final int runsOfArms;

  ExperimentStudy(StudyScale scale) {
    runsOfLooks = scale.replications(1000);
    runsOfArms = scale.replications(400);
  }

  @Override
  public String name() {
    return "experiment";
  }

  @Override
  public long work() {
    return (long) runsOfLooks * CASES.size() + 2L * runsOfArms * (1 + EFFECTS.length);
  }

  @Override
  public void run(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    page.title("Intervals that are looked at after every publication");
    page.paragraph(
        "Simulated people who stay the same, %d of whom reply to each publication, and the estimators of the job: the estimate itself, half of whose weight is on the last 44 publications, `recent` with 10, and `always`, of an [experiment](../../../docs/build/experiment.md)."
            .formatted(LookCase.REPLIES));
    looks(runner, seed, page);
    arms(runner, seed - 1, page);
  }

  private void looks(Runner runner, long seed, MarkdownPage page)
      throws IOException, InterruptedException {
    List<Callable<boolean[][]>> trials = new ArrayList<>();
    for (int c = 0; c < CASES.size(); c++) {
      LookCase each = CASES.get(c);
      for (int r = 0; r < runsOfLooks; r++) {
        long trialSeed = SeededRandom.seed(seed, c, r);
        trials.add(
            () -> {
              boolean[][] missed = each.run(new SeededRandom(trialSeed));
              runner.progress().accept(1);
              return missed;
            });
      }
    }
    List<boolean[][]> results = runner.all(trials);
    page.heading("How often some interval excluded the fraction");
    page.paragraph(
        "Shares of %,d runs, in %%, after the number of publications; of a choice, the interval of one category."
            .formatted(runsOfLooks));
    List<String> columns = new ArrayList<>(List.of("replies", "interval"));
    LookCase.CHECKPOINTS.forEach(n -> columns.add(String.format(Locale.ROOT, "%,d", n)));
    List<List<String>> rows = new ArrayList<>();
    Plot plot = new Plot(CASES.get(0).label(), "publications", "share of runs").shares();
    double[] x = LookCase.CHECKPOINTS.stream().mapToDouble(Integer::doubleValue).toArray();
    for (int c = 0; c < CASES.size(); c++) {
      List<boolean[][]> own = results.subList(c * runsOfLooks, (c + 1) * runsOfLooks);
      for (int interval = 0; interval < INTERVALS.size(); interval++) {
        double[] shares = shares(own, interval);
        List<String> row = new ArrayList<>(List.of(CASES.get(c).label(), INTERVALS.get(interval)));
        Arrays.stream(shares).forEach(share -> row.add(NumberLabels.fixed(100 * share, 1)));
        rows.add(row);
        if (c == 0) {
          plot.curve(INTERVALS.get(interval), x, shares, ChartStyle.colour(interval), interval);
        }
      }
    }
    page.table(columns, rows);
    page.picture("looks", plot);
  }

  private static double[] shares(List<boolean[][]> missed, int interval) {
    return IntStream.range(0, LookCase.CHECKPOINTS.size())
        .mapToDouble(
            i -> (double) missed.stream().filter(m -> m[interval][i]).count() / missed.size())
        .toArray();
  }

  private void arms(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    page.heading("Two arms");
    page.paragraph(
        "Equally many people in both, each with one reply at epsilon %s. Decided: after the first publication at which the intervals `always` of the two don't overlap. Of arms without a difference: within %,d publications; else without an end. %d runs each."
            .formatted(NumberLabels.short3(EPSILON), PUBLICATIONS, runsOfArms));
    List<List<String>> rows = new ArrayList<>();
    for (boolean isChoice : new boolean[] {false, true}) {
      rows.add(row(runner, new ArmsCase(isChoice, CONTROL, CONTROL, EPSILON), seed, rows.size()));
      for (double effect : EFFECTS) {
        rows.add(row(runner, new ArmsCase(isChoice, CONTROL, effect, EPSILON), seed, rows.size()));
      }
    }
    page.table(
        List.of(
            "replies",
            "fractions of yes",
            "runs decided",
            "of them wrong",
            "replies of both arms until then: median",
            "90 % of runs at most"),
        rows);
  }

  private List<String> row(Runner runner, ArmsCase of, long seed, int cell)
      throws InterruptedException {
    boolean isSame = of.a() == of.b();
    List<Callable<ArmsCase.Ending>> trials = new ArrayList<>();
    for (int r = 0; r < runsOfArms; r++) {
      long trialSeed = SeededRandom.seed(seed, cell, r);
      trials.add(
          () -> {
            ArmsCase.Ending decision =
                of.run(isSame ? PUBLICATIONS : MOST_PUBLICATIONS, new SeededRandom(trialSeed));
            runner.progress().accept(1);
            return decision;
          });
    }
    List<ArmsCase.Ending> decisions = runner.all(trials);
    long decided = decisions.stream().filter(ArmsCase.Ending::isDecided).count();
    long right = decisions.stream().filter(ArmsCase.Ending::isRight).count();
    long[] replies = decisions.stream().mapToLong(ArmsCase.Ending::replies).sorted().toArray();
    return List.of(
        of.label(),
        NumberLabels.short3(of.a()) + " and " + NumberLabels.short3(of.b()),
        String.valueOf(decided),
        String.valueOf(decided - right),
        isSame ? "" : String.format(Locale.ROOT, "%,d", replies[runsOfArms / 2]),
        isSame ? "" : String.format(Locale.ROOT, "%,d", replies[9 * runsOfArms / 10]));
  }
}
