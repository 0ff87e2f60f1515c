package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import io.croupier.schemas.GuaranteeEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What came of a demonstration.
 *
 * @param data what was to be learnt
 * @param terms what was the same for all
 * @param nothing score of zero weights
 * @param optimum score of the best weights, found without privacy
 * @param results one per learner
 * @param reconciliation what the ledger and the models say of all reports
 * @param guarantees what the job says that its releases of raw reports guarantee, by model
 */
record Comparison(
    DataSet data,
    DemoParameters terms,
    Score nothing,
    Score optimum,
    List<LearnerResult> results,
    Reconciliation reconciliation,
    Map<String, GuaranteeEvent> guarantees) {

  private static final String UNSAID = "an undisclosed amount";

  Comparison {
    results = List.copyOf(results);
    guarantees = Map.copyOf(guarantees);
  }

  /** Those of the learners that take noised reports. */
  List<LearnerResult> local() {
    return results.stream().filter(result -> !result.comparedLearner().isCentral()).toList();
  }

  /** Those of the learners that take raw ones. */
  List<LearnerResult> central() {
    return results.stream().filter(result -> result.comparedLearner().isCentral()).toList();
  }

  /** What the noised reports cost, from the ledger. */
  String price() {
    String perLearner =
        local().stream()
            .map(result -> result.spent().inWords(UNSAID))
            .distinct()
            .collect(Collectors.joining(" or "));
    String price =
        "This comparison spent %s per learner, %s per person; a real deployment runs one learner."
            .formatted(perLearner, reconciliation.spentPerPerson().inWords(UNSAID));
    if (reconciliation.undisclosed() == 0) {
      return price;
    }
    return price
        + " Undisclosed are %s reports, up to %s of one person: only their senders know the cost."
            .formatted(
                NumberFormats.count(reconciliation.undisclosed()),
                NumberFormats.count(reconciliation.spentPerPerson().undisclosed()));
  }

  /** What belongs below the scores: how to read them, and what reports they are of. */
  List<String> notes() {
    List<String> notes = new ArrayList<>(List.of(reading()));
    if (!local().isEmpty()) {
      notes.add(sameForAll());
    }
    notes.addAll(reconciliation.refusals());
    if (!central().isEmpty()) {
      notes.add(trust());
      notes.add(spentOnTrust());
    }
    return notes;
  }

  /** Who sees what is raw. */
  private String trust() {
    Rounds rounds = terms.rounds();
    return ("Raw reports: in %s rounds %s people each sent their raw gradients to the job, which"
            + " clipped them at %s and added the noise once: whoever runs the job, its checkpoints"
            + " and the raw-gradients topic sees them. DP-FTRL's learning rate was chosen in"
            + " advance, which no epsilon pays for.")
        .formatted(
            NumberFormats.count(rounds.count()),
            NumberFormats.count(rounds.reports()),
            NumberFormats.rounded(terms.clip()));
  }

  /** What raw reports cost, as the job tells it. */
  private String spentOnTrust() {
    String guaranteed =
        central().stream()
            .map(result -> inWords(result.comparedLearner()))
            .collect(Collectors.joining("; "));
    return ("What was released guarantees them, between any two gradients: %s. All raw reports of"
            + " one person together spent epsilon %s at delta %s, on top of the noised ones.")
        .formatted(
            guaranteed,
            NumberFormats.rounded(reconciliation.spentPerPerson().epsilonAt(terms.delta())),
            terms.deltaInWords());
  }

  private String inWords(ComparedLearner comparedLearner) {
    GuaranteeEvent event = guarantees.get(comparedLearner.modelId());
    return "%s: epsilon %s at delta %s, by noise %s times the clipping length"
        .formatted(
            comparedLearner.label(),
            NumberFormats.rounded(event.getReplaceOne().getEpsilon()),
            terms.deltaInWords(),
            NumberFormats.rounded(event.getNoiseMultiplier()));
  }

  /** What was the same for all, in a sentence or two. */
  private String sameForAll() {
    String round =
        terms.roundSize() == 1
            ? "one report a round"
            : NumberFormats.count(terms.roundSize()) + " reports a round";
    String unsaid =
        terms.undisclosedPeople() == 0
            ? ""
            : ", undisclosed by " + NumberFormats.count(terms.undisclosedPeople()) + " of them";
    return ("The same for every learner of noised reports: %s people, one report of each; gradients clipped at %s;"
            + " l2_laplace noise, epsilon = %s%s; %s; the average weighs the t-th iterate by t^%d"
            + " (adaptive radius: by its own rule).")
        .formatted(
            NumberFormats.count(terms.people()),
            NumberFormats.rounded(terms.clip()),
            NumberFormats.plain(terms.epsilon()),
            unsaid,
            round,
            ComparedLearner.AVERAGING_DEGREE);
  }

  /** How to read the scores. */
  private String reading() {
    String fit =
        data.problem().fitName().equals("accuracy")
            ? "accuracy"
            : "R² (the share of the variance that is explained)";
    return "Loss and %s are those of the average, (last) of the last iterate, on all %s people's data."
        .formatted(fit, NumberFormats.count(data.problem().size()));
  }
}
