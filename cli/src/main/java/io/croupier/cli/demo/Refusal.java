package io.croupier.cli.demo;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.Locale;
import org.apache.commons.lang3.Strings;

/**
 * Why the ledger kept a report from its model.
 *
 * @param declaration what the report said of its noise
 */
record Refusal(String modelId, Outcome outcome, String declaration) {

  static Refusal of(AccountingEvent event) {
    return new Refusal(
        event.getModelId(),
        event.getOutcome(),
        event.getDeclarationCase().name().toLowerCase(Locale.ROOT));
  }

  /** A sentence about as many reports to a learner. */
  String inWords(String learner, long count) {
    return "%s refused %s %s reports (%s)."
        .formatted(
            learner,
            NumberFormats.count(count),
            declaration,
            Strings.CS.removeStart(outcome.name(), "REFUSED_"));
  }
}
