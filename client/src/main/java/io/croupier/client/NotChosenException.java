package io.croupier.client;

/**
 * This device must not answer that round of a model, whose spec requests answers from a random part
 * of the devices. No noise was drawn, and no privacy is spent. The decision for a round is final:
 * wait for the next round.
 */
public final class NotChosenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotChosenException(ModelSnapshot model, long round) {
    super(
        "this device is not chosen to answer round "
            + round
            + " of model "
            + model.modelId()
            + ", which is answered with probability "
            + model.answerProbability());
  }
}
