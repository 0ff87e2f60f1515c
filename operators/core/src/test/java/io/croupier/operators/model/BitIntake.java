package io.croupier.operators.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.TextFormat;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;

/** Reports that are no gradients, from text to bytes to the ledger of a model of dimension 3. */
final class BitIntake {
  private static final ReportDecoder DECODER = new ReportDecoder();

  private BitIntake() {}

  /** A spec with the given fields. */
  static ModelSpec spec(String fields) {
    try {
      return TextFormat.parse(
          "model_id: 'm' dimension: 3 gradient_bound: 0.5 " + fields, ModelSpec.class);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(fields, e);
    }
  }

  /** A well-formed report of user u, the first if it has no number. */
  static Report report(String fields) {
    return (Report) decode(fields);
  }

  /** What the decoder makes of a report of user u. */
  static Received decode(String fields) {
    try {
      byte[] bytes =
          TextFormat.parse(
                  "model_id: 'm' user_id: 'u' device_id: 'd' "
                      + (fields.contains("sequence: ") ? "" : "sequence: 1 ")
                      + fields,
                  GradientReport.class)
              .toByteArray();
      return DECODER.decode("u".getBytes(UTF_8), bytes, false, Source.unknown(0));
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(fields, e);
    }
  }

  /** The event of a user's report. */
  static AccountingEvent judge(Report report, ModelSpec spec, MapAccount account) {
    return new Ledger().judge(report, new ReportIntake(spec, 0).terms(), account);
  }
}
