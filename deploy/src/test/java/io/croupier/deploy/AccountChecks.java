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
import java.util.Set;

/** What was reported, held against the accounts and the models that came of it. */
final class AccountChecks {
  private static final BigDecimal EPSILON = new BigDecimal("0.01");

  private final List<String> findings = new ArrayList<>();
  private final Map<String, GradientRecord> reports = new HashMap<>();
  private final Map<String, AccountingRecord> admitted = new HashMap<>();

  /** A record of the gradients topic; index and value are those of a sparse gradient. */
  record GradientRecord(
      String position, String user, long sequence, String model, int index, double value) {}

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

  /** How findings write a position. */
  static String text(Position position) {
    return position.getPartition() + ":" + position.getOffset();
  }

  /**
   * Compares everything.
   *
   * @param events in the order of their partitions
   * @param sequences the last sequence number that everybody used; the first is 1
   * @param updates of each model, all in their order
   * @param journalOfOnce of the model {@link LoadGenerator#ONCE}, whole
   * @return what is wrong, a line each
   */
  static List<String> check(
      List<GradientRecord> reports,
      List<AccountingRecord> events,
      Map<String, Long> sequences,
      Map<String, List<ModelUpdate>> updates,
      List<Bundle> journalOfOnce) {
    AccountChecks checks = new AccountChecks();
    reports.forEach(report -> checks.reports.put(report.position, report));
    checks.checkPositions(events);
    checks.checkSequences(events, sequences);
    checks.checkTotals(events);
    updates.forEach(checks::checkModel);
    checks.checkOnce(journalOfOnce, updates.get(LoadGenerator.ONCE));
    return checks.findings;
  }

  private void checkPositions(List<AccountingRecord> events) {
    Set<String> accounted = new HashSet<>();
    for (AccountingRecord event : events) {
      GradientRecord report = reports.get(event.position);
      if (report == null) {
        findings.add("an account of " + event.position + ", where there is no report");
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
    for (AccountingRecord event : events) {
      long count =
          counts.merge(event.user, event.outcome == Outcome.DUPLICATE ? 0L : 1L, Long::sum);
      double epsilon = EPSILON.multiply(BigDecimal.valueOf(count)).doubleValue();
      if (event.totalReports != count || event.totalEpsilon != epsilon) {
        findings.add(
            "%s's totals at %s are %d reports and epsilon %s, not %d and %s"
                .formatted(
                    event.user,
                    event.position,
                    event.totalReports,
                    event.totalEpsilon,
                    count,
                    epsilon));
      }
    }
  }

  private void checkModel(String model, List<ModelUpdate> updates) {
    ModelUpdate last = null;
    for (ModelUpdate update : updates) {
      if (last != null && update.getRound() < last.getRound()) {
        findings.add(
            "round %d of %s is visible behind round %d"
                .formatted(update.getRound(), model, last.getRound()));
      } else if (last != null && UpdateMonitor.reports(update) < UpdateMonitor.reports(last)) {
        findings.add(
            "%d reports of %s are visible behind %d"
                .formatted(UpdateMonitor.reports(update), model, UpdateMonitor.reports(last)));
      } else if (last != null
          && update.getRound() == last.getRound()
          && UpdateMonitor.reports(update) == UpdateMonitor.reports(last)) {
        findings.add(
            "round %d of %s is visible twice with %d reports"
                .formatted(update.getRound(), model, UpdateMonitor.reports(update)));
      }
      last = update;
    }
    ModelUpdate end = updates.get(updates.size() - 1);
    int expected = admittedTo(model).size();
    if (end.getUsed() + end.getOpen() != expected) {
      findings.add(
          "%s tells of %d reports used and %d open, of %d that were admitted"
              .formatted(model, end.getUsed(), end.getOpen(), expected));
    }
  }

  /** What is accounted for as admitted; an account of nothing has a finding of its own. */
  private List<GradientRecord> admittedTo(String model) {
    return admitted.values().stream()
        .map(event -> reports.get(event.position))
        .filter(report -> report != null && report.model.equals(model))
        .toList();
  }

  /**
   * Every report to it is in one round of the journal, and its newest weights are the means of the
   * rounds that were closed when they were published, added up as its learner does, to the last
   * bit. Later rounds wait until a report names that publication.
   */
  private void checkOnce(List<Bundle> journal, List<ModelUpdate> updates) {
    ModelUpdate end = updates.get(updates.size() - 1);
    double[] weights = new double[end.getWeightsCount()];
    Set<String> missing = new HashSet<>();
    admittedTo(LoadGenerator.ONCE).forEach(report -> missing.add(report.position));
    double[] published = weights.clone();
    List<GradientRecord> open = new ArrayList<>();
    long rounds = 0;
    long publishedRound = 0;
    for (Bundle bundle : journal) {
      for (Position position : bundle.getPositionsList()) {
        String text = text(position);
        if (missing.remove(text) && bundle.getOutcome() == Bundle.Outcome.TAKEN) {
          open.add(reports.get(text));
        } else {
          findings.add(
              "the journal of once has %s as %s, which is not the one time that it is taken"
                  .formatted(text, bundle.getOutcome()));
        }
      }
      if (bundle.hasClosedRound()) {
        closeRound(open, weights);
        rounds++;
      }
      if (bundle.getPublished() && !bundle.getRoundHeld()) {
        published = weights.clone();
        publishedRound = rounds;
      }
    }
    missing.forEach(position -> findings.add("the journal of once has no " + position));
    if (end.getRound() != publishedRound) {
      findings.add(
          "the newest round of once is %d, and its journal published %d"
              .formatted(end.getRound(), publishedRound));
    }
    for (int i = 0; i < published.length; i++) {
      if (end.getWeights(i) != published[i]) {
        findings.add(
            "coordinate %d of once is %s, not %s: a report was not added exactly once"
                .formatted(i, end.getWeights(i), published[i]));
      }
    }
  }

  private static void closeRound(List<GradientRecord> round, double[] weights) {
    Map<Integer, Double> sums = new HashMap<>();
    round.forEach(report -> sums.merge(report.index, report.value, Double::sum));
    double scale = 1.0 / round.size();
    sums.forEach((index, sum) -> weights[index] -= sum * scale);
    round.clear();
  }
}
