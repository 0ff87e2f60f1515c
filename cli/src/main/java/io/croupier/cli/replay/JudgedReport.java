package io.croupier.cli.replay;

import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent.Outcome;

/** A well-formed report and the ledger's verdict on it. */
record JudgedReport(Report report, Outcome outcome) {

  boolean isAdmitted() {
    return outcome == Outcome.ADMITTED;
  }

  /**
   * Whether a job may have admitted it. A recording has neither the days on which reports arrived,
   * nor changes of limits, nor who was erased or stopped, so the job's limits may have allowed
   * more.
   */
  boolean mayBeAdmitted() {
    return isAdmitted() || outcome == Outcome.REFUSED_BUDGET;
  }
}
