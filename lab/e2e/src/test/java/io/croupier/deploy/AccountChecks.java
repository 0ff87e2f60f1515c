package io.croupier.deploy;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** Compares the sent reports with the resulting accounts and models. */
final class AccountChecks {
  /** The ledger counts in units of 1e-9, so that larger totals have more than 15 digits. */
  private static final double MOST_EXACT_EPSILON = 1e6;

  private final List<String> findings = new ArrayList<>();
  private final Map<String, GradientRecord> reports = new HashMap<>();
  private final Map<String, AccountingRecord> admitted = new HashMap<>();

  /**
   * A record of the gradients topic; epsilon is the declared one, index and value are those of a
   * sparse gradient.
   */
  record GradientRecord(
      String position,
      String user,
      long sequence,
      String model,
      double epsilon,
      int index,
      double value) {}

  /** A record of the accounting topic. */
  record AccountingRecord(
      String position,
      String user,
      long sequence,
      Outcome outcome,
      long totalReports,
      double totalEpsilon) {
    static AccountingRecord of(AccountingEvent event) {
      return new AccountingRecord(
          text(event.getSource()),
          event.getUserId(),
          event.getSequence(),
          event.getOutcome(),
          event.getUserTotals().getReports(),
          event.getUserTotals().getEpsilon());
    }
  }

  /** The text of a position in findings. */
  static String text(Position position) {
    return position.getPartition() + ":" + position.getOffset();
  }

  /**
   * Compares everything.
   *
   * @param events in the order of their partitions
   * @param sequences each user's last sequence number; the first is 1
   * @param updates all updates of each model, in order
   * @param journals the complete journal of each model
   * @return the findings, one line each
   */
  static List<String> check(
      List<GradientRecord> reports,
      List<AccountingRecord> events,
      Map<String, Long> sequences,
      Map<String, List<ModelUpdate>> updates,
      Map<String, List<Bundle>> journals) {
    AccountChecks checks = new AccountChecks();
    reports.forEach(report -> checks.reports.put(report.position, report));
    checks.checkPositions(events);
    checks.checkSequences(events, sequences);
    checks.checkTotals(events);
    updates.forEach(checks::checkModel);
    checks.checkOnce(
        journals.getOrDefault(LoadGenerator.ONCE, List.of()), updates.get(LoadGenerator.ONCE));
    checks.checkSizes(
        journals.getOrDefault(LoadGenerator.SIZES, List.of()), updates.get(LoadGenerator.SIZES));
    return checks.findings;
  }

  private void checkPositions(List<AccountingRecord> events) {
    Set<String> accounted = new HashSet<>();
    for (AccountingRecord event : events) {
      GradientRecord report = reports.get(event.position);
      if (report == null) {
        findings.add("an account of " + event.position + ", which has no report");
      } else if (!report.user.equals(event.user) || report.sequence != event.sequence) {
        findings.add("the account of " + event.position + " is of another report");
      }
      if (!accounted.add(event.position)) {
        findings.add("two accounts of " + event.position);
      }
    }
    for (String position : reports.keySet()) {
      if (!accounted.contains(position)) {
        findings.add("no account of " + position);
      }
    }
  }

  private void checkSequences(List<AccountingRecord> events, Map<String, Long> sequences) {
    for (AccountingRecord event : events) {
      if (event.outcome == Outcome.ADMITTED) {
        if (admitted.put(event.user + " " + event.sequence, event) != null) {
          findings.add(event.user + "'s report " + event.sequence + " is admitted twice");
        }
      } else if (event.outcome != Outcome.DUPLICATE) {
        findings.add("%s's report %d is %s".formatted(event.user, event.sequence, event.outcome));
      }
    }
    sequences.forEach(
        (user, last) -> {
          for (long sequence = 1; sequence <= last; sequence++) {
            if (!admitted.containsKey(user + " " + sequence)) {
              findings.add(user + "'s report " + sequence + " is not admitted");
            }
          }
        });
  }

  private void checkTotals(List<AccountingRecord> events) {
    Map<String, Long> counts = new HashMap<>();
    Map<String, BigDecimal> sums = new HashMap<>();
    for (AccountingRecord event : events) {
      GradientRecord report = reports.get(event.position);
      if (report == null) {
        continue; // has a finding already
      }
      boolean isNew = event.outcome != Outcome.DUPLICATE;
      long count = counts.merge(event.user, isNew ? 1L : 0L, Long::sum);
      BigDecimal spent = isNew ? BigDecimal.valueOf(report.epsilon) : BigDecimal.ZERO;
      BigDecimal epsilon = sums.merge(event.user, spent, BigDecimal::add);
      if (event.totalReports != count || !isTotal(event.totalEpsilon, epsilon)) {
        findings.add(
            "%s's totals at %s are %d reports and epsilon %s, not %d and %s"
                .formatted(
                    event.user,
                    event.position,
                    event.totalReports,
                    event.totalEpsilon,
                    count,
                    epsilon.doubleValue()));
      }
    }
  }

  /**
   * Whether a total is the exact sum: of 15 significant digits, that is, up to a million, the sum
   * itself, and beyond that the sum rounded up, by at most three units in the last place.
   */
  private static boolean isTotal(double total, BigDecimal sum) {
    double exact = sum.doubleValue();
    return exact <= MOST_EXACT_EPSILON
        ? total == exact
        : BigDecimal.valueOf(total).compareTo(sum) >= 0 && total <= exact + 3 * Math.ulp(exact);
  }

  private void checkModel(String model, List<ModelUpdate> updates) {
    ModelUpdate last = null;
    for (ModelUpdate update : updates) {
      if (last != null && update.getRound() < last.getRound()) {
        findings.add(
            "round %d of %s is visible after round %d"
                .formatted(update.getRound(), model, last.getRound()));
      } else if (last != null && UpdateMonitor.reports(update) < UpdateMonitor.reports(last)) {
        findings.add(
            "%d reports of %s are visible after %d"
                .formatted(UpdateMonitor.reports(update), model, UpdateMonitor.reports(last)));
      } else if (last != null
          && update.getRound() == last.getRound()
          && update.getWaitsFor() == last.getWaitsFor()
          && UpdateMonitor.reports(update) == UpdateMonitor.reports(last)) {
        findings.add(
            "round %d of %s is visible twice with %d reports"
                .formatted(update.getRound(), model, UpdateMonitor.reports(update)));
      }
      last = update;
    }
    ModelUpdate end = updates.get(updates.size() - 1);
    int expected = admittedTo(model).size();
    // Answers that name a round of scouting are late once a newer one is there.
    long late = model.equals(LoadGenerator.SIZES) ? end.getDroppedStale() : 0;
    if (end.getUsed() + end.getAnswers() + end.getOpen() + late != expected) {
      findings.add(
          "%s counts %d reports used, %d answers and %d open, of %d admitted"
              .formatted(model, end.getUsed(), end.getAnswers(), end.getOpen(), expected));
    }
  }

  /** The reports with an admitted account; an account without a report has a separate finding. */
  private List<GradientRecord> admittedTo(String model) {
    return admitted.values().stream()
        .map(event -> reports.get(event.position))
        .filter(report -> report != null && report.model.equals(model))
        .toList();
  }

  /**
   * Checks that every report is in the journal exactly once, and that the newest weights are, bit
   * for bit, the sum of the means of the published rounds, added as the learner does. A round has
   * all reports between two publications; those after the newest one wait until a report names it.
   */
  private void checkOnce(List<Bundle> journal, List<ModelUpdate> updates) {
    ModelUpdate end = updates.get(updates.size() - 1);
    double[] weights = new double[end.getWeightsCount()];
    Set<String> missing = new HashSet<>();
    admittedTo(LoadGenerator.ONCE).forEach(report -> missing.add(report.position));
    NavigableMap<Long, List<GradientRecord>> open = new TreeMap<>();
    long rounds = 0;
    for (Bundle bundle : journal) {
      for (Position position : bundle.getPositionsList()) {
        String text = text(position);
        if (missing.remove(text) && bundle.getOutcome() == Bundle.Outcome.TAKEN) {
          open.computeIfAbsent(bundle.getNamedRound(), round -> new ArrayList<>())
              .add(reports.get(text));
        } else {
          findings.add(
              "the journal of once has %s as %s; each position must occur once, as TAKEN"
                  .formatted(text, bundle.getOutcome()));
        }
      }
      if (bundle.getPublished() && !bundle.getRoundHeld()) {
        step(open, weights);
        rounds++;
      }
    }
    missing.forEach(position -> findings.add("the journal of once has no " + position));
    if (end.getRound() != rounds) {
      findings.add(
          "the newest round of once is %d, and its journal published %d"
              .formatted(end.getRound(), rounds));
    }
    for (int i = 0; i < weights.length; i++) {
      if (end.getWeights(i) != weights[i]) {
        findings.add(
            "coordinate %d of once is %s, not %s: a report was not added exactly once"
                .formatted(i, end.getWeights(i), weights[i]));
      }
    }
  }

  /**
   * Checks that every report is in exactly one bundle of the journal, dropped only as late, and
   * that the model has learned with a clip that it found.
   */
  private void checkSizes(List<Bundle> journal, List<ModelUpdate> updates) {
    Set<String> missing = new HashSet<>();
    admittedTo(LoadGenerator.SIZES).forEach(report -> missing.add(report.position));
    long late = 0;
    for (Bundle bundle : journal) {
      boolean isLate = bundle.getOutcome() == Bundle.Outcome.DROPPED_STALE;
      late += isLate ? bundle.getPositionsCount() : 0;
      for (Position position : bundle.getPositionsList()) {
        if (!missing.remove(text(position))
            || !(isLate || bundle.getOutcome() == Bundle.Outcome.TAKEN)) {
          findings.add(
              "the journal of sizes has %s as %s; each position must occur once, as TAKEN or"
                      .formatted(text(position), bundle.getOutcome())
                  + " DROPPED_STALE");
        }
      }
    }
    missing.forEach(position -> findings.add("the journal of sizes has no " + position));
    ModelUpdate end = updates.get(updates.size() - 1);
    if (late != end.getDroppedStale()) {
      findings.add(
          "sizes counts %d late reports, and its journal %d"
              .formatted(end.getDroppedStale(), late));
    }
    if (end.getUsed() == 0 || end.getQuestionProbability() >= 1) {
      findings.add("sizes still searches for its clip");
    }
  }

  /**
   * Subtracts the mean of a round, one part after the other: its reports by the round they name.
   */
  private static void step(NavigableMap<Long, List<GradientRecord>> round, double[] weights) {
    double scale = 1.0 / round.values().stream().mapToInt(List::size).sum();
    double[] mean = new double[weights.length];
    for (List<GradientRecord> part : round.values()) {
      Map<Integer, Double> sums = new HashMap<>();
      part.forEach(report -> sums.merge(report.index, report.value, Double::sum));
      sums.forEach((index, sum) -> mean[index] += sum * scale);
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] -= mean[i];
    }
    round.clear();
  }
}
