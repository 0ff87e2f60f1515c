package io.croupier.cli.replay;

import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent.Outcome;

/** A well-formed report and the ledger's verdict on it. */
record JudgedReport(Report report, Outcome outcome) {

  boolean isAdmitted() {
    return outcome == Outcome.ADMITTED;
  }
}
