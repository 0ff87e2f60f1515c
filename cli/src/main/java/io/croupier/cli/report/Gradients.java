package io.croupier.cli.report;

/** A source of gradients. */
interface Gradients {

  /**
   * The next gradient; null at the end.
   *
   * @throws io.croupier.cli.InputException if the gradient can't be used; the message contains its
   *     place, but none of its values
   */
  EvaluatedGradient next();

  /** The place of the last gradient returned: {@code line 3}. */
  String place();

  /** The number of remaining gradients, in words: {@code 3 more}, {@code at least 3 more}. */
  String left();

  /** The total number of gradients; -1 if unknown. */
  long size();
}
