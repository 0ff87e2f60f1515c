package io.croupier.client;

import io.croupier.client.ledger.LocalLedger;
import java.util.Locale;

/** What the Java client does in a round. */
public final class Decisions {
  private Decisions() {}

  /** In the words of croupier.js: its kind, and the name of a question or statistic. */
  public static String of(LocalLedger ledger, RoundTerms terms) {
    return Decision.of(ledger, terms).map(decision -> inWords(decision, terms)).orElse("none");
  }

  private static String inWords(Decision decision, RoundTerms terms) {
    String kind = decision.about().name().toLowerCase(Locale.ROOT);
    return switch (decision.about()) {
      case QUESTION -> kind + " " + decision.question(terms).getName();
      case STATISTIC -> kind + " " + decision.statistic(terms).getName();
      default -> kind;
    };
  }
}
