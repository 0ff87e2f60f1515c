package io.croupier.operators.report;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.schemas.Answer;
import io.croupier.schemas.Questions;

/**
 * An answer to a question: yes or no.
 *
 * @param bit randomised
 */
public record AnswerContent(String question, boolean bit) implements Counted {

  /** Returns null unless the message is well-formed. */
  public static AnswerContent read(Answer answer) {
    return answer.hasBit() && Questions.isName(answer.getQuestion())
        ? new AnswerContent(answer.getQuestion(), answer.getBit())
        : null;
  }

  @Override
  public String field() {
    return "answer.question";
  }

  @Override
  public String objection(ReportTerms terms) {
    return terms.questions().contains(question)
        ? ""
        : "answer.question must be one of the model's: it asks "
            + ReportTerms.text(terms.questions());
  }

  @Override
  public Count count(Mechanism mechanism) {
    double strength = ((RandomisedResponseMechanism) mechanism).law().strength();
    return Count.ofAnswer(question, bit ? strength : -strength);
  }

  /** Without the bit. */
  @Override
  public String toString() {
    return "AnswerContent";
  }
}
