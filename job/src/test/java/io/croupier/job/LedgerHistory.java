package io.croupier.job;

import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Many accounting events, of users who all have the same history: a ledger judges the reports of
 * one of them. All reports have offset 0, in partition 0 of the gradients topic.
 */
final class LedgerHistory {
  /** The pure epsilon of each report. */
  static final double EPSILON = 0.5;

  private final List<AccountingEvent> turns = new ArrayList<>();
  private final int users;

  /** Creates a history of {@code reports} reports of each user. */
  LedgerHistory(ModelSpec spec, int users, int reports, String gradientsTopic) {
    this.users = users;
    Ledger ledger = new Ledger();
    ReportIntake intake = new ReportIntake(spec, 0);
    HeapAccount account = new HeapAccount();
    for (int i = 0; i < reports; i++) {
      Report report =
          new Report(
              new Header(spec.getModelId(), 0, "anyone", "device", i, 0, 0),
              new L2LaplaceMechanism(EPSILON, spec.getDimension()),
              VectorContent.whole(
                  VectorForm.DENSE, PackedVectors.encode(new double[spec.getDimension()])),
              i,
              new Source(gradientsTopic, 0, 0, 0));
      turns.add(ledger.judge(report, intake.terms(), account));
    }
  }

  int events() {
    return users * turns.size();
  }

  AccountingEvent last() {
    return turns.get(turns.size() - 1);
  }

  static String user(int i) {
    return "person-" + i;
  }

  /** Writes all events, the users in turn. */
  void write(TestTopics testTopics) throws Exception {
    AccountingEventWriter writer = new AccountingEventWriter();
    for (AccountingEvent turn : turns) {
      for (int user = 0; user < users; user++) {
        AccountingEvent event = turn.toBuilder().setUserId(user(user)).build();
        testTopics.send(
            testTopics.topics.accounting(), AccountingKey.of(event), writer.write(event));
      }
      testTopics.flush();
    }
  }
}
