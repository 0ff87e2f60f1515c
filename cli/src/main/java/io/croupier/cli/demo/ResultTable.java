package io.croupier.cli.demo;

import io.croupier.cli.data.Score;
import io.croupier.cli.io.Table;
import io.croupier.cli.watch.Result;
import io.croupier.schemas.Estimate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.commons.text.WordUtils;

/** The result table of a demonstration, for the terminal and for the page. */
record ResultTable(Comparison comparison) {
  private static final String NONE = "-";
  private static final String BY_HAND = "chosen by hand";
  private static final String LAST_WEIGHTS = "- last weights";
  private static final int WIDTH = 80;

  /** An estimate is shown if its interval isn't wider than half of what is possible. */
  private static final double WIDEST = 0.5;

  /** The result for the page. */
  Result result() {
    List<String> notes = new ArrayList<>(comparison.notes());
    if (!comparison.local().isEmpty()) {
      notes.add(0, comparison.price());
    }
    return new Result(comparison.headline(), header(), rows(), notes);
  }

  /** The headline, the cost, and the table as plain text, of some 80 columns. */
  String text() {
    Table table = new Table(inShort(header()).toArray(String[]::new)).words(BY_HAND);
    rows().stream()
        .map(Result.Row::cells)
        .filter(cells -> !cells.get(0).equals(LAST_WEIGHTS))
        .forEach(cells -> table.row(inShort(cells)));
    List<String> lines = new ArrayList<>(List.of(comparison.headline()));
    if (!comparison.local().isEmpty()) {
      lines.add(comparison.price());
    }
    lines.replaceAll(line -> WordUtils.wrap(line, WIDTH));
    lines.add(table.text());
    return String.join(System.lineSeparator(), lines);
  }

  /** The cells of a row in the terminal, which has no room for the estimate. */
  private List<String> inShort(List<String> cells) {
    List<String> few = new ArrayList<>(cells);
    if (comparison.asksForFit()) {
      few.remove(4);
    }
    return few;
  }

  private List<String> header() {
    DemoParameters terms = comparison.terms();
    return row(
        "learner",
        comparison.data().problem().hasClasses() ? "right" : comparison.data().problem().fitName(),
        "loss",
        BY_HAND,
        "estimated",
        comparison.isAnonymous()
            ? List.of("local epsilon", "central epsilon", "delta", "reports")
            : List.of(
                terms.mechanism().isPure()
                    ? "epsilon spent"
                    : "epsilon at " + terms.deltaInWords()));
  }

  /** The cells; without the estimate where devices were asked for none. */
  private List<String> row(
      String learner, String fit, String loss, String byHand, String estimated, List<String> cost) {
    List<String> cells = new ArrayList<>(List.of(learner, fit, loss, byHand));
    if (comparison.asksForFit()) {
      cells.add(estimated);
    }
    cells.addAll(cost);
    return cells;
  }

  /**
   * Zero weights, the learners of noised reports, the optimum; then the learners of raw reports.
   */
  private List<Result.Row> rows() {
    DemoParameters terms = comparison.terms();
    List<Result.Row> rows = new ArrayList<>();
    rows.add(scored("", "guessing", NONE, comparison.nothing(), NONE, everywhere("0")));
    for (LearnerResult result : comparison.local()) {
      add(result, cost(result), rows);
    }
    rows.add(
        scored("", "without privacy", NONE, comparison.optimum(), NONE, everywhere("no privacy")));
    if (!comparison.central().isEmpty()) {
      rows.add(
          new Result.Row(
              "",
              row(
                  "noise by the job:",
                  "",
                  "",
                  "",
                  "",
                  List.of("at delta " + terms.deltaInWords()))));
      for (LearnerResult result : comparison.central()) {
        String epsilon = NumberFormats.rounded(result.spent().epsilonAt(terms.delta()));
        add(result, List.of(epsilon), rows);
      }
    }
    return rows;
  }

  /** The same in each column of an epsilon. */
  private List<String> everywhere(String epsilon) {
    return comparison.isAnonymous() ? List.of(epsilon, epsilon, NONE, NONE) : List.of(epsilon);
  }

  /** What a person spent on a learner of noised reports. */
  private List<String> cost(LearnerResult result) {
    WindowGuarantee window = comparison.windows().get(result.comparedLearner().modelId());
    if (window == null) {
      return List.of(result.spent().inWords("undisclosed", comparison.terms()));
    }
    return List.of(
        NumberFormats.plain(window.local()),
        NumberFormats.roundedUp(window.central()),
        NumberFormats.power(window.delta()),
        NumberFormats.count(window.reports()));
  }

  /** Adds a learner's row, and another of its last weights where these are of interest. */
  private void add(LearnerResult result, List<String> spent, List<Result.Row> rows) {
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
      List<String> same = Collections.nCopies(spent.size(), "");
      rows.add(scored("", LAST_WEIGHTS, "", result.lastIterate(), "", same));
    }
  }

  private Result.Row scored(
      String modelId,
      String name,
      String byHand,
      Score score,
      String estimated,
      List<String> spent) {
    return new Result.Row(
        modelId,
        row(
            name,
            comparison.data().problem().hasClasses()
                ? NumberFormats.percent(score.fit())
                : NumberFormats.score(score.fit()),
            NumberFormats.score(score.loss()),
            byHand,
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
