package io.croupier.client.ledger;

/**
 * A report would spend more than the person allows, or than the model allows a person. No noise was
 * drawn, no privacy is spent, and the message contains nothing of the gradient.
 */
public final class LimitReachedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception that names the limit. */
  public LimitReachedException(String message) {
    super(message);
  }
}
