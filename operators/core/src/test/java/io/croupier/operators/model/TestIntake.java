package io.croupier.operators.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.ledger.EventAssertions;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;

/** Reports of user u to model m, from text to bytes to the ledger and to the learner. */
final class TestIntake {
  private static final ReportDecoder DECODER = new ReportDecoder();

  private TestIntake() {}

  /** A well-formed report; its round is 0 and its number 1 unless the fields have others. */
  static Report report(String fields) {
    Received decoded = decode(fields);
    assertThat(decoded).isInstanceOf(Report.class);
    return (Report) decoded;
  }

  /** What the decoder makes of a report. */
  static Received decode(String fields) {
    String defaults =
        "model_id: 'm' user_id: 'u' device_id: 'd' "
            + (fields.contains("sequence: ") ? "" : "sequence: 1 ")
            + (fields.contains("round: ") ? "" : "round: 0 ");
    byte[] bytes = Specs.parse(defaults + fields, GradientReport.class).toByteArray();
    return DECODER.decode("u".getBytes(UTF_8), bytes, false, Source.unknown(0));
  }

  /** The event of a new user's report. */
  static AccountingEvent judge(String fields, ModelSpec spec) {
    return judge(report(fields), spec, new MapAccount());
  }

  static AccountingEvent judge(Report report, ModelSpec spec, MapAccount account) {
    return new Ledger().judge(report, new ReportIntake(spec, 0).terms(), account);
  }

  /** What the learner receives of a report. */
  static RoundSum sum(String fields, ModelSpec spec) {
    return new ReportIntake(spec, 0).withoutUser(report(fields));
  }

  /** What the learner receives of a report that the ledger admits. */
  static RoundSum admitted(String fields, ModelSpec spec) {
    EventAssertions.assertAdmitted(judge(fields, spec));
    return sum(fields, spec);
  }
}
