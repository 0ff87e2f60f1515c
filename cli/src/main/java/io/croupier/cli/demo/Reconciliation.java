package io.croupier.cli.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The accounts of a run by two independent topics: what the ledger judged, and what the models made
 * of what it admitted.
 *
 * @param complete whether every report that was sent is accounted for on both
 * @param spentPerModel the most that one person spent on each model
 * @param spentPerPerson the most that one person spent on all models
 * @param undisclosed reports that said nothing of their noise
 * @param refusals which reports the ledger kept from which learner and why, a sentence each
 * @param remarks what the user should know of admitted reports that no model used, a sentence each
 */
record Reconciliation(
    boolean complete,
    Map<String, MaxSpend> spentPerModel,
    MaxSpend spentPerPerson,
    long undisclosed,
    List<String> refusals,
    List<String> remarks) {

  Reconciliation {
    spentPerModel = Map.copyOf(spentPerModel);
    refusals = List.copyOf(refusals);
    remarks = List.copyOf(remarks);
  }

  /** Compares the two topics after {@code sent} reports in all. */
  static Reconciliation close(
      List<ComparedLearner> learners,
      List<ModelStatus> statuses,
      SpendTracker spendTracker,
      long sent) {
    boolean balanced = balance(learners, statuses, spendTracker, sent);
    Map<String, MaxSpend> spent = new HashMap<>();
    List<String> refusals = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    if (!balanced) {
      remarks.add(
          "Not every report is accounted for: %s were to be sent, the ledger has judged %s."
              .formatted(NumberFormats.count(sent), NumberFormats.count(spendTracker.events())));
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
      if (status.dropped() > 0 || status.open() > 0 || status.accounted() != admitted) {
        remarks.add(
            "%s: of %s admitted reports, %s were used, %s came too late, %s wait in an open round."
                .formatted(
                    comparedLearner.label(),
                    NumberFormats.count(admitted),
                    NumberFormats.count(status.used()),
                    NumberFormats.count(status.dropped()),
                    NumberFormats.count(status.open())));
      }
    }
    return new Reconciliation(
        balanced,
        spent,
        spendTracker.mostPerPerson(),
        spendTracker.undisclosed(),
        refusals,
        remarks);
  }

  /** Whether both topics have settled every one of {@code sent} reports in all. */
  static boolean balance(
      List<ComparedLearner> learners,
      List<ModelStatus> statuses,
      SpendTracker spendTracker,
      long sent) {
    if (spendTracker.events() != sent) {
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
