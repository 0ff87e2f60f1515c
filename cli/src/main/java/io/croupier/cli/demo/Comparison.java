package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What came of a demonstration.
 *
 * @param data what was to be learnt
 * @param terms what was the same for all
 * @param nothing score of zero weights
 * @param optimum score of the best weights, found without privacy
 * @param results one per learner
 * @param books what the ledger and the models say of all reports
 */
record Comparison(
    DataSet data, Terms terms, Score nothing, Score optimum, List<Result> results, Books books) {

  private static final String UNSAID = "an undisclosed amount";

  Comparison {
    results = List.copyOf(results);
  }

  /** What it cost, from the ledger. */
  String price() {
    String perLearner =
        results.stream()
            .map(result -> result.spent().inWords(UNSAID))
            .distinct()
            .collect(Collectors.joining(" or "));
    String price =
        "This comparison spent %s per learner, %s per person; a real deployment runs one learner."
            .formatted(perLearner, books.spentPerPerson().inWords(UNSAID));
    if (books.undisclosed() == 0) {
      return price;
    }
    return price
        + " Undisclosed are %s reports, up to %s of one person: only their senders know the cost."
            .formatted(
                Numbers.count(books.undisclosed()),
                Numbers.count(books.spentPerPerson().undisclosed()));
  }

  /** What belongs below the scores: how to read them, and what reports they are of. */
  List<String> notes() {
    List<String> notes = new ArrayList<>(List.of(reading(), sameForAll()));
    notes.addAll(books.refusals());
    return notes;
  }

  /** What was the same for all, in a sentence or two. */
  private String sameForAll() {
    String round =
        terms.roundSize() == 1
            ? "one report a round"
            : Numbers.count(terms.roundSize()) + " reports a round";
    String unsaid =
        terms.undisclosedPeople() == 0
            ? ""
            : ", undisclosed by " + Numbers.count(terms.undisclosedPeople()) + " of them";
    return ("The same for every learner: %s people, one report of each; gradients clipped at %s;"
            + " l2_laplace noise, epsilon = %s%s; %s; the average weighs the t-th iterate by t^%d"
            + " (adaptive radius: by its own rule).")
        .formatted(
            Numbers.count(terms.people()),
            Numbers.rounded(terms.clip()),
            Numbers.plain(terms.epsilon()),
            unsaid,
            round,
            Entrant.AVERAGING_DEGREE);
  }

  /** How to read the scores. */
  private String reading() {
    String fit =
        data.problem().fitName().equals("accuracy")
            ? "accuracy"
            : "R² (the share of the variance that is explained)";
    return "Loss and %s are those of the average, (last) of the last iterate, on all %s people's data."
        .formatted(fit, Numbers.count(data.problem().size()));
  }
}
