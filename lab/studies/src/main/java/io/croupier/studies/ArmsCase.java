package io.croupier.studies;

import io.croupier.accounting.CategoryLaw;
import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.Reply;
import io.croupier.operators.evaluation.VoteTally;

/**
 * An experiment with two arms, of which {@link LookCase#REPLIES} people each reply to each
 * publication. It is decided at the first one after which the intervals of the arms don't overlap.
 *
 * @param isChoice whether each person votes for one of arm A yes, A no, B yes and B no, instead of
 *     an answer to the question of the own arm
 * @param a fraction of yes in arm A
 * @param b fraction of yes in arm B
 */
record ArmsCase(boolean isChoice, double a, double b, double epsilon) {
  private static final int CATEGORIES = 4;

  /**
   * The end of a run.
   *
   * @param replies of both arms until then
   */
  record Ending(boolean isDecided, boolean isRight, long replies) {}

  String label() {
    return isChoice ? "a choice of arm and answer" : "a question for each arm";
  }

  /** Runs until the decision, or the number of publications. */
  Ending run(int publications, SeededRandom random) {
    AnswerTally answersOfA = AnswerTally.all();
    AnswerTally answersOfB = AnswerTally.all();
    VoteTally votes = VoteTally.all(CATEGORIES);
    CategoryLaw law = CategoryWay.HASHED.law(epsilon, CATEGORIES);
    long replies = 0;
    for (int i = 0; i < publications; i++) {
      for (int j = 0; j < LookCase.REPLIES; j++) {
        if (isChoice) {
          votes.add(vote(law, 0, a, random), 0);
          votes.add(vote(law, 2, b, random), 0);
        } else {
          answersOfA.add(LookCase.answer(random.uniform() < a, epsilon, random), 0);
          answersOfB.add(LookCase.answer(random.uniform() < b, epsilon, random), 0);
        }
        replies += 2;
      }
      FractionEstimate ofA =
          isChoice ? votes.estimates().get(0) : answersOfA.estimate().orElseThrow();
      FractionEstimate ofB =
          isChoice ? votes.estimates().get(2) : answersOfB.estimate().orElseThrow();
      if (ofA.low() > ofB.high() || ofB.low() > ofA.high()) {
        return new Ending(true, ofA.low() > ofB.high() == a > b, replies);
      }
    }
    return new Ending(false, false, replies);
  }

  private Reply vote(CategoryLaw law, int yes, double fraction, SeededRandom random) {
    int category = random.uniform() < fraction ? yes : yes + 1;
    return new Reply.Vote(law, CategoryWay.HASHED.draw(category, epsilon, CATEGORIES, random));
  }
}
