package io.croupier.cli.demo;

import io.croupier.cli.data.Score;
import io.croupier.cli.io.Table;
import io.croupier.schemas.Estimate;
import java.util.ArrayList;
import java.util.List;

/** The result table of a demonstration, for the terminal and for the page. */
final class ResultTable {

  private static final String NONE = "-";

  private final Comparison comparison;

  ResultTable(Comparison comparison) {
    this.comparison = comparison;
  }

  /** One row; {@code learner} is false for reference values. */
  record LearnerRow(List<String> cells, boolean learner) {}

  /** The column headers. */
  List<String> header() {
    String fit = comparison.data().problem().fitName();
    return row(
        List.of("learner", "chosen by hand", "loss", fit),
        fit + ", as estimated",
        List.of("loss (last)", fit + " (last)", "epsilon spent"));
  }

  /** A row; without the estimate where devices were asked for none. */
  private List<String> row(List<String> before, String estimated, List<String> after) {
    List<String> cells = new ArrayList<>(before);
    if (comparison.asksForFit()) {
      cells.add(estimated);
    }
    cells.addAll(after);
    return List.copyOf(cells);
  }

  /**
   * Zero weights, the learners of noised reports, the optimum; then the learners of raw reports.
   */
  List<LearnerRow> rows() {
    List<LearnerRow> rows = new ArrayList<>();
    rows.add(reference("doing nothing", comparison.nothing(), "0"));
    for (LearnerResult result : comparison.local()) {
      rows.add(learner(result, result.spent().inWords("undisclosed", comparison.terms())));
    }
    rows.add(reference("non-private optimum", comparison.optimum(), "no privacy"));
    if (!comparison.central().isEmpty()) {
      DemoParameters parameters = comparison.terms();
      String atDelta = "at delta " + parameters.deltaInWords();
      rows.add(
          new LearnerRow(
              row(List.of("noise added by the job:", "", "", ""), "", List.of("", "", atDelta)),
              false));
      for (LearnerResult result : comparison.central()) {
        rows.add(
            learner(result, NumberFormats.rounded(result.spent().epsilonAt(parameters.delta()))));
      }
    }
    return rows;
  }

  private LearnerRow learner(LearnerResult result, String spent) {
    boolean last = result.comparedLearner().reportsLastIterate();
    return new LearnerRow(
        row(
            List.of(
                result.comparedLearner().label(),
                result.comparedLearner().byHand(comparison.terms()),
                NumberFormats.score(result.average().loss()),
                NumberFormats.score(result.average().fit())),
            estimated(result),
            List.of(
                last ? NumberFormats.score(result.lastIterate().loss()) : NONE,
                last ? NumberFormats.score(result.lastIterate().fit()) : NONE,
                spent)),
        true);
  }

  /** What the answers of some people imply, with a 95 % interval. */
  private static String estimated(LearnerResult result) {
    return result.estimates().stream()
        .filter(Estimate::hasFraction)
        .findFirst()
        .map(
            estimate ->
                "%s +- %s"
                    .formatted(
                        NumberFormats.hundredths(estimate.getFraction()),
                        NumberFormats.hundredths(1.96 * estimate.getStandardError())))
        .orElse(NONE);
  }

  private LearnerRow reference(String name, Score score, String spent) {
    return new LearnerRow(
        row(
            List.of(
                name, NONE, NumberFormats.score(score.loss()), NumberFormats.score(score.fit())),
            NONE,
            List.of(NONE, NONE, spent)),
        false);
  }

  /** The table as plain text, followed by the notes. */
  String text() {
    Table table = new Table(header().toArray(String[]::new)).words("chosen by hand");
    rows().forEach(row -> table.row(row.cells()));
    List<String> lines = new ArrayList<>(List.of(table.text(), ""));
    lines.addAll(comparison.notes());
    if (!comparison.local().isEmpty()) {
      lines.add(comparison.price());
    }
    return String.join(System.lineSeparator(), lines);
  }
}
