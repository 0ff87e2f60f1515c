package io.croupier.cli.report;

/** Where gradients come from, one after the other. */
interface Gradients {

  /**
   * The next one; null at the end.
   *
   * @throws io.croupier.cli.InputException if it can't be used; the message says where it is, and
   *     nothing of what it holds
   */
  EvaluatedGradient next();

  /** Where the newest one is: {@code line 3}. */
  String place();

  /** How many more there are known to be, in words: {@code 3 more}, {@code at least 3 more}. */
  String left();

  /** How many there are in all; -1 if nobody knows. */
  long size();
}
