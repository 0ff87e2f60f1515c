package io.croupier.cli.demo;

import io.croupier.cli.data.Score;
import io.croupier.cli.io.Table;
import io.croupier.gateway.watch.Result;
import io.croupier.schemas.Estimate;
import java.util.ArrayList;
import java.util.List;

/** The result table of a demonstration, for the terminal and for the page. */
final class ResultTable {
  private static final String NONE = "-";
  private static final String BY_HAND = "chosen by hand";

  /** An estimate is shown if its interval isn't wider than half of what is possible. */
  private static final double WIDEST = 0.5;

  private final Comparison comparison;

  ResultTable(Comparison comparison) {
    this.comparison = comparison;
  }

  /** The result for the page. */
  Result result() {
    List<String> notes = new ArrayList<>(comparison.notes());
    if (!comparison.local().isEmpty()) {
      notes.add(0, comparison.price());
    }
    return new Result(comparison.headline(), header(), rows(), notes);
  }

  /** The headline, the table as plain text, and the notes. */
  String text() {
    Table table = new Table(header().toArray(String[]::new)).words(BY_HAND);
    rows().forEach(row -> table.row(row.cells()));
    List<String> lines = new ArrayList<>(List.of(comparison.headline(), "", table.text(), ""));
    lines.addAll(comparison.notes());
    if (!comparison.local().isEmpty()) {
      lines.add(comparison.price());
    }
    return String.join(System.lineSeparator(), lines);
  }

  private List<String> header() {
    DemoParameters terms = comparison.terms();
    return row(
        "learner",
        BY_HAND,
        "loss",
        comparison.data().problem().fitName(),
        "estimated",
        terms.mechanism().isPure() ? "epsilon spent" : "epsilon at " + terms.deltaInWords());
  }

  /** The cells; without the estimate where devices were asked for none. */
  private List<String> row(
      String learner, String byHand, String loss, String fit, String estimated, String spent) {
    return comparison.asksForFit()
        ? List.of(learner, byHand, loss, fit, estimated, spent)
        : List.of(learner, byHand, loss, fit, spent);
  }

  /**
   * Zero weights, the learners of noised reports, the optimum; then the learners of raw reports.
   */
  private List<Result.Row> rows() {
    DemoParameters terms = comparison.terms();
    List<Result.Row> rows = new ArrayList<>();
    rows.add(scored("", "doing nothing", NONE, comparison.nothing(), NONE, "0"));
    for (LearnerResult result : comparison.local()) {
      add(result, result.spent().inWords("undisclosed", terms), rows);
    }
    rows.add(scored("", "non-private optimum", NONE, comparison.optimum(), NONE, "no privacy"));
    if (!comparison.central().isEmpty()) {
      rows.add(
          new Result.Row(
              "", row("noise by the job:", "", "", "", "", "at delta " + terms.deltaInWords())));
      for (LearnerResult result : comparison.central()) {
        add(result, NumberFormats.rounded(result.spent().epsilonAt(terms.delta())), rows);
      }
    }
    return rows;
  }

  /** Adds a learner's row, and another of its last weights where these are of interest. */
  private void add(LearnerResult result, String spent, List<Result.Row> rows) {
    ComparedLearner learner = result.comparedLearner();
    rows.add(
        scored(
            learner.modelId(),
            learner.label(),
            learner.byHand(comparison.terms()),
            result.average(),
            estimated(result),
            spent));
    if (learner.reportsLastIterate()) {
      rows.add(scored("", "- last weights", "", result.lastIterate(), "", ""));
    }
  }

  private Result.Row scored(
      String modelId, String name, String byHand, Score score, String estimated, String spent) {
    return new Result.Row(
        modelId,
        row(
            name,
            byHand,
            NumberFormats.score(score.loss()),
            NumberFormats.score(score.fit()),
            estimated,
            spent));
  }

  /** The 95 % interval that the answers of some people imply. */
  private static String estimated(LearnerResult result) {
    return result.estimates().stream()
        .filter(Estimate::hasFraction)
        .findFirst()
        .map(
            estimate ->
                estimate.getHigh() - estimate.getLow() <= WIDEST
                    ? NumberFormats.hundredths(estimate.getLow())
                        + " to "
                        + NumberFormats.hundredths(estimate.getHigh())
                    : "too few")
        .orElse(NONE);
  }
}
