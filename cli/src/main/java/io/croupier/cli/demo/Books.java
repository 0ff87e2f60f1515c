package io.croupier.cli.demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The books of a run, as two independent topics tell them: what the ledger judged, and what the
 * models made of what it admitted.
 *
 * @param complete whether every report that was sent is accounted for on both
 * @param spentPerModel the most that one person spent on each model
 * @param spentPerPerson the most that one person spent on all models
 * @param undisclosed reports that said nothing of their noise
 * @param refusals which reports the ledger kept from which learner and why, a sentence each
 * @param remarks what the user should know of admitted reports that no model used, a sentence each
 */
record Books(
    boolean complete,
    Map<String, Spent> spentPerModel,
    Spent spentPerPerson,
    long undisclosed,
    List<String> refusals,
    List<String> remarks) {

  Books {
    spentPerModel = Map.copyOf(spentPerModel);
    refusals = List.copyOf(refusals);
    remarks = List.copyOf(remarks);
  }

  /** Closes the books on {@code sent} reports in all. */
  static Books close(
      List<Entrant> entrants, List<Standing> standings, Spending spending, long sent) {
    boolean balanced = balance(entrants, standings, spending, sent);
    Map<String, Spent> spent = new HashMap<>();
    List<String> refusals = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    if (!balanced) {
      remarks.add(
          "Not every report is accounted for: %s were to be sent, the ledger has judged %s."
              .formatted(Numbers.count(sent), Numbers.count(spending.events())));
    }
    for (int i = 0; i < entrants.size(); i++) {
      Entrant entrant = entrants.get(i);
      Standing standing = standings.get(i);
      spent.put(entrant.modelId(), spending.mostPerModel(entrant.modelId()));
      spending
          .refusals(entrant.modelId())
          .forEach((refusal, count) -> refusals.add(refusal.inWords(entrant.label(), count)));
      long admitted = spending.admitted(entrant.modelId());
      if (standing.dropped() > 0 || standing.open() > 0 || standing.accounted() != admitted) {
        remarks.add(
            "%s: of %s admitted reports, %s were used, %s came too late, %s wait in an open round."
                .formatted(
                    entrant.label(),
                    Numbers.count(admitted),
                    Numbers.count(standing.used()),
                    Numbers.count(standing.dropped()),
                    Numbers.count(standing.open())));
      }
    }
    return new Books(
        balanced, spent, spending.mostPerPerson(), spending.undisclosed(), refusals, remarks);
  }

  /** Whether both topics have settled every one of {@code sent} reports in all. */
  static boolean balance(
      List<Entrant> entrants, List<Standing> standings, Spending spending, long sent) {
    if (spending.events() != sent) {
      return false;
    }
    for (int i = 0; i < entrants.size(); i++) {
      if (standings.get(i).accounted() != spending.admitted(entrants.get(i).modelId())) {
        return false;
      }
    }
    return true;
  }
}
