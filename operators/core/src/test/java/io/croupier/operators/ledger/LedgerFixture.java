package io.croupier.operators.ledger;

import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;

/** A ledger, and the account of a user whose device numbers its reports. */
abstract class LedgerFixture {
  final MapAccount account = new MapAccount();
  Ledger ledger = new Ledger();
  long sequence;

  AccountingEvent judge(ReportDraft report, AdmissionRules rules) {
    return judge(report, rules, account);
  }

  AccountingEvent judge(ReportDraft report, AdmissionRules rules, MapAccount of) {
    return ledger.judge(report.build(), rules, of);
  }

  AccountingEvent laplace(AdmissionRules rules, double epsilon) {
    return judge(TestReports.laplace(sequence++, epsilon), rules);
  }

  AccountingEvent answer(AdmissionRules rules, double epsilon) {
    return judge(TestReports.answer(sequence++, epsilon), rules);
  }

  AccountingEvent gaussian(AdmissionRules rules, double mu) {
    return judge(TestReports.gaussian(sequence++, mu), rules);
  }

  /** A report to a central model. */
  AccountingEvent takePart(AdmissionRules rules, long round) {
    return judge(
        rules.spec().hasDpFtrlLeastSquares()
            ? TestReports.example(sequence++, round)
            : TestReports.central(sequence++, round),
        rules);
  }
}
