package io.croupier.operators.ledger;

import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random reports of one user to models of many kinds, and the ledger that judges them. */
final class RandomHistory {
  static final int SEED = 83;

  /** Those of participations in any order take a search. */
  static final List<AdmissionRules> TERMS =
      List.of(
          BudgetTest.local(Limits.newBuilder()),
          BudgetTest.local(Limits.newBuilder().setEpsilon(3)),
          BudgetTest.local(Limits.newBuilder().setMu(2).setReports(9)),
          BudgetTest.local(Limits.newBuilder().setEpsilon(3).setDelta(1e-6)),
          BudgetTest.local(Limits.newBuilder().setEpsilon(8).setDelta(1e-9)),
          BudgetTest.local(Limits.newBuilder().setDelta(1e-6)),
          BudgetTest.central(2, 1),
          CentralChargeTest.tree(0.7, 5, BudgetTest.participations(9, 0).setMu(9)),
          CentralChargeTest.tree(3, 8, BudgetTest.participations(9, 0).setEpsilon(5)),
          CentralChargeTest.leastSquares(7, BudgetTest.participations(3, 0)),
          BltChargeTest.blt(4, 1, 25, BudgetTest.participations(4, 1).setEpsilon(9)),
          BltChargeTest.blt(4, 1, 25, BudgetTest.participations(2, 5)));

  final Ledger ledger = new Ledger(Limits.newBuilder().setReports(150).setDelta(1e-6).build());
  final Random random = new Random(SEED);
  final Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);

  ReportDraft report(long firstSequence) {
    long sequence = firstSequence + random.nextInt(60);
    double level = random.nextBoolean() ? random.nextDouble() : (1 + random.nextInt(90)) / 100.0;
    if (random.nextInt(50) == 0) {
      level = Math.scalb(level, 10 + random.nextInt(60));
    }
    ReportDraft report =
        switch (random.nextInt(8)) {
          case 0 -> TestReports.undisclosed(sequence);
          case 1 -> TestReports.gaussian(sequence, level);
          case 2 -> TestReports.coordinates(sequence, level, 1e-3 * random.nextDouble());
          case 3 -> TestReports.coordinates(sequence, level, Double.POSITIVE_INFINITY);
          case 4, 5 -> TestReports.central(sequence);
          case 6 ->
              TestReports.privUnit(sequence, Math.min(16, level), 256, 1 + random.nextInt(128));
          default -> TestReports.laplace(sequence, level);
        };
    report.round = random.nextInt(30) + firstSequence;
    if (random.nextInt(9) == 0) {
      report.content = new ExampleContent(new byte[2 * Double.BYTES], 0);
    }
    report.digest = random.nextInt(3);
    report.deviceId = "device " + random.nextInt(3);
    return report;
  }

  AccountingEvent judge(ReportDraft report, AdmissionRules rules, MapAccount account) {
    return ledger.judge(report.build(), rules, account);
  }

  List<AccountingEvent> judge(MapAccount account, int reports) {
    return judge(account, reports, 20);
  }

  /**
   * Judges reports.
   *
   * @param change the limits of a model, and its noise, differ for one in so many reports
   */
  List<AccountingEvent> judge(MapAccount account, int reports, int change) {
    List<AdmissionRules> rules = TERMS;
    List<AccountingEvent> events = new ArrayList<>();
    for (int n = 0; n < reports; n++) {
      ReportDraft report = report(0);
      int model = random.nextInt(rules.size() + 1);
      report.modelId = "model " + model;
      int spec = random.nextInt(change) == 0 ? random.nextInt(rules.size() - 1) : model;
      AccountingEvent event =
          model == rules.size()
              ? ledger.judgeUnknownModel(report.build(), account)
              : ledger.judge(report.build(), rules.get(spec), account);
      outcomes.add(event.getOutcome());
      events.add(event);
    }
    return events;
  }
}
