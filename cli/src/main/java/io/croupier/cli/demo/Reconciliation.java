package io.croupier.cli.demo;

import io.croupier.cli.io.Table;
import io.croupier.gateway.trial.Visits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reconciles two independent topics of a run: the verdicts of the ledger, and the counts of the
 * models for the reports that it admitted.
 *
 * @param complete whether both topics account for every report sent
 * @param spentPerModel the most that one person spent on each model
 * @param spentPerPerson the most that one person spent on all models
 * @param undisclosed number of reports that don't declare their noise
 * @param refusals the refused reports by learner and reason, one sentence each
 * @param admissions what became of the admitted reports, by learner
 * @param visits what visitors of the page sent, in a sentence; none if they sent nothing
 * @param remarks on missing reports, one sentence each
 */
record Reconciliation(
    boolean complete,
    Map<String, MaxSpend> spentPerModel,
    MaxSpend spentPerPerson,
    long undisclosed,
    List<String> refusals,
    List<Admissions> admissions,
    List<String> visits,
    List<String> remarks) {

  Reconciliation {
    spentPerModel = Map.copyOf(spentPerModel);
    refusals = List.copyOf(refusals);
    admissions = List.copyOf(admissions);
    visits = List.copyOf(visits);
    remarks = List.copyOf(remarks);
  }

  /**
   * What became of the reports to one learner that the ledger admitted.
   *
   * @param admitted number of reports, from the ledger
   * @param status the other counts, from the model
   */
  record Admissions(String label, long admitted, ModelStatus status) {}

  /** The same with one more sentence on missing reports. */
  Reconciliation with(String remark) {
    List<String> more = new ArrayList<>(remarks);
    more.add(remark);
    return new Reconciliation(
        complete, spentPerModel, spentPerPerson, undisclosed, refusals, admissions, visits, more);
  }

  /** The admitted reports of each learner: all of them are in one of the other columns. */
  String admissionsTable() {
    Table table =
        new Table("reports to", "admitted", "used", "answered", "dropped", "in an open round");
    for (Admissions each : admissions) {
      ModelStatus status = each.status();
      table.row(
          each.label(),
          NumberFormats.count(each.admitted()),
          NumberFormats.count(status.used()),
          NumberFormats.count(status.answers()),
          NumberFormats.count(status.dropped()),
          NumberFormats.count(status.open()));
    }
    return table.text();
  }

  /** Compares the two topics after a total of {@code sent} reports of people. */
  static Reconciliation close(
      List<ComparedLearner> learners,
      List<ModelStatus> statuses,
      SpendTracker spendTracker,
      long sent,
      Visits visits) {
    boolean balanced = balance(learners, statuses, spendTracker, sent);
    Map<String, MaxSpend> spent = new HashMap<>();
    List<String> refusals = new ArrayList<>();
    List<Admissions> admissions = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    if (!balanced) {
      remarks.add(
          "Some reports are not accounted for: %s were to be sent, but the ledger has judged %s."
              .formatted(NumberFormats.count(sent), NumberFormats.count(spendTracker.accounted())));
    }
    if (visits.hasEnded() && !visits.areSettled()) {
      remarks.add("Some reports of visitors are not accounted for.");
    }
    for (int i = 0; i < learners.size(); i++) {
      ComparedLearner comparedLearner = learners.get(i);
      ModelStatus status = statuses.get(i);
      spent.put(comparedLearner.modelId(), spendTracker.mostPerModel(comparedLearner.modelId()));
      spendTracker
          .refusals(comparedLearner.modelId())
          .forEach(
              (refusal, count) -> refusals.add(refusal.inWords(comparedLearner.label(), count)));
      long admitted = spendTracker.admitted(comparedLearner.modelId());
      admissions.add(new Admissions(comparedLearner.label(), admitted, status));
    }
    return new Reconciliation(
        balanced,
        spent,
        spendTracker.mostPerPerson(),
        spendTracker.undisclosed(),
        refusals,
        admissions,
        inWords(visits),
        remarks);
  }

  private static List<String> inWords(Visits visits) {
    if (visits.judged() == 0) {
      return List.of();
    }
    return List.of(
        ("On the live page, %s sent %s, and the ledger admitted %s. The models' counts include"
                + " these; the number of people doesn't.")
            .formatted(
                NumberFormats.counted(visits.visitors(), "visitor"),
                NumberFormats.counted(visits.judged(), "report"),
                NumberFormats.count(visits.admitted())));
  }

  /** Whether both topics account for a total of {@code sent} reports. */
  static boolean balance(
      List<ComparedLearner> learners,
      List<ModelStatus> statuses,
      SpendTracker spendTracker,
      long sent) {
    if (spendTracker.accounted() != sent) {
      return false;
    }
    for (int i = 0; i < learners.size(); i++) {
      if (statuses.get(i).accounted() != spendTracker.admitted(learners.get(i).modelId())) {
        return false;
      }
    }
    return true;
  }
}
