package io.croupier.cli.replay;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The accounts of all users of a recording, kept by the job's ledger code. Not thread-safe. */
final class Accounts {
  private final Ledger ledger = new Ledger();
  private final Map<String, ReportIntake> intakes = new HashMap<>();
  private final Map<String, HeapAccount> accounts = new HashMap<>();

  /** Makes empty accounts for the models of {@code specs}, which must be valid. */
  Accounts(List<ModelSpec> specs) {
    PrivUnitLaws laws = new PrivUnitLaws();
    BltSearches searches = new BltSearches();
    CandidateExpansion expansion = new CandidateExpansion();
    specs.forEach(
        spec ->
            intakes.put(spec.getModelId(), new ReportIntake(spec, 0, laws, searches, expansion)));
  }

  /** Judges a report and charges its user. */
  AccountingEvent judge(Report report) {
    HeapAccount account = accounts.get(report.header().userId());
    if (account == null) {
      account = new HeapAccount();
      accounts.put(report.header().userId(), account);
    }
    ReportIntake intake = intakes.get(report.header().modelId());
    if (intake == null) {
      return ledger.judgeUnknownModel(report, account);
    }
    return ledger.judge(report, intake.terms(), account);
  }

  /** The part of an admitted report that the learner receives. */
  RoundSum withoutUser(Report report) {
    return intakes.get(report.header().modelId()).withoutUser(report);
  }
}
