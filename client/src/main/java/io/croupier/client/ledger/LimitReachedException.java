package io.croupier.client.ledger;

/**
 * A report would spend more than the person allows. Nothing was drawn, nothing is spent, and
 * nothing of the gradient is in the message.
 */
public final class LimitReachedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LimitReachedException(String message) {
    super(message);
  }
}
