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

  private NotChosenException(String message) {
    super(message);
  }

  /** The round asks nothing of this device. */
  static NotChosenException ofNothing(RoundTerms terms) {
    return new NotChosenException(
        begin(terms)
            + " asks nothing of this device: a device answers a round with probability "
            + terms.requests().answerProbability()
            + "; wait for a later round");
  }

  /**
   * The round asks for no gradient.
   *
   * @param asked what it asks for
   */
  static NotChosenException ofOther(RoundTerms terms, String asked) {
    return new NotChosenException(
        begin(terms)
            + " asks this device for "
            + asked
            + ", not for a gradient; 'respond' does what a round asks for");
  }

  /** The device can't answer what the round asks for. */
  static NotChosenException ofUnable(RoundTerms terms, String asked) {
    return new NotChosenException(
        begin(terms)
            + " asks this device for "
            + asked
            + ", which it can't give: its data can't, its noise is undisclosed or of no such"
            + " level, or its limit leaves nothing for answers; wait for a later round");
  }

  private static String begin(RoundTerms terms) {
    return "round " + terms.round() + " of model " + terms.modelId();
  }
}
