package io.croupier.client;

/**
 * This device must not answer that round of a model, whose spec requests answers from a random part
 * of the devices, or must answer it in another way: by a gradient or by the answer to a question.
 * No noise was drawn, and no privacy is spent. The decision is final for one published update: it
 * may change only if the operator changes the model's probabilities or questions, and the job
 * publishes the round again.
 */
public final class NotChosenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotChosenException(RoundTerms terms, String way) {
    super(
        "this device is not chosen to answer round "
            + terms.round()
            + " of model "
            + terms.modelId()
            + way
            + ", which is answered with probability "
            + terms.answerProbability()
            + questions(terms));
  }

  private static String questions(RoundTerms terms) {
    return terms.questionProbability() == 0
        ? ""
        : ", then by the answer to a question with probability "
            + terms.questionProbability()
            + ", otherwise by a gradient";
  }
}
