package io.croupier.operators.report;

import io.croupier.accounting.mechanism.Mechanism;

/**
 * What the job counts, and no learner steps by: {@code ReportIntake} passes it on as a {@code
 * RoundSum}.
 */
public sealed interface Counted extends Content permits AnswerContent, VoteContent {

  /**
   * Returns what is counted.
   *
   * @param mechanism that the report declares
   */
  Count count(Mechanism mechanism);

  /**
   * What is counted, without the user; what a kind doesn't have is 0 or false.
   *
   * @param form of the kind
   * @param name of the question or statistic
   * @param response of an answer, the strength of its randomised response, negative for a no
   * @param seed of a vote, what assigns the categories to groups, if {@code isHashed}
   * @param group of a vote, the released one of {@code groups}, at {@code level}
   */
  record Count(
      VectorForm form,
      String name,
      double response,
      long seed,
      boolean isHashed,
      int group,
      int groups,
      double level) {
    static Count ofAnswer(String question, double response) {
      return new Count(VectorForm.ANSWER, question, response, 0, false, 0, 0, 0);
    }
  }
}
