package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpecs;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;

/**
 * The results of a demonstration.
 *
 * @param data the data set
 * @param terms the parameters that all learners share
 * @param nothing score of zero weights
 * @param optimum score of the optimal weights, computed without privacy
 * @param results one per learner
 * @param reconciliation of all reports, from the ledger and the models
 * @param guarantees of the job for its releases from raw reports, by model
 * @param windows what windows of anonymous reports guarantee, by model; none if people reported
 *     with identity
 */
record Comparison(
    DataSet data,
    DemoParameters terms,
    Score nothing,
    Score optimum,
    List<LearnerResult> results,
    Reconciliation reconciliation,
    Map<String, GuaranteeEvent> guarantees,
    Map<String, WindowGuarantee> windows) {

  private static final String UNSAID = "an undisclosed amount";

  Comparison {
    results = List.copyOf(results);
    guarantees = Map.copyOf(guarantees);
    windows = Map.copyOf(windows);
  }

  /** The results of learners that receive noised reports. */
  List<LearnerResult> local() {
    return results.stream().filter(result -> !result.comparedLearner().isCentral()).toList();
  }

  /** The results of learners that receive raw reports. */
  List<LearnerResult> central() {
    return results.stream().filter(result -> result.comparedLearner().isCentral()).toList();
  }

  /** The learner to begin with: the first for which nothing is chosen by hand; empty without it. */
  Optional<LearnerResult> recommended() {
    return results.stream().filter(result -> result.comparedLearner().findsClip()).findFirst();
  }

  /** The result in one sentence: of the recommended learner, else of the best one. */
  String headline() {
    LearnerResult shown =
        recommended()
            .or(
                () ->
                    results.stream()
                        .min(Comparator.comparingDouble(result -> result.average().loss())))
            .orElseThrow();
    String fitName = data.problem().fitName();
    return "%s at %s, %s: %s; without privacy %s%s.%s"
        .formatted(
            NumberFormats.people(terms.people()),
            level(shown),
            shown.comparedLearner().label(),
            NumberFormats.fit(fitName, shown.average().fit()),
            NumberFormats.fit(fitName, optimum.fit()),
            data.problem().hasClasses() ? ", guessing " + NumberFormats.percent(nothing.fit()) : "",
            shown.average().loss() < nothing.loss() ? "" : " " + nothingLearned(shown));
  }

  /** Why a model is no better than none. */
  private String nothingLearned(LearnerResult result) {
    return "Nothing was learned (loss %s; %s without a model): %s. More people, a longer --duration or a larger --epsilon help."
        .formatted(
            NumberFormats.score(result.average().loss()),
            NumberFormats.score(nothing.loss()),
            result.isScouting()
                ? "it only searched for its clip"
                : "the noise hides what %s teach in %s"
                    .formatted(
                        NumberFormats.people(terms.people()),
                        NumberFormats.counted(result.curve().size(), "publication")));
  }

  /** The epsilon of the reports to a learner, in words. */
  private String level(LearnerResult result) {
    WindowGuarantee window = windows.get(result.comparedLearner().modelId());
    if (window != null) {
      return "local epsilon %s, central epsilon %s at delta %s"
          .formatted(
              NumberFormats.plain(window.local()),
              NumberFormats.roundedUp(window.central()),
              NumberFormats.power(window.delta()));
    }
    return "epsilon %s%s"
        .formatted(
            NumberFormats.plain(terms.epsilon()),
            terms.mechanism().isPure() ? "" : " at delta " + terms.deltaInWords());
  }

  /** The cost of the noised reports, from the ledger. */
  String price() {
    String perLearner =
        local().stream()
            .map(result -> result.spent().inWords(UNSAID, terms))
            .distinct()
            .collect(Collectors.joining(" or "));
    String price =
        ("Epsilon spent by this comparison: %s per learner, %s per person; a real deployment runs"
                + " one learner.")
            .formatted(perLearner, reconciliation.spentPerPerson().inWords(UNSAID, terms));
    if (terms.mechanism().isPure()) {
      price +=
          " At epsilon %s, any report is at most %s times as likely with one person's data as with another's."
              .formatted(NumberFormats.plain(terms.epsilon()), times(Math.exp(terms.epsilon())));
    }
    if (reconciliation.undisclosed() == 0) {
      return price;
    }
    return price
        + " %s undisclosed, up to %s of one person; only their senders know their cost."
            .formatted(
                reconciliation.undisclosed() == 1
                    ? "1 report is"
                    : NumberFormats.count(reconciliation.undisclosed()) + " reports are",
                NumberFormats.count(reconciliation.spentPerPerson().undisclosed()));
  }

  /** A factor, rounded up to two digits. */
  private static String times(double factor) {
    return NumberFormats.plain(
        new BigDecimal(factor).round(new MathContext(2, RoundingMode.CEILING)).doubleValue());
  }

  /** The sentences below the scores, which explain them. */
  List<String> notes() {
    List<String> notes = new ArrayList<>(List.of(reading(), data.scaling()));
    if (!local().isEmpty()) {
      notes.add(sameForAll());
    }
    if (isAnonymous()) {
      notes.add(anonymity());
    }
    local().stream()
        .filter(result -> result.comparedLearner().findsClip())
        .map(Comparison::clip)
        .forEach(notes::add);
    notes.addAll(estimates());
    notes.addAll(reconciliation.refusals());
    notes.addAll(reconciliation.visits());
    if (!central().isEmpty()) {
      notes.add(trust());
      notes.add(spentOnTrust());
    }
    return notes;
  }

  /** Whether people reported without identity. */
  boolean isAnonymous() {
    return !windows.isEmpty();
  }

  /** Whether devices were asked how well the model predicts. */
  boolean asksForFit() {
    return data.problem().hasClasses() && !local().isEmpty() && !isAnonymous();
  }

  /** What the two epsilons of an anonymous report mean. */
  private String anonymity() {
    return "Central epsilon: for readers of the model and of all reports who don't know when a person"
        + " reported, if the hypotheses of docs/theory/anonymity.md hold, computed from the reports that"
        + " the job admitted. Local epsilon: for all others. Here one process is the device of all"
        + " people, and there is no relay, so this run hides no person from its own gateway.";
  }

  /** What an operator, who has no raw data, knows of the models from the answers of some people. */
  private List<String> estimates() {
    LongSummaryStatistics answers =
        local().stream()
            .flatMap(result -> result.estimates().stream())
            .filter(Estimate::hasFraction)
            .mapToLong(Estimate::getAnswers)
            .summaryStatistics();
    if (!asksForFit() || answers.getCount() == 0) {
      return List.of();
    }
    String worth = NumberFormats.counted(answers.getMax(), "answer");
    if (answers.getMax() > answers.getMin()) {
      worth = NumberFormats.count(answers.getMin()) + " to " + worth;
    }
    return List.of(
        ("%s, estimated: the 95 %% interval from people who answer by one randomised bit instead of a"
                + " gradient, worth %s of equal age, half of them to the last 44 updates, so it lags"
                + " behind a model that still learns. Too few: the interval is wider than 0.5.")
            .formatted(StringUtils.capitalize(data.problem().fitName()), worth));
  }

  /** How a learner came by its clip. */
  private static String clip(LearnerResult result) {
    return result.isScouting()
        ? ("%s: the model only searched for its clip, and took no gradient: it published too few"
                + " times (a longer --duration has more publications), or too few people were asked,"
                + " or disclosed their noise.")
            .formatted(result.comparedLearner().label())
        : ("%s: the job found the clip, %s at the end, from people who were asked for one randomised"
                + " bit instead of a gradient.")
            .formatted(result.comparedLearner().label(), NumberFormats.rounded(result.clip()));
  }

  /** Who has access to raw gradients. */
  private String trust() {
    Rounds rounds = terms.rounds();
    return ("Raw reports: in %s rounds, %s people each sent a raw gradient to the job, which"
            + " clipped it at %s and added noise once. Operators of the job, of its checkpoints and"
            + " of the raw-gradients topic can read raw gradients. DP-FTRL's learning rate was"
            + " chosen in advance; no epsilon accounts for that choice.")
        .formatted(
            NumberFormats.count(rounds.count()),
            NumberFormats.count(rounds.reports()),
            NumberFormats.rounded(terms.clip()));
  }

  /** The cost of raw reports, from the job's guarantees. */
  private String spentOnTrust() {
    String guaranteed =
        central().stream()
            .map(result -> inWords(result.comparedLearner()))
            .collect(Collectors.joining("; "));
    return ("Guarantees of the releases, between any two gradients of a person: %s. %s"
            + " of one person together spent epsilon %s at delta %s%s.")
        .formatted(
            guaranteed,
            terms.mechanism().isPure() ? "All raw reports" : "All reports",
            NumberFormats.rounded(reconciliation.spentPerPerson().epsilonAt(terms.delta())),
            terms.deltaInWords(),
            terms.mechanism().isPure() ? ", in addition to the noised ones" : ", raw and noised");
  }

  private String inWords(ComparedLearner comparedLearner) {
    GuaranteeEvent event = guarantees.get(comparedLearner.modelId());
    return "%s: epsilon %s at delta %s, with noise multiplier %s"
        .formatted(
            comparedLearner.label(),
            NumberFormats.rounded(event.getReplaceOne().getEpsilon()),
            terms.deltaInWords(),
            NumberFormats.rounded(event.getNoiseMultiplier()));
  }

  /** The parameters that all learners of noised reports share, in words. */
  private String sameForAll() {
    String round =
        isAnonymous()
            ? "a round for each publication of the window"
            : terms.roundSize() == 1
                ? "at least one report per round"
                : "at least " + NumberFormats.count(terms.roundSize()) + " reports per round";
    String unsaid =
        terms.undisclosedPeople() == 0
            ? ""
            : ", undisclosed by " + NumberFormats.count(terms.undisclosedPeople()) + " of them";
    return ("The same for every learner of noised reports: %s, one report from each;"
            + " %s, epsilon = %s%s; %s; averages of polynomial degree %d.")
        .formatted(
            NumberFormats.people(terms.people()),
            terms.mechanismInWords(),
            NumberFormats.plain(terms.epsilon())
                + (terms.mechanism().isPure() ? "" : " at delta " + terms.deltaInWords()),
            unsaid,
            round,
            ModelSpecs.AVERAGING_DEGREE);
  }

  /** How to read the scores. */
  private String reading() {
    String fit =
        data.problem().fitName().equals("accuracy")
            ? "accuracy"
            : "R² (the share of the explained variance)";
    return ("Loss and %s are those of the average iterate, or of the last weights where marked so,"
            + " on the data of all %s.")
        .formatted(fit, NumberFormats.people(data.problem().size()));
  }
}
