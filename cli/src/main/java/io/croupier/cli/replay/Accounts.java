package io.croupier.cli.replay;

import io.croupier.operators.accounting.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The accounts of all users of a recording, kept by the job's own ledger. Not thread-safe. */
final class Accounts {
  private final Ledger ledger = new Ledger();
  private final Map<String, ReportIntake> intakes = new HashMap<>();
  private final Map<String, HeapAccount> accounts = new HashMap<>();

  /** Accounts that know the models of {@code specs}, which are valid, and no user. */
  Accounts(List<ModelSpec> specs) {
    specs.forEach(spec -> intakes.put(spec.getModelId(), new ReportIntake(spec, 0)));
  }

  /** Judges a report, and charges its user. */
  AccountingEvent judge(Report report) {
    HeapAccount account = accounts.get(report.userId);
    if (account == null) {
      account = new HeapAccount();
      accounts.put(report.userId, account);
    }
    ReportIntake intake = intakes.get(report.modelId);
    if (intake == null) {
      return ledger.judgeUnknownModel(report, account);
    }
    report.modelId = intake.terms().spec().getModelId(); // one string for all accounts
    return ledger.judge(report, intake.terms(), account);
  }

  /** All that the learner gets of an admitted report. */
  RoundSum withoutUser(Report report) {
    return intakes.get(report.modelId).withoutUser(report);
  }
}
