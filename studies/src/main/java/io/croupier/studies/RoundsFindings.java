package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.studies.RoundsStudy.Case;
import io.croupier.studies.RoundsStudy.LearningTask;
import io.croupier.studies.RoundsTrial.ReportGrouping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What follows from the cells of {@link RoundsStudy}: which of them are worse than others. */
final class RoundsFindings {
  /** A loss counts as above that of doing nothing beyond this ratio. */
  private static final double NO_BETTER = 1.01;

  /** More reports count as harmful beyond this ratio and a standard error. */
  private static final double WORSE = 1.3;

  private final RoundsStudy study;

  /** Creates the findings of a study whose cells are measured. */
  RoundsFindings(RoundsStudy study) {
    this.study = study;
  }

  /** The effect of the checkpoint interval: equally many reports in more or fewer publications. */
  void sameReports(MarkdownPage page) {
    page.heading("The same reports in more or fewer publications");
    page.paragraph(
        "Grouped by *the rule*; T reports in P publications. A longer checkpoint interval means fewer"
            + " publications of more reports each.");
    List<long[]> totals = new ArrayList<>();
    for (long total = 1; total <= RoundsStudy.MOST_REPORTS; total *= 10) {
      for (int p : study.publications()) {
        if (total % p == 0 && study.rates().contains((int) (total / p))) {
          totals.add(new long[] {total, p});
        }
      }
    }
    List<String> columns = new ArrayList<>(List.of("problem", "learner"));
    totals.forEach(t -> columns.add("T = %d, P = %d".formatted(t[0], t[1])));
    List<List<String>> rows = new ArrayList<>();
    for (LearningTask setting : LearningTask.values()) {
      for (double epsilon : RoundsStudy.EPSILONS) {
        for (String learner : RoundsStudy.LEARNERS) {
          List<String> row =
              new ArrayList<>(
                  List.of(setting.label() + ", " + RoundsStudy.noiseLabel(epsilon), learner));
          for (long[] t : totals) {
            Case c = new Case(setting, epsilon, learner, ReportGrouping.RULE, (int) (t[0] / t[1]));
            row.add(NumberLabels.short3(study.excess(c, (int) t[1]).mean()));
          }
          rows.add(row);
        }
      }
    }
    page.table(columns, rows);
  }

  /** The cells that end above doing nothing, and those where more reports are worse. */
  void exceptions(MarkdownPage page) {
    List<List<String>> above = new ArrayList<>();
    List<List<String>> worse = new ArrayList<>();
    int count = 0;
    for (Case c : study.cases()) {
      if (c.grouping() != ReportGrouping.RULE) {
        continue;
      }
      double zero = study.zero(c.setting());
      for (int p : study.publications(c)) {
        count++;
        Estimate excess = study.excess(c, p);
        List<String> row =
            List.of(
                c.setting().label() + ", " + RoundsStudy.noiseLabel(c.epsilon()),
                c.learner(),
                Integer.toString(c.reports()),
                Integer.toString(p),
                excess.toString(),
                NumberLabels.short3(excess.mean() / zero));
        if (excess.mean() > NO_BETTER * zero) {
          above.add(row);
        }
        Estimate fewer = bestOfFewer(c, p);
        double error = Math.hypot(excess.error(), fewer.error());
        if (excess.mean() > WORSE * fewer.mean() + error) {
          List<String> longer = new ArrayList<>(row);
          longer.add(fewer.toString());
          worse.add(longer);
        }
      }
    }
    List<String> columns = List.of("problem", "learner", "N", "P", "excess", "over doing nothing");
    page.heading("Where the rule ends above doing nothing");
    page.paragraph(
        "%d of %d cells without delay end above doing nothing by more than 1 %%."
            .formatted(above.size(), count));
    page.table(columns, above);
    page.paragraph(
        "Where all reports are 3 publications late, or half of them, cells above doing nothing by"
            + " more than 1 %:");
    page.table(
        List.of("learner", "cells of each", "all late", "half late"),
        RoundsStudy.LEARNERS.stream().map(this::lateCells).toList());
    page.heading("Where more reports are worse");
    page.paragraph(
        ("%d of %d cells without delay are worse than the best of the smaller N at the same P, by more"
                + " than %s times and a standard error.")
            .formatted(worse.size(), count, NumberLabels.short3(WORSE)));
    List<String> longer = new ArrayList<>(columns);
    longer.add("with fewer reports");
    page.table(longer, worse);
  }

  private List<String> lateCells(String learner) {
    return List.of(
        learner,
        Integer.toString(
            cases(learner, ReportGrouping.LATE).mapToInt(c -> study.publications(c).size()).sum()),
        Integer.toString(above(learner, ReportGrouping.LATE)),
        Integer.toString(above(learner, ReportGrouping.HALF_LATE)));
  }

  private Stream<Case> cases(String learner, ReportGrouping grouping) {
    return study.cases().stream()
        .filter(c -> c.grouping() == grouping && c.learner().equals(learner));
  }

  /** Number of cells above doing nothing. */
  private int above(String learner, ReportGrouping grouping) {
    return cases(learner, grouping)
        .mapToInt(
            c -> {
              double most = NO_BETTER * study.zero(c.setting());
              return (int)
                  study.publications(c).stream()
                      .filter(p -> study.excess(c, p).mean() > most)
                      .count();
            })
        .sum();
  }

  private Estimate bestOfFewer(Case c, int p) {
    Estimate best = new Estimate(Double.POSITIVE_INFINITY, 0);
    for (int n : study.rates()) {
      if (n < c.reports()) {
        Estimate other =
            study.excess(new Case(c.setting(), c.epsilon(), c.learner(), c.grouping(), n), p);
        best = other.mean() < best.mean() ? other : best;
      }
    }
    return best;
  }
}
