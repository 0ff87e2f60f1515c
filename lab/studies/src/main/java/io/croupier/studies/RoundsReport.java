package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.studies.RoundsStudy.RoundsCell;
import io.croupier.studies.RoundsStudy.RoundsResult;
import io.croupier.studies.RoundsTrial.Arrival;
import io.croupier.studies.RoundsTrial.ReportNoise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The page of the {@link RoundsStudy}. */
record RoundsReport(
    MarkdownPage page,
    int replications,
    List<LearningProblem> problems,
    Map<RoundsCell, RoundsResult> results) {

  private static final List<String> BETTORS = RoundsStudy.BETTORS;

  /** More reports count as harmful beyond this ratio and two standard errors. */
  private static final double WORSE = 1.3;

  private static final int WORST = 10;
  private static final int FIRST = 0;

  /** Writes the page. */
  void write() throws IOException {
    introduction();
    csv();
    summary();
    for (LearningProblem problem : problems) {
      problem(problem);
    }
    late();
    risen();
    promise();
  }

  private void introduction() {
    page.title("Reports between two publications");
    page.paragraph(
        ("This study measures how the number N of reports between two publications, the number K of"
                + " publications, and late reports change what a model learns. All reports between two"
                + " publications are one round. N K is at most %,d where reports are timely, elsewhere"
                + " %,d, with K at most %d and fewer kinds of noise; %d replications. Bettors and SGD average with weights k^3; all else has its"
                + " default, but for the coordinate-wise learner's prior, which is improper.")
            .formatted(
                RoundsStudy.MOST_REPORTS,
                RoundsStudy.MOST_OF_OTHERS,
                RoundsStudy.LAST_OF_OTHERS,
                replications));
    List<String> described = new ArrayList<>();
    for (LearningProblem problem : problems) {
      described.add(
          "`%s`: G = %s, doing nothing costs %s."
              .formatted(
                  problem.label(),
                  NumberLabels.short3(problem.gradientBound()),
                  NumberLabels.short3(problem.zero())));
    }
    described.add(
        "*%s* is minibatch SGD with steps eta / (G sqrt k), eta the best of %d between %s and %s in"
                .formatted(
                    CandidateLearners.TUNED,
                    RoundsStudy.STEPS.size(),
                    NumberLabels.short3(RoundsStudy.STEPS.get(0)),
                    NumberLabels.short3(RoundsStudy.STEPS.get(RoundsStudy.STEPS.size() - 1)))
            + " hindsight, in every cell.");
    described.add(
        "Of %d reports or more, the sum of their noise is drawn from a Gaussian law of the declared"
                .formatted(RoundsTrial.GAUSSIAN_FROM)
            + " variance.");
    described.add(
        "*day and night*: N varies by 90 % in 24 publications. *one backlog*: the fifth round has 30 N"
            + " reports. *six single reports first*: the first six rounds have one report each. All are"
            + " timely.");
    page.list(described.toArray(String[]::new));
    page.paragraph("Entries: mean excess loss of the published average (standard error).");
  }

  private void csv() throws IOException {
    List<String> columns =
        new ArrayList<>(List.of("problem", "noise", "arrival", "N", "K", "of_doing_nothing"));
    for (String learner : BETTORS) {
      String name = learner.replace(",", "");
      columns.addAll(List.of(name, name + " error"));
    }
    columns.addAll(List.of("tuned SGD", "sum of regrets", "sum of regrets error"));
    List<List<String>> rows = new ArrayList<>();
    results.forEach(
        (cell, result) -> {
          List<String> row =
              new ArrayList<>(
                  List.of(
                      cell.problem().label(),
                      cell.noise().label(),
                      cell.arrival().label,
                      Integer.toString(cell.rate()),
                      Integer.toString(cell.publications()),
                      exact(cell.problem().zero())));
          for (Estimate excess : result.bettors()) {
            row.addAll(List.of(exact(excess.mean()), exact(excess.error())));
          }
          row.add(result.sgd() == null ? "" : exact(result.sgd().mean()));
          row.addAll(List.of(exact(result.regret().mean()), exact(result.regret().error())));
          rows.add(row);
        });
    page.csv("All results", columns, rows);
  }

  private static String exact(double value) {
    return String.format(Locale.ROOT, "%.4g", value);
  }

  private Stream<RoundsCell> cells(Predicate<RoundsCell> which) {
    return results.keySet().stream().filter(which);
  }

  private Stream<RoundsCell> timely() {
    return cells(cell -> cell.arrival() == Arrival.TIMELY);
  }

  private Estimate excess(RoundsCell cell, int bettor) {
    return results.get(cell).bettors().get(bettor);
  }

  private void summary() {
    page.heading("Summary");
    page.paragraph(
        "Geometric mean of the excess loss over that of the tuned SGD, where reports are timely:");
    List<String> columns = new ArrayList<>(List.of("learner"));
    List<Predicate<RoundsCell>> groups = new ArrayList<>();
    columns.add("census and logistic");
    groups.add(cell -> problems.indexOf(cell.problem()) <= 1);
    columns.add("all problems");
    groups.add(cell -> true);
    for (ReportNoise noise : RoundsStudy.NOISES) {
      columns.add(noise.label());
      groups.add(cell -> cell.noise().equals(noise));
    }
    List<List<String>> rows = new ArrayList<>();
    for (int b = 0; b < BETTORS.size(); b++) {
      int bettor = b;
      List<String> row = new ArrayList<>(List.of(BETTORS.get(b)));
      for (Predicate<RoundsCell> group : groups) {
        Ratios ratios = new Ratios();
        timely()
            .filter(group)
            .forEach(
                cell -> ratios.add(excess(cell, bettor).mean() / results.get(cell).sgd().mean()));
        row.add(NumberLabels.fixed(ratios.geometricMean(), 2));
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }

  private void problem(LearningProblem problem) throws IOException {
    page.heading(problem.label());
    List<int[]> shown = new ArrayList<>();
    timely()
        .filter(cell -> cell.problem().equals(problem) && cell.noise().isNone())
        .filter(cell -> (long) cell.rate() * cell.publications() >= most(cell) || isFew(cell))
        .forEach(cell -> shown.add(new int[] {cell.rate(), cell.publications()}));
    List<String> columns = new ArrayList<>(List.of("noise", "learner"));
    shown.forEach(s -> columns.add("%d x %d".formatted(s[0], s[1])));
    List<List<String>> rows = new ArrayList<>();
    for (ReportNoise noise : RoundsStudy.NOISES) {
      for (int b = 0; b <= BETTORS.size(); b++) {
        boolean isSgd = b == BETTORS.size();
        String label = isSgd ? CandidateLearners.TUNED : BETTORS.get(b);
        List<String> row = new ArrayList<>(List.of(noise.label(), label));
        for (int[] s : shown) {
          RoundsCell cell = new RoundsCell(problem, noise, Arrival.TIMELY, s[0], s[1]);
          row.add((isSgd ? results.get(cell).sgd() : excess(cell, b)).toString());
        }
        rows.add(row);
      }
    }
    page.paragraph("N x K, timely reports:");
    page.table(columns, rows);
    picture(problem);
  }

  /** The largest N K of the cell's N. */
  private long most(RoundsCell cell) {
    return timely()
        .filter(other -> other.rate() == cell.rate())
        .mapToLong(other -> (long) other.rate() * other.publications())
        .max()
        .orElseThrow();
  }

  private static boolean isFew(RoundsCell cell) {
    return cell.rate() == 1000 && cell.publications() <= 100;
  }

  /** Curves over N, by noise and number of publications. */
  private void picture(LearningProblem problem) throws IOException {
    List<Plot> plots = new ArrayList<>();
    List<Integer> ends = timely().map(RoundsCell::publications).distinct().sorted().toList();
    for (int end : List.of(ends.get(0), ends.get(ends.size() / 2))) {
      for (int n : new int[] {0, 2, 5}) {
        ReportNoise noise = RoundsStudy.NOISES.get(n);
        List<RoundsCell> cells =
            timely()
                .filter(cell -> cell.problem().equals(problem) && cell.noise().equals(noise))
                .filter(cell -> cell.publications() == end)
                .toList();
        double zero = problem.zero();
        Plot plot =
            Plot.panel(
                "%s, K = %d".formatted(noise.label(), end),
                "reports a publication",
                "excess loss",
                zero / 1e4,
                3 * zero);
        double[] x = cells.stream().mapToDouble(RoundsCell::rate).toArray();
        for (int b = 0; b < BETTORS.size(); b++) {
          int bettor = b;
          double[] y =
              cells.stream()
                  .mapToDouble(cell -> Math.min(100 * zero, excess(cell, bettor).mean()))
                  .toArray();
          plot.learner(BETTORS.get(b), x, y);
        }
        double[] sgd = cells.stream().mapToDouble(c -> results.get(c).sgd().mean()).toArray();
        plot.learner(CandidateLearners.TUNED, x, sgd);
        double[] zeros = cells.stream().mapToDouble(c -> zero).toArray();
        plots.add(plot.zero(x, zeros));
      }
    }
    String name = problem.label().replace("= ", "").replace(' ', '-');
    page.picture(name, new Panels(problem.label() + ", timely reports", 3, plots));
  }

  /** What late, varying and heaped reports cost. */
  private void late() {
    page.heading("Late reports, and rounds that vary");
    page.paragraph(
        "Geometric mean of the excess loss over that of the same cell with timely reports at a constant"
            + " rate. *Above*: cells that end above doing nothing by more than 1 / K (W0 = 1) and a"
            + " standard error.");
    List<String> columns = new ArrayList<>(List.of("arrival", "cells"));
    BETTORS.forEach(learner -> columns.addAll(List.of(learner, "above")));
    List<List<String>> rows = new ArrayList<>();
    List<List<String>> worst = new ArrayList<>();
    for (Arrival arrival : Arrival.values()) {
      List<RoundsCell> cells = cells(cell -> cell.arrival() == arrival).toList();
      List<String> row = new ArrayList<>(List.of(arrival.label, Integer.toString(cells.size())));
      for (int b = 0; b < BETTORS.size(); b++) {
        Ratios ratios = new Ratios();
        int above = 0;
        for (RoundsCell cell : cells) {
          RoundsCell same =
              new RoundsCell(
                  cell.problem(), cell.noise(), Arrival.TIMELY, cell.rate(), cell.publications());
          ratios.add(excess(cell, b).mean() / excess(same, b).mean());
          if (isAbove(cell, b)) {
            above++;
            if (b == FIRST) {
              worst.add(
                  List.of(
                      cell.label(),
                      excess(cell, b).toString(),
                      NumberLabels.short3(cell.problem().zero())));
            }
          }
        }
        row.add(NumberLabels.fixed(ratios.geometricMean(), 2));
        row.add(Integer.toString(above));
      }
      rows.add(row);
    }
    page.table(columns, rows);
    if (!worst.isEmpty()) {
      page.paragraph("Where the combined learner ends above doing nothing:");
      page.table(List.of("cell", "excess", "doing nothing"), worst);
    }
  }

  private boolean isAbove(RoundsCell cell, int bettor) {
    Estimate excess = excess(cell, bettor);
    double error = Double.isNaN(excess.error()) ? 0 : excess.error();
    return excess.mean() > cell.problem().zero() + 1.0 / cell.publications() + error;
  }

  private void risen() {
    page.heading("Where more reports are worse");
    List<List<String>> rows = new ArrayList<>();
    int compared = 0;
    for (RoundsCell cell : timely().toList()) {
      Estimate fewer =
          timely()
              .filter(other -> other.rate() < cell.rate())
              .filter(other -> other.problem().equals(cell.problem()))
              .filter(other -> other.noise().equals(cell.noise()))
              .filter(other -> other.publications() == cell.publications())
              .map(other -> excess(other, FIRST))
              .min(Comparator.comparingDouble(Estimate::mean))
              .orElse(null);
      if (fewer == null) {
        continue;
      }
      compared++;
      Estimate excess = excess(cell, FIRST);
      if (excess.mean() > WORSE * fewer.mean() + 2 * Math.hypot(excess.error(), fewer.error())) {
        rows.add(List.of(cell.label(), excess.toString(), fewer.toString()));
      }
    }
    page.paragraph(
        ("The combined learner with timely reports: %d of %d cells are worse than the best of the smaller N"
                + " at the same K, by more than %s times and two standard errors.")
            .formatted(rows.size(), compared, NumberLabels.short3(WORSE)));
    page.table(List.of("cell", "excess", "with fewer reports"), rows);
  }

  /** Sums of regrets. */
  private void promise() {
    page.heading("The promise");
    page.paragraph(
        "The sum over the publications of the loss of the combined learner's weights less that of the initial"
            + " weights, in units of W0 = 1; the bound on its expectation is W0 times a logarithm"
            + " (docs/theory/rounds.md). Negative: it learned. *Largest*: the greatest mean of a cell, and its"
            + " standard error.");
    List<List<String>> rows = new ArrayList<>();
    List<RoundsCell> constant = cells(cell -> cell.arrival().isConstant()).toList();
    for (Arrival arrival : Arrival.values()) {
      List<RoundsCell> own = constant.stream().filter(c -> c.arrival() == arrival).toList();
      if (own.isEmpty()) {
        continue;
      }
      long positive = own.stream().filter(c -> regret(c).mean() > 0).count();
      long beyond = own.stream().filter(c -> regret(c).mean() > 1).count();
      RoundsCell worst =
          own.stream().max(Comparator.comparingDouble(c -> regret(c).mean())).orElseThrow();
      rows.add(
          List.of(
              arrival.label,
              Integer.toString(own.size()),
              Long.toString(positive),
              Long.toString(beyond),
              regret(worst).toString(),
              worst.label()));
    }
    page.table(List.of("arrival", "cells", "above 0", "above W0", "largest", "where"), rows);
    page.paragraph("The cells with the largest sums:");
    page.table(
        List.of("cell", "sum of regrets", "excess at the end", "doing nothing"),
        constant.stream()
            .sorted(Comparator.comparingDouble(c -> -regret(c).mean()))
            .limit(WORST)
            .map(
                c ->
                    List.of(
                        c.label(),
                        regret(c).toString(),
                        excess(c, FIRST).toString(),
                        NumberLabels.short3(c.problem().zero())))
            .toList());
  }

  private Estimate regret(RoundsCell cell) {
    return results.get(cell).regret();
  }
}
