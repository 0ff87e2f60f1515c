package io.croupier.client;

/**
 * This device is not to answer that round of a model, whose operator asks only some to; nothing was
 * drawn, and nothing is spent. The same round would be refused again: wait for the next.
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
