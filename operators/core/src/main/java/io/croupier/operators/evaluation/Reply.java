package io.croupier.operators.evaluation;

import io.croupier.accounting.CategoryLaw;
import java.util.function.IntPredicate;

/** What a device replies to what it is asked for. */
public sealed interface Reply {

  /**
   * A randomised bit.
   *
   * @param response h if the bit is yes, -h if it is no; h from 0 to 1, its {@linkplain
   *     io.croupier.accounting.ResponseLaw#strength strength}
   */
  record Answer(double response) implements Reply {}

  /**
   * A randomised group of categories.
   *
   * @param law of the vote
   * @param contains whether the released group contains a category, from 0
   */
  record Vote(CategoryLaw law, IntPredicate contains) implements Reply {}
}
