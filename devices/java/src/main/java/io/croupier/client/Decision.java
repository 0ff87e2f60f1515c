package io.croupier.client;

import io.croupier.client.Sent.About;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.util.Optional;

/**
 * What a published round asks of a device that takes part in it. The ledger's secret decides it,
 * before the device looks at its data: once, unless the job publishes the round again with another
 * probability or other questions.
 *
 * @param about what it asks for: with a moving clip, the size in every round while the model
 *     {@linkplain RoundTerms#isScouting scouts}, afterwards as often as any question
 * @param place of the question or statistic in those of the terms; otherwise 0
 */
record Decision(About about, int place) {

  /** Empty if the round asks nothing of this device. */
  static Optional<Decision> of(LocalLedger ledger, RoundTerms terms) {
    RoundTerms.Requests requests = terms.requests();
    if (!ledger.answers(terms.modelId(), terms.round(), requests.answerProbability())) {
      return Optional.empty();
    }
    if (!ledger.isAsked(terms.modelId(), terms.round(), requests.questionProbability())) {
      return Optional.of(new Decision(About.GRADIENT, 0));
    }
    int questions = requests.questions().size();
    int named = questions + requests.statistics().size();
    int sizes = terms.clip().moves() ? 1 : 0;
    int place = ledger.question(terms.modelId(), terms.round(), named + sizes);
    if (place == named || terms.isScouting()) {
      return Optional.of(new Decision(About.SIZE, 0));
    }
    return Optional.of(
        place < questions
            ? new Decision(About.QUESTION, place)
            : new Decision(About.STATISTIC, place - questions));
  }

  Question question(RoundTerms terms) {
    return terms.requests().questions().get(place);
  }

  Statistic statistic(RoundTerms terms) {
    return terms.requests().statistics().get(place);
  }

  /** What it asks for, in words. */
  String inWords(RoundTerms terms) {
    return switch (about) {
      case GRADIENT -> "a gradient";
      case SIZE -> "the size of its gradient";
      case QUESTION -> "an answer to question " + question(terms).getName();
      case STATISTIC -> "statistic " + statistic(terms).getName();
    };
  }
}
