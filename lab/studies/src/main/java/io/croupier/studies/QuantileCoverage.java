package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * How often the 95 % interval of a quantile contains it, and how wide it is: with the job's rule,
 * and as the rule before it did for the same people, whose figures {@code quantiles-before.csv} has
 * in the order of {@link QuantileCase#ALL}.
 */
final class QuantileCoverage {
  private final int runs;

  QuantileCoverage(StudyScale scale) {
    runs = scale.replications(600);
  }

  /** The answers of all runs. */
  long work() {
    return runs
        * QuantileCase.ALL.stream().mapToLong(c -> (long) c.publications() * c.answers()).sum();
  }

  /** Writes the section. */
  void write(Runner runner, long seed, MarkdownPage page) throws InterruptedException {
    List<Callable<double[][]>> trials = new ArrayList<>();
    for (int c = 0; c < QuantileCase.ALL.size(); c++) {
      QuantileCase each = QuantileCase.ALL.get(c);
      for (int r = 0; r < runs; r++) {
        long trialSeed = SeededRandom.seed(seed, c, r);
        trials.add(
            () -> {
              double[][] result = each.run(new SeededRandom(trialSeed));
              runner.progress().accept((long) each.publications() * each.answers());
              return result;
            });
      }
    }
    List<double[][]> results = runner.all(trials);
    List<String[]> before = StatisticsStudy.rows("quantiles-before.csv");
    List<List<String>> rows = new ArrayList<>();
    for (int c = 0; c < QuantileCase.ALL.size(); c++) {
      QuantileCase each = QuantileCase.ALL.get(c);
      List<double[][]> own = results.subList(c * runs, (c + 1) * runs);
      for (int level = 0; level < each.levels().size(); level++) {
        String[] line = before.get(rows.size());
        rows.add(
            List.of(
                each.label(),
                String.format(Locale.ROOT, "%d x %,d", each.publications(), each.answers()),
                NumberLabels.short3(each.levels().get(level)),
                line[0],
                NumberLabels.fixed(100 * mean(own, level, 0), 1),
                line[1],
                NumberLabels.fixed(1000 * mean(own, level, 1), 0)));
      }
    }
    page.heading("How often the interval of a quantile contains it");
    page.paragraph(
        "%d runs each, with levels epsilon 0.5, 1, 2 and 4 in equal shares. People who move do so evenly over the last 100 publications; the truth is the newest one. Two groups are logistic about 0.2 and 0.8, of the scale 0.02; marks have 10, 20, 30, 25 and 15 %% of the people. Before: the interval of the line through the answers, with the thresholds for it. Contains: in %% of the runs, up to the step of thresholds, 2^-16. Width: mean, in thousandths of the range."
            .formatted(runs));
    page.table(
        List.of(
            "people",
            "publications x answers",
            "level",
            "contains, before",
            "contains",
            "width, before",
            "width"),
        rows);
  }

  private static double mean(List<double[][]> results, int level, int figure) {
    return results.stream().mapToDouble(r -> r[level][figure]).average().orElseThrow();
  }
}
