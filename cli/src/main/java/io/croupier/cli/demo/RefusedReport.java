package io.croupier.cli.demo;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.Locale;
import org.apache.commons.lang3.Strings;

/**
 * A report that the ledger refused, without its user.
 *
 * @param modelId the model of the report
 * @param outcome the ledger's verdict
 * @param declaration the noise that the report declared
 */
record RefusedReport(String modelId, Outcome outcome, String declaration) {

  static RefusedReport of(AccountingEvent event) {
    return new RefusedReport(
        event.getModelId(),
        event.getOutcome(),
        event.getDeclarationCase().name().toLowerCase(Locale.ROOT));
  }

  /** A sentence about {@code count} refused reports to a learner. */
  String inWords(String learner, long count) {
    return "%s refused %s (%s)."
        .formatted(
            learner,
            NumberFormats.counted(count, declaration + " report"),
            Strings.CS.removeStart(outcome.name(), "REFUSED_"));
  }
}
