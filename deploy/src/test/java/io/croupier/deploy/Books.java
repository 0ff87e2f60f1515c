package io.croupier.deploy;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelUpdate;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was reported, held against the accounts and the models that came of it. */
final class Books {
  private static final BigDecimal EPSILON = new BigDecimal("0.01");

  private final List<String> findings = new ArrayList<>();
  private final Map<String, Report> reports = new HashMap<>();
  private final Map<String, Event> admitted = new HashMap<>();

  /** A record of the gradients topic; index and value are those of a sparse gradient. */
  record Report(
      String position, String user, long sequence, String model, int index, double value) {}

  /** A record of the accounting topic. */
  record Event(
      String position,
      String user,
      long sequence,
      Outcome outcome,
      long totalReports,
      double totalEpsilon) {
    static Event of(AccountingEvent event) {
      return new Event(
          event.getSource().getPartition() + ":" + event.getSource().getOffset(),
          event.getUserId(),
          event.getSequence(),
          event.getOutcome(),
          event.getUserTotals().getReports(),
          event.getUserTotals().getEpsilon());
    }
  }

  /**
   * Compares everything.
   *
   * @param events in the order of their partitions
   * @param sequences the last sequence number that everybody used; the first is 1
   * @param updates of each model, all in their order
   * @return what is wrong, a line each
   */
  static List<String> check(
      List<Report> reports,
      List<Event> events,
      Map<String, Long> sequences,
      Map<String, List<ModelUpdate>> updates) {
    Books books = new Books();
    reports.forEach(report -> books.reports.put(report.position, report));
    books.checkPositions(events);
    books.checkSequences(events, sequences);
    books.checkTotals(events);
    updates.forEach(books::checkModel);
    books.checkOnce(updates.get(Load.ONCE));
    return books.findings;
  }

  private void checkPositions(List<Event> events) {
    Set<String> accounted = new HashSet<>();
    for (Event event : events) {
      Report report = reports.get(event.position);
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

  private void checkSequences(List<Event> events, Map<String, Long> sequences) {
    for (Event event : events) {
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

  private void checkTotals(List<Event> events) {
    Map<String, Long> counts = new HashMap<>();
    for (Event event : events) {
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
      } else if (last != null && UpdateWatch.reports(update) <= UpdateWatch.reports(last)) {
        findings.add(
            "round %d of %s is visible twice with %d reports"
                .formatted(update.getRound(), model, UpdateWatch.reports(update)));
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
  private List<Report> admittedTo(String model) {
    return admitted.values().stream()
        .map(event -> reports.get(event.position))
        .filter(report -> report != null && report.model.equals(model))
        .toList();
  }

  /** Each report to it is one bit of its weights. */
  private void checkOnce(List<ModelUpdate> updates) {
    ModelUpdate end = updates.get(updates.size() - 1);
    double[] weights = new double[end.getWeightsCount()];
    for (Report report : admittedTo(Load.ONCE)) {
      weights[report.index] -= report.value;
    }
    for (int i = 0; i < weights.length; i++) {
      if (end.getWeights(i) != weights[i]) {
        findings.add(
            "coordinate %d of once is %s, not %s: a report was not added exactly once"
                .formatted(i, end.getWeights(i), weights[i]));
      }
    }
  }
}
